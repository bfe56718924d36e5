import { cases, now, outcome } from "../see.js";

export default () => ({
  ...cases("decode", { ascii: [65, 66], utf8: [0xc3, 0xa9], bad: [0xff, 65], "cut off": [0xe2, 0x82], overlong: [0xc0, 0x80], surrogate: [0xed, 0xa0, 0x80], bom: [0xef, 0xbb, 0xbf, 65], "beyond": [0xf4, 0x90, 0x80, 0x80] }, (_, list) => [new TextDecoder().decode(new Uint8Array(list)), new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(list)), now(() => new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(list)))]),
  ...cases("label", { utf8: "utf8", "UTF-8 ": " UTF-8 ", latin1: "latin1", ascii: "ascii", "windows-1252": "windows-1252", "utf-16le": "utf-16le", "utf-16be": "utf-16be", "shift_jis": "shift_jis", "gbk": "gbk", "euc-kr": "euc-kr", big5: "big5", "iso-8859-2": "iso-8859-2", koi8: "koi8-r", unknown: "nope", empty: "", undefined: undefined, replacement: "iso-2022-kr", "x-user-defined": "x-user-defined" }, (_, label) => now(() => {
    const d = new TextDecoder(label);
    return [d.encoding, d.decode(new Uint8Array([0xe9, 0x41, 0x80, 0x42]))];
  })),
  "decode in parts": () => {
    const d = new TextDecoder();
    return [d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }), d.decode(new Uint8Array([0xac]), { stream: true }), d.decode(new Uint8Array([0xe2]), { stream: true }), d.decode()];
  },
  ...cases("decode of", { nothing: [], undefined: [undefined], buffer: [new Uint8Array([65]).buffer], view: [new DataView(new Uint8Array([66]).buffer)], "a part": [new Uint8Array([65, 66, 67]).subarray(1, 2)], string: ["abc"], null: [null], array: [[65]], number: [5] }, (_, args) => {
    const r = now(() => new TextDecoder().decode(...args));
    return r.thrown ? r.thrown.$error : r;
  }),
  "properties": () => {
    const d = new TextDecoder("latin1", { fatal: true, ignoreBOM: true });
    return [d.encoding, d.fatal, d.ignoreBOM, new TextEncoder().encoding, String(d)];
  },
  ...cases("encode", { text: "é😀", "a lone surrogate": "a\ud800", empty: "", undefined: undefined, null: null, number: 5 }, (_, v) => new TextEncoder().encode(v)),
  "encode of nothing": () => new TextEncoder().encode(),
  "encodeInto": () => {
    const b = new Uint8Array(5);
    return [new TextEncoder().encodeInto("a😀é", b), b, new TextEncoder().encodeInto("", b), now(() => new TextEncoder().encodeInto("a", [])).thrown?.$error];
  },
  ...cases("atob", { plain: "YWJj", padded: "YQ==", "without padding": "YQ", spaces: " Y Q = = ", bad: "Y$", "one letter": "Y", empty: "", null: null, undefined: undefined, number: 12, "url-safe": "-_", "padding inside": "YQ==YQ==", "too much padding": "YQ===" }, (_, v) => now(() => atob(v))),
  ...cases("btoa", { plain: "abc", latin1: "é", unicode: "日", empty: "", null: null, number: 5, object: {}, undefined: undefined }, (_, v) => now(() => btoa(v))),
  "no arguments": () => [now(() => atob()).thrown?.$error, now(() => btoa()).thrown?.$error],
  ...cases("encodeURIComponent", { "lone surrogate": "\ud800", all: " é/?:@&=+$#'()*!~" }, (_, v) => outcome(() => encodeURIComponent(v)).then((r) => (r.thrown ? r.thrown.$error : r))),
});
