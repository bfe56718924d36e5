// Made by svelte's compiler, generate: "server", of this component:
/*
<script>
  import { setContext, getContext } from "svelte";
  let { name, items, count } = $props();
  let n = $state(3);
  let double = $derived(n * 2);
  setContext("k", { v: 1 });
</script>
<svelte:head><title>{name}</title><meta name="d" content={name}></svelte:head>
{#snippet row(item, i)}<li class:odd={i % 2} style:color="red" data-id={item.id}>{i}: {item.text}</li>{/snippet}
<main class={["a", { b: n > 2 }]} {...{ title: '"q"', hidden: false }}>
  <h1>Hi {name}! {double} {$count}</h1>
  {@html "<i>raw</i>"}
  <ul>{#each items as item, i (item.id)}{@render row(item, i)}{:else}none{/each}</ul>
  {#if n > 5}big{:else if n === 3}three{:else}small{/if}
  {#await Promise.resolve(1)}waiting{:then v}{v}{/await}
  <input bind:value={n} type="number" disabled={n > 1}><select value="b"><option value="a">A</option><option value="b">B</option></select>
  {#key n}<b>{getContext("k").v}</b>{/key}
</main>
<style>main { color: blue }</style>
*/
import * as $ from 'svelte/internal/server';
import { setContext, getContext } from "svelte";

function row($$renderer, item, i) {
	$$renderer.push(`<li${$.attr('data-id', item.id)}${$.attr_class('', void 0, { 'odd': i % 2 })}${$.attr_style('', { color: 'red' })}>${$.escape(i)}: ${$.escape(item.text)}</li>`);
}

const $$css = {
	hash: 'svelte-n50uah',
	code: 'main.svelte-n50uah {color:blue}'
};

export default function App($$renderer, $$props) {
	$$renderer.global.css.add($$css);

	$$renderer.component(($$renderer) => {
		var $$store_subs;
		let { name, items, count } = $$props;
		let n = 3;
		let double = $.derived(() => n * 2);

		setContext("k", { v: 1 });

		$.head('n50uah', $$renderer, ($$renderer) => {
			$$renderer.title(($$renderer) => {
				$$renderer.push(`<title>${$.escape(name)}</title>`);
			});

			$$renderer.push(`<meta name="d"${$.attr('content', name)}/>`);
		});

		$$renderer.push(`<main${$.attributes(
			{
				class: $.clsx(["a", { b: n > 2 }]),
				...{ title: '"q"', hidden: false }
			},
			'svelte-n50uah'
		)}><h1>Hi ${$.escape(name)}! ${$.escape(double())} ${$.escape($.store_get($$store_subs ??= {}, '$count', count))}</h1> ${$.html("<i>raw</i>")} <ul>`);

		const each_array = $.ensure_array_like(items);

		if (each_array.length !== 0) {
			$$renderer.push('<!--[-->');

			for (let i = 0, $$length = each_array.length; i < $$length; i++) {
				let item = each_array[i];

				row($$renderer, item, i);
			}
		} else {
			$$renderer.push(`<!--[!--><!---->none`);
		}

		$$renderer.push(`<!--]--></ul> `);

		if (n > 5) {
			$$renderer.push(`<!--[0-->big`);
		} else if (n === 3) {
			$$renderer.push(`<!--[1-->three`);
		} else {
			$$renderer.push(`<!--[-1-->small`);
		}

		$$renderer.push(`<!--]--> `);

		$.await(
			$$renderer,
			Promise.resolve(1),
			() => {
				$$renderer.push(`waiting`);
			},
			(v) => {
				$$renderer.push(`${$.escape(v)}`);
			}
		);

		$$renderer.push(`<!--]--> <input${$.attr('value', n)} type="number"${$.attr('disabled', n > 1, true)}/>`);

		$$renderer.select({ value: 'b' }, ($$renderer) => {
			$$renderer.option({ value: 'a' }, ($$renderer) => {
				$$renderer.push(`A`);
			});

			$$renderer.option({ value: 'b' }, ($$renderer) => {
				$$renderer.push(`B`);
			});
		});

		$$renderer.push(` <!---->`);

		{
			$$renderer.push(`<b>${$.escape(getContext("k").v)}</b>`);
		}

		$$renderer.push(`<!----></main>`);

		if ($$store_subs) $.unsubscribe_stores($$store_subs);
	});
}
