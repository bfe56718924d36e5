// svelte
// Components compiled for the server rendered to HTML: props, each, if, await, snippets, stores, styles and the head.
import { render } from "svelte/server";
import { get, writable, derived } from "svelte/store";
import App from "./parts/svelte";

export default {
  async fetch() {
    const count = writable(2), double = derived(count, (n) => n * 2);
    const seen: number[] = [];
    const stop = double.subscribe((n) => seen.push(n));
    count.update((n) => n + 1); stop(); count.set(9);
    const { head, body } = await render(App, { props: { name: "<Ada & co>", items: [{ id: 1, text: "one" }, { id: 2, text: "zwöi" }], count } });
    return Response.json({ head, body, seen, now: get(double) });
  },
};
