import { useEffect } from "preact/hooks";
import { size } from "../store/kinds";
import {
  change, chooseLook, draft, editable, entries, look, newKey, next, openKey, prefix, readKeys, removeKey, saveDraft, type Draft, type Look,
} from "../store/kv";
import { attempt } from "../store/toasts";
import type { KVEntry } from "../wire";
import { arrows } from "./arrows";
import { Icon } from "./Icon";

export function KV() {
  useEffect(() => void attempt(readKeys), []);
  return (
    <div class="cols">
      <div class="grow col">
        <div class="strip">
          <label class="field soft small">
            <Icon name="search" small />
            <input placeholder="Prefix" aria-label="Keys that begin with" value={prefix.value} onInput={(e) => {
              prefix.value = e.currentTarget.value;
              void attempt(readKeys);
            }} />
          </label>
          <span class="muted num clip">{entries.value && `${entries.value.length}${next.value ? "+" : ""} ${entries.value.length === 1 ? "key" : "keys"}`}</span>
          <span class="push" />
          <button class="btn small" onClick={newKey}><Icon name="plus" small />Put a key</button>
        </div>
        <Keys />
      </div>
      {draft.value && <Detail d={draft.value} />}
    </div>
  );
}

function Keys() {
  const list = entries.value;
  if (!list) return <div class="grow" />;
  if (!list.length) return <div class="grow"><p class="quiet">{prefix.value ? "No key begins so." : "What functions.js puts into env.KV appears here."}</p></div>;
  return (
    <div class="grow scroll" tabIndex={0} role="region" aria-label="Keys">
      <table class="grid" onKeyDown={arrows(".grid .key")}>
        <thead><tr><th>Key</th><th class="wide2">Value</th><th class="r">Size</th><th>Metadata</th><th>Expires</th></tr></thead>
        <tbody>{list.map((e, i) => <Row key={e.key} e={e} first={i === 0} />)}</tbody>
      </table>
      {next.value && <p class="quiet"><button class="btn small" onClick={() => void attempt(() => readKeys(true))}>Show more</button></p>}
    </div>
  );
}

function Row({ e, first }: { e: KVEntry; first: boolean }) {
  const now = draft.value?.was?.key === e.key;
  const open = () => void attempt(() => openKey(e.key));
  return (
    <tr aria-selected={now} onClick={open}>
      <td class="mono"><button class="key clip" tabIndex={now || (first && !draft.value?.was) ? 0 : -1} onClick={(ev) => { ev.stopPropagation(); open(); }}>{e.key}</button></td>
      <td class="mono muted">{e.preview}{e.size > e.preview.length && e.text ? "…" : ""}</td>
      <td class="r">{e.size < 0 ? "" : size(e.size)}</td>
      <td class={e.metadata ? "mono" : "faint"}>{e.metadata || "none"}</td>
      <td class={e.expires ? "" : "faint"}>{e.expires ? until(e.expires) : "never"}</td>
    </tr>
  );
}

/** "in 23 h 59 min" */
function until(time: string): string {
  const s = Math.max(0, Math.round((Date.parse(time) - Date.now()) / 1000));
  if (s < 120) return `in ${s} s`;
  const min = Math.floor(s / 60);
  if (min < 120) return `in ${min} min`;
  const h = Math.floor(min / 60);
  return h < 48 ? `in ${h} h ${min % 60} min` : `in ${Math.floor(h / 24)} days`;
}

function Detail({ d }: { d: Draft }) {
  const can = editable(d);
  const looks: [Look, string][] = [["text", "Text"], ["json", "JSON"], ["hex", "Hex"]];
  return (
    <form class="detail" aria-label={d.was ? d.key : "A new key"} onSubmit={(e) => { e.preventDefault(); void attempt(saveDraft); }}>
      <div class="line">
        {d.was ? (
          <b class="mono clip grow">{d.key}</b>
        ) : (
          <label class="field small grow"><input class="mono" placeholder="Key" aria-label="Key" value={d.key} onInput={(e) => change({ key: e.currentTarget.value })} /></label>
        )}
        {d.was && <button type="button" class="btn ghost small" onClick={() => void attempt(removeKey)}><Icon name="trash" small />Delete</button>}
        <button type="button" class="btn ghost small icon" aria-label="Close" onClick={() => (draft.value = null)}><Icon name="x" small /></button>
      </div>
      <div class="line">
        <div class="seg" role="group" aria-label="How the value is shown">
          {looks.map(([l, label]) => <button type="button" key={l} aria-pressed={look.value === l} disabled={l !== "hex" && !!d.was && !d.was.text} onClick={() => chooseLook(l)}>{label}</button>)}
        </div>
        <span class="faint num">{d.was && size(d.was.size)}</span>
        <span class="push" />
        <button class="btn primary small" disabled={!can || !d.key}>Save</button>
      </div>
      {look.value === "hex" ? (
        <pre class="hexdump" tabIndex={0} role="region" aria-label="Value in hex">{hexOf(d)}</pre>
      ) : (
        <textarea class="box mono" aria-label="Value" spellcheck={false} readOnly={!can} value={d.was && !d.was.whole ? d.was.data : d.text} onInput={(e) => change({ text: e.currentTarget.value })} />
      )}
      {d.was && !d.was.whole && <p class="faint">The beginning of {size(d.was.size)}. A value of more than 1 MB is not edited here.</p>}
      <label class="pair"><span>Metadata</span><span class="field small"><input class="mono" placeholder="none, or JSON" readOnly={!can} value={d.metadata} onInput={(e) => change({ metadata: e.currentTarget.value })} /></span></label>
      <label class="pair"><span>Expires</span><span class="field small"><input type="datetime-local" step="1" readOnly={!can} value={d.expires} onInput={(e) => change({ expires: e.currentTarget.value })} /></span></label>
    </form>
  );
}

/** The first bytes in hex and as characters. */
function hexOf(d: Draft): string {
  const bytes = d.was && !d.was.text ? Uint8Array.from(atob(d.was.data), (c) => c.charCodeAt(0)) : new TextEncoder().encode(d.was && !d.was.whole ? d.was.data : d.text);
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, 4096); at += 16) {
    const part = bytes.slice(at, at + 16);
    const hex = [...part].map((b) => b.toString(16).padStart(2, "0")).join(" ");
    const text = [...part].map((b) => (b > 31 && b < 127 ? String.fromCharCode(b) : ".")).join("");
    lines.push(`${at.toString(16).padStart(6, "0")}  ${hex.padEnd(47)}  ${text}`);
  }
  if (bytes.length > 4096) lines.push("…");
  return lines.join("\n");
}
