export default {
	async fetch(request, env) {
		const path = new URL(request.url).pathname;
		if (path === "/api/act") return Response.json(await env.HOST.bank.act({ probe: new URL(request.url).searchParams.get("probe") ?? "" }));
		const text = await env.HOST.bank.mine({});
		if (path === "/api/page") return new Response("<!doctype html><p>" + text + "</p>", { headers: { "Content-Type": "text/html" } });
		return new Response("var mine = " + JSON.stringify(text), { headers: { "Content-Type": "text/javascript" } });
	},
};
