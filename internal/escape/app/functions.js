// The attacker's server side: it answers with whatever headers, status and body it is asked for.
export default {
	async fetch(request) {
		const url = new URL(request.url), q = url.searchParams;
		if (url.pathname === "/api/echo") return Response.json([...request.headers]);
		if (url.pathname === "/api/throw") throw new Error("<script src=\"../lib.js?loot\"></" + "script>");
		const headers = new Headers({ "Content-Type": q.get("type") || "text/plain" });
		for (const line of q.getAll("header")) headers.append(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim());
		return new Response(q.get("body"), { status: Number(q.get("status") || 200), headers });
	},
};
