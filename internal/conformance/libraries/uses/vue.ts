// vue
// Components with props, slots, computed values, provide and inject, async setup and directives rendered to text and to a stream.
// GET /
// GET /stream
import { computed, createSSRApp, defineComponent, h, inject, provide, reactive, ref, Suspense, watchEffect, withDirectives, vShow, resolveComponent, effectScope } from "vue";
import { renderToString, renderToWebStream } from "vue/server-renderer";

const Item = defineComponent({ props: { text: { type: String, required: true }, n: { type: Number, default: 3 } }, emits: ["pick"], setup: (props, { slots, attrs }) => () => h("li", { class: ["a", { b: props.n > 2 }], ...attrs }, [props.text, slots.default?.({ n: props.n })]), inheritAttrs: false });
const Slow = defineComponent({ async setup() { await new Promise((d) => setTimeout(d, 2)); const theme = inject("theme"); return () => h("i", `late ${theme}`); } });
const app = () => {
  const a = createSSRApp({
    setup() {
      const state = reactive({ list: ["x", "<y>"], count: 0 }), total = computed(() => state.list.length + state.count), show = ref(false);
      provide("theme", "dark"); state.count = 5;
      return () => h("main", { id: "app", style: { color: "red", fontSize: "2px" }, onClick() {}, "data-n": total.value }, [
        h("ul", state.list.map((t, i) => h(Item, { key: t, text: t, n: i * 3, title: `"${i}"` }, { default: ({ n }: { n: number }) => h("b", n) }))),
        withDirectives(h("p", "hidden"), [[vShow, show.value]]), h("input", { value: "a&b", disabled: true, checked: false }), h("div", { innerHTML: "<hr>" }), h(Suspense, null, { default: () => h(Slow) }), h(resolveComponent("Global") as any), null, 0, "text & more",
      ]);
    },
  });
  a.component("Global", { render: () => [h("em", "g"), "frag"] });
  return a;
};
export default {
  async fetch(request: Request) {
    if (new URL(request.url).pathname === "/stream") return new Response(renderToWebStream(app()), { headers: { "content-type": "text/html" } });
    const log: number[] = [], n = ref(1), scope = effectScope();
    scope.run(() => watchEffect(() => void log.push(n.value), { flush: "sync" }));
    n.value++; scope.stop(); n.value++;
    const context: any = {};
    return Response.json({ html: await renderToString(app(), context), log, broken: await renderToString(createSSRApp({ render() { throw new Error("in render"); } })).catch((e) => e.message) });
  },
};
