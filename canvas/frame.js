// The page that frames an app: ~frame/ below the app's root. It gives the app
// localStorage in that of its own origin, under a key that is this app's and
// this person's. The app cannot navigate its frame out of its own root, so what
// speaks from the frame's window is the app.
(() => {
	"use strict";
	const { app, key, max, sandbox, title } = document.currentScript.dataset;
	const frame = document.createElement("iframe");
	const place = "samkit.storage:" + key;
	const parse = (text) => { try { return new Map(JSON.parse(text) || []); } catch { return new Map(); } };
	const read = () => { try { return parse(localStorage.getItem(place)); } catch { return new Map(); } };
	if (key) {
		frame.name = "samkit.storage:" + JSON.stringify({ max: +max, items: [...read()], session: [] });
		addEventListener("message", ({ source, data }) => {
			if (source !== frame.contentWindow || !data || data.samkit !== "storage" || !Array.isArray(data.items)) return;
			const all = data.clear ? new Map() : read();
			for (const [k, v] of data.items) v === null ? all.delete(String(k)) : all.set(String(k), String(v));
			let size = 0;
			all.forEach((v, k) => size += k.length + v.length);
			if (size <= +max) try { localStorage.setItem(place, JSON.stringify([...all])); } catch { } // full: it lasts as long as the page
		});
		addEventListener("storage", (e) => { // another tab
			if (e.key !== place && e.key !== null) return;
			const before = parse(e.oldValue), now = read(), items = [];
			before.forEach((v, k) => now.has(k) || items.push([k, null]));
			now.forEach((v, k) => before.get(k) === v || items.push([k, v]));
			if (items.length) frame.contentWindow.postMessage({ samkit: "storage", clear: e.key === null, items }, "*");
		});
	}
	// What the page around this one says to the app, such as a workbench to its agent; an app that takes it says no more than that.
	addEventListener("message", ({ source, data }) => {
		if (!data || data.samkit !== "workbench") return;
		if (source === frame.contentWindow) parent.postMessage({ samkit: "workbench" }, "*");
		else if (source === parent && parent !== self) frame.contentWindow.postMessage(data, "*");
	});
	frame.setAttribute("sandbox", sandbox);
	frame.title = title;
	frame.allowFullscreen = true;
	frame.referrerPolicy = "no-referrer";
	frame.src = app + location.search + location.hash;
	document.body.append(frame);
})();
