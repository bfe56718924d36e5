export default {
	async fetch() {
		const ticked = await new Promise(r => process.nextTick(r, "ticked"))
		return Response.json([Buffer.from("hi").toString("base64"), process.env.GREETING, process.env.N, process.env.NODE_ENV, typeof setImmediate === "function", ticked])
	},
}
