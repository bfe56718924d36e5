// An agent without a model: each request is a step that a model might have chosen.
let seen

const steps = {
	async look({ HOST }) {
		const { files } = await HOST.files.list()
		seen = await HOST.files.read({ path: "index.html" })
		return { files: files.map((f) => f.path).join(" ") }
	},

	async edit({ HOST }) {
		const add = (hash) => HOST.files.edit({
			path: "index.html", expectedHash: hash,
			edits: [{ find: "</h1>", replace: "</h1>\n<p id=list></p>" }],
		})
		const conflict = await add(seen.hash).then(() => undefined, (e) => e)
		seen = await HOST.files.read({ path: "index.html" })
		await add(seen.hash)
		await HOST.canvas.reload()
		const { content } = await HOST.files.read({ path: "index.html" })
		return { first: conflict?.code, current: conflict?.details?.content, now: content }
	},

	async break({ HOST }) {
		await HOST.console.clear()
		await HOST.files.edit({ path: "functions.js", edits: [{ find: `title: "Notes"`, replace: "title: titel" }] })
		await HOST.canvas.reload()
		return {}
	},

	async error({ HOST }) {
		const { entry } = await HOST.console.wait({ since: 0, level: "error", match: "titel", timeoutMs: 30_000 })
		const { errors } = await HOST.canvas.errors()
		const [, file, line] = entry.source.match(/^(.*):(\d+):\d+$/)
		const { content } = await HOST.files.read({ path: file })
		return { source: entry.source, known: errors.some((e) => e.source === entry.source) && content.split("\n")[line - 1].includes("titel") }
	},

	async mend({ HOST }) {
		await HOST.files.edit({ path: "functions.js", edits: [{ find: "title: titel", replace: `title: "Notes"` }] })
		await HOST.console.clear()
		await HOST.canvas.reload()
		return {}
	},

	async check({ HOST }) {
		const { errors } = await HOST.canvas.errors()
		const { id } = await HOST.checkpoints.create({ label: "a list", state: true })
		return { errors: errors.length, checkpoint: id }
	},

	async copy({ HOST }) {
		const { agentManaged } = await HOST.projects.clone({ project: "notes", name: "notes-2" })
		const { content } = await HOST.files.read({ project: "notes-2", path: "index.html" })
		await HOST.projects.delete({ project: "notes-2" })
		const code = (p) => p.then(() => "done", (e) => e.code)
		const { projects } = await HOST.projects.list()
		return {
			agentManaged, copied: content, left: projects.map((p) => p.id).join(" "),
			refused: await code(HOST.projects.delete({ project: "notes" })),
			itself: await code(HOST.files.write({ project: "bot", path: "functions.js", content: "" })),
		}
	},
}

export default {
	async fetch(request, env) {
		const step = steps[new URL(request.url).pathname.split("/").pop()]
		return step ? Response.json(await step(env)) : new Response("no such step", { status: 404 })
	},
}
