import type { HOST, HostError } from "./HOST.js"
import type { TOOL } from "./TOOL.js"
import type { WIDE } from "./WIDE.js"

interface Env { HOST: HOST; TOOL: TOOL; WIDE: WIDE }

export default {
	async fetch(request: Request, env: Env): Promise<Response> {
		const version: string = env.HOST.apiVersion
		const names: ReadonlyArray<string> = env.HOST.capabilities.files.functions
		const { content, hash } = await env.HOST.files.read({ path: "index.html" })
		const text: string = content
		await env.HOST.files.write({ project: "notes", path: "index.html", content: text, expectedHash: hash })
		const { entries } = await env.HOST.console.read()
		const seq: number | string | undefined = entries?.[0]?.seq
		for (const f of (await env.TOOL.files.list()).files ?? []) f.path.toUpperCase()
		await env.TOOL.close()
		const words: string = env.TOOL.grant.words

		// @ts-expect-error: no path
		await env.HOST.files.read({})
		// @ts-expect-error: a number for a name
		await env.HOST.files.read({ path: 1 })
		// @ts-expect-error: no such argument
		await env.HOST.files.read({ path: "a", pth: "b" })
		// @ts-expect-error: no such function
		await env.HOST.files.raed({ path: "a" })
		// @ts-expect-error: not for tools
		await env.TOOL.projects.list()

		const wide = await env.HOST["wide@2"].echo({
			extra: "", text: "", count: 1, large: "9223372036854775807", ratio: 0.5, yes: true, when: new Date().toISOString(), data: null,
			nested: { words: [] }, list: [{ words: ["a"], by: { a: 1 } }], lists: [[1], [2, 3]], pair: [1, 2], map: { a: { words: [] } },
			level: "high", "odd-name": "", class: "",
		})
		const large: number | string = wide.large
		// @ts-expect-error: may be a string
		const unsafe: number = wide.large
		const when: string = wide.when
		const raw: unknown = wide.raw
		const length: number | undefined = wide.nested.words?.length

		const tree = await env.WIDE.tree({ name: "a", kind: "branch", children: [{ name: "b", kind: 7 }] })
		const leaf: string | undefined = tree.children?.[0]?.children?.[0]?.name
		// @ts-expect-error: no such kind
		await env.WIDE.tree({ name: "a", kind: "twig" })
		await env.WIDE.optional()
		await env.WIDE.optional({ a: "x" })
		await env.WIDE.nothing({})
		await env.WIDE.either("a")
		const either: Record<string, boolean> | null = await env.WIDE.either([1, "x"])
		const unknown: unknown = await env.WIDE.unknown()
		for await (const { level } of await env.WIDE.levels()) level.toUpperCase()
		// @ts-expect-error: not an array
		;(await env.WIDE.levels()).length
		const body: ReadableStream<Uint8Array> = await env.WIDE.bytes()
		await body.cancel()
		try {
			await env.WIDE.loop({})
		} catch (e) {
			const { code, hint } = e as HostError
			if (code === "denied") return new Response(hint ?? null, { status: 403 })
		}
		return Response.json({ version, names, seq, words, large, unsafe, when, raw, length, leaf, either, unknown })
	},
}
