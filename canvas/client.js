// Runs first in every page of an app. It lets code that was written for the
// root of a host work below a prefix, stands in for storage that an opaque
// origin lacks, sends the console to the server and follows its changes.
(() => {
	"use strict";
	const me = document.currentScript;
	const root = new URL("./", me.src).href; // of the app, with its slash
	const rootPath = new URL(root).pathname;
	const opaque = me.hasAttribute("data-opaque");
	const host = location.host;
	const win = window;
	const nativeFetch = win.fetch.bind(win), NativeEvents = win.EventSource, later = win.setTimeout.bind(win);
	const define = (o, k, d) => attempt(() => Object.defineProperty(o, k, { configurable: true, ...d }));
	const attempt = (fn) => { try { return fn(); } catch { } };

	// ---- the console ----

	const maxText = 16000, maxKeys = 100, maxDepth = 5, maxBatch = 50000, maxEntries = 500, period = 5000;
	const page = Math.random().toString(36).slice(2);
	let queue = [], timer = 0, seq = 0, sent = 0, dropped = 0, windowStart = 0, inside = false;

	const clip = (s, n = maxText) => s.length > n ? s.slice(0, n) + "… (" + (s.length - n) + " more)" : s;
	const local = (s) => String(s).split(root + ":").join("index.html:").split(root).join("");

	function show(v, depth, seen) {
		switch (typeof v) {
			case "string": return depth ? JSON.stringify(clip(v, 2000)) : v;
			case "bigint": return v + "n";
			case "function": return "ƒ " + (v.name || "(anonymous)");
			case "object": break;
			default: return String(v);
		}
		if (v === null) return "null";
		if (seen.includes(v)) return "[Circular]";
		if (v instanceof Error) return depth ? v.name + ": " + v.message : describe(v);
		if (v instanceof Node) return node(v);
		if (v instanceof Date || v instanceof RegExp) return String(v);
		const name = attempt(() => Object.getPrototypeOf(v) ? v.constructor.name : "[null prototype]") || "Object";
		if (depth >= maxDepth) return Array.isArray(v) ? "[Array]" : "[" + name + "]";
		const below = (x) => show(x, depth + 1, seen.concat([v]));
		const list = (items, n, open, close) => {
			if (n > maxKeys) items.push("… " + (n - maxKeys) + " more");
			return items.length ? open + " " + items.join(", ") + " " + close : open + close;
		};
		const first = (it) => [...it].slice(0, maxKeys);
		if (Array.isArray(v) || ArrayBuffer.isView(v) && "length" in v)
			return (Array.isArray(v) ? "" : name + "(" + v.length + ") ") + list(Array.from({ length: Math.min(v.length, maxKeys) }, (_, i) => i in v ? below(v[i]) : "<empty>"), v.length, "[", "]");
		if (v instanceof Map) return "Map(" + v.size + ") " + list(first(v).map(([k, x]) => below(k) + " => " + below(x)), v.size, "{", "}");
		if (v instanceof Set) return "Set(" + v.size + ") " + list(first(v).map(below), v.size, "{", "}");
		const keys = Object.keys(v);
		const items = keys.slice(0, maxKeys).map((k) => {
			const d = Object.getOwnPropertyDescriptor(v, k) || {};
			return (/^[\w$]+$/.test(k) ? k : JSON.stringify(k)) + ": " + (d.get ? "[Getter]" : below(d.value));
		});
		return (name === "Object" ? "" : name + " ") + list(items, keys.length, "{", "}");
	}

	const node = (v) => v.nodeType === 1
		? "<" + v.localName + (v.id ? "#" + v.id : "") + [...v.classList].slice(0, 4).map((c) => "." + c).join("") + ">"
		: v.nodeName;

	const describe = (e) => e.name + ": " + e.message + (e.cause === undefined ? "" : "\ncaused by " + print(e.cause));
	const print = (v) => { try { return clip(show(v, 0, [])); } catch (e) { return "[unprintable]"; } };

	function format(args) {
		args = [...args];
		let text = "";
		if (typeof args[0] === "string" && args.length > 1) {
			text = args.shift().replace(/%([sdifoOc%])/g, (all, c) => {
				if (c === "%") return "%";
				if (!args.length) return all;
				const a = args.shift();
				if (c === "c") return "";
				if (c === "d" || c === "i") return String(parseInt(print(a), 10));
				if (c === "f") return String(parseFloat(print(a)));
				return print(a);
			});
			if (args.length) text += " ";
		}
		return clip(text + args.map(print).join(" "));
	}

	const place = /((?:https?|blob|wss?):[^\s()]+?):(\d+):(\d+)/;

	// The first position in a stack that is not this script's.
	function caller(stack) {
		for (const line of String(stack || "").split("\n")) {
			const m = place.exec(line);
			if (m && m[1] !== me.src) return local(m[1] + ":" + m[2] + ":" + m[3]);
		}
		return "";
	}

	function log(level, text, source, stack) {
		const now = Date.now();
		if (now - windowStart > period) { windowStart = now; sent = 0; }
		seq++;
		if (sent++ >= maxEntries) { dropped++; return; }
		queue.push({ seq, level, text: clip(local(text)), source: local(source || ""), stack: clip(local(stack || ""), 8000) });
		if (queue.length >= 100) flush();
		else timer ||= later(flush, 60);
	}

	function flush() {
		timer = 0;
		if (dropped) queue.push({ seq, level: "warn", text: dropped + " messages dropped: too many at once", source: "", stack: "" });
		dropped = 0;
		while (queue.length) {
			let size = 0, n = 0;
			while (n < queue.length && (n === 0 || size + JSON.stringify(queue[n]).length < maxBatch)) size += JSON.stringify(queue[n++]).length;
			const body = JSON.stringify({ page, path: local(location.href.replace(/[?#].*/, "")), entries: queue.splice(0, n) });
			attempt(() => nativeFetch(root + "~log", { method: "POST", body, keepalive: body.length < 60000, credentials: opaque ? "omit" : "same-origin", referrerPolicy: "no-referrer" }).catch(() => { }));
		}
	}
	addEventListener("pagehide", flush);

	for (const name of "debug trace log info dir table group groupCollapsed warn error".split(" ")) {
		const level = /debug|trace/.test(name) ? "debug" : /warn|error/.test(name) ? name : "info";
		const original = console[name];
		if (!original) continue;
		console[name] = function (...args) {
			original.apply(console, args);
			if (inside) return;
			inside = true;
			try {
				const err = args.find((a) => a instanceof Error);
				log(level, format(args), caller(new Error().stack), err && err.stack);
			} catch { } finally { inside = false; }
		};
	}
	const assert = console.assert;
	console.assert = function (ok, ...args) {
		assert.call(console, ok, ...args);
		if (!ok && !inside) log("error", "Assertion failed" + (args.length ? ": " + format(args) : ""), caller(new Error().stack));
	};

	const bare = /(?:module specifier|specifier|Module name,) ["'“]([^"'”]+)["'”]/;
	function hint(message) {
		const m = bare.exec(message);
		return m && !/^[./]/.test(m[1])
			? message + "\nThe project has no module " + JSON.stringify(m[1]) + ": add its file, and to the page an import map: {\"imports\":{\"" + m[1] + "\":\"/vendor/" + m[1] + ".js\"}}"
			: message;
	}

	addEventListener("error", (e) => {
		const t = e.target;
		if (t instanceof Element) {
			const url = t.currentSrc || t.src || t.href || "";
			return log("error", "Failed to load " + node(t) + " " + (url.baseVal || url), local(location.pathname));
		}
		log("error", "Uncaught " + hint(e.error instanceof Error ? describe(e.error) : e.message), e.filename ? e.filename + ":" + e.lineno + ":" + e.colno : "", e.error && e.error.stack);
	}, true);
	addEventListener("unhandledrejection", (e) => {
		const r = e.reason;
		log("error", "Unhandled rejection: " + hint(print(r)), caller(r && r.stack), r && r.stack);
	});
	addEventListener("securitypolicyviolation", (e) => {
		const origin = attempt(() => new URL(e.blockedURI).origin);
		const foreign = origin && origin !== "null" && origin !== location.origin;
		log("error", "Blocked by Content-Security-Policy (" + e.effectiveDirective + "): " + e.blockedURI +
			(foreign ? ". App.Connect would have to list " + JSON.stringify(origin) : ""),
			e.sourceFile ? e.sourceFile + ":" + e.lineNumber + ":" + e.columnNumber : "");
	});

	// ---- URLs from the root of the host ----

	// fix returns a URL of the app for one that was meant for the root of its
	// host. Absolute URLs of the host count only where nothing else is in reach.
	function fix(u, absolute = opaque) {
		if (rootPath === "/" || u == null) return u;
		const s = String(u).trim();
		if (s[0] === "/") {
			if (s[1] === "/" || s[1] === "\\" || (s + "/").startsWith(rootPath)) return u;
			return root + s.slice(1);
		}
		if (absolute && /^(https?|wss?):\/\//i.test(s)) {
			const x = attempt(() => new URL(s));
			if (x && x.host === host && !(x.pathname + "/").startsWith(rootPath)) {
				x.pathname = rootPath + x.pathname.slice(1);
				return x.href;
			}
		}
		return u;
	}

	// An opaque origin has no credentials, and asking for them makes the request fail.
	function plain(init) {
		if (!opaque || !init) return init;
		if (init.credentials === "include" || init.mode === "same-origin") {
			init = Object.assign({}, init);
			if (init.credentials === "include") init.credentials = "same-origin";
			if (init.mode === "same-origin") init.mode = "cors";
		}
		return init;
	}

	function construct(name, change) {
		const C = win[name];
		if (C) win[name] = new Proxy(C, { construct: (t, args, self) => Reflect.construct(t, change(args, t), self === win[name] ? t : self) });
		return C;
	}
	const NativeRequest = construct("Request", ([u, init], R) => [u instanceof R ? u : fix(u), plain(init)]);
	construct("WebSocket", ([u, ...rest]) => [fix(u, true), ...rest]);
	construct("EventSource", ([u, init]) => [fix(u), opaque ? undefined : init]);
	for (const name of ["Worker", "SharedWorker"]) construct(name, ([u, o]) => {
		u = new URL(fix(u), document.baseURI);
		// An opaque origin may start no worker from a URL, but may from a blob.
		if (opaque && u.protocol !== "blob:" && u.protocol !== "data:") {
			const href = JSON.stringify(u.href);
			u = URL.createObjectURL(new Blob([o && o.type === "module" ? "import " + href : "importScripts(" + href + ")"], { type: "text/javascript" }));
		}
		return o === undefined ? [u] : [u, o];
	});

	win.fetch = function (input, init) {
		const req = input instanceof NativeRequest;
		const u = req ? input : fix(input);
		const what = () => ((init && init.method || req && input.method || "GET") + "").toUpperCase() + " " + local(req ? input.url : u);
		const from = new Error().stack;
		return nativeFetch(u, plain(init)).then((r) => {
			if (r.status >= 400) log(r.status < 500 ? "warn" : "error", what() + " was answered " + r.status, caller(from));
			return r;
		}, (e) => {
			if (!e || e.name !== "AbortError") log("error", what() + " failed: " + (e && e.message), caller(from));
			throw e;
		});
	};
	const wrap = (object, name, change) => {
		const original = object && object[name];
		if (original) object[name] = function (...args) { return original.apply(this, change.call(this, args)); };
	};
	wrap(XMLHttpRequest.prototype, "open", (a) => { a[1] = fix(a[1]); return a; });
	if (opaque) define(XMLHttpRequest.prototype, "withCredentials", { get: () => false, set() { } });
	wrap(Navigator.prototype, "sendBeacon", (a) => { a[0] = fix(a[0]); return a; });
	wrap(win, "open", (a) => { if (a.length) a[0] = fix(a[0]); return a; });
	for (const name of ["pushState", "replaceState"]) wrap(History.prototype, name, (a) => { if (a.length > 2) a[2] = fix(a[2]); return a; });

	// Whoever frames the app from its own program may show where it is.
	const here = () => win.parent !== win && attempt(() => win.parent.postMessage({ samkit: "path", path: local(location.href) }, new URL(root).origin));
	for (const name of ["pushState", "replaceState"]) {
		const original = History.prototype[name];
		History.prototype[name] = function (...args) { original.apply(this, args); here(); };
	}
	for (const name of ["pageshow", "popstate", "hashchange"]) addEventListener(name, here);
	here();

	// Elements that scripts make.
	const urlAttr = /^(src|href|action|formaction|poster|data|xlink:href)$/;
	const each = (s) => String(s).replace(/(^|,\s+|,(?=\/))(\/\S*)/g, (_, before, u) => before + fix(u));
	const fixAttr = (name, v) => urlAttr.test(name) ? fix(v, false) : name === "srcset" ? each(v) : v;
	wrap(Element.prototype, "setAttribute", function (a) { if (a.length > 1) a[1] = fixAttr(String(a[0]).toLowerCase(), a[1]); return a; });
	for (const tag of "Image Script Link Anchor Area Media Video Source Track IFrame Embed Object Form Input Button".split(" "))
		for (const name of "src srcset href poster data action formAction".split(" ")) {
			const proto = (win["HTML" + tag + "Element"] || Date).prototype;
			const d = Object.getOwnPropertyDescriptor(proto, name);
			if (d && d.set) define(proto, name, {
				...d, set(v) {
					if (tag === "Script" && opaque && this.crossOrigin === null && new URL(fix(v), document.baseURI).href.startsWith(root)) this.crossOrigin = "";
					d.set.call(this, fixAttr(name.toLowerCase(), v));
				}
			});
		}
	// Elements that come as markup: repaired as soon as they stand, and again when used.
	const markup = ["src", "href", "action", "formaction", "poster", "srcset"];
	function repair(e) {
		for (const name of markup) {
			const v = e.getAttribute && e.getAttribute(name);
			if (v && fixAttr(name, v) !== v) e.setAttribute(name, v);
		}
	}
	if (rootPath !== "/") {
		const selector = markup.map((n) => "[" + n + "*='/']").join();
		new MutationObserver((records) => {
			for (const r of records) for (const n of r.addedNodes) if (n.nodeType === 1) {
				if (n.matches(selector)) repair(n);
				n.querySelectorAll(selector).forEach(repair);
			}
		}).observe(document, { childList: true, subtree: true });
		addEventListener("click", (e) => { const a = e.target.closest && e.target.closest("a,area,button,input"); if (a) repair(a); }, true);
		addEventListener("submit", (e) => repair(e.target), true);
		wrap(HTMLFormElement.prototype, "submit", function (a) { repair(this); return a; });
	}

	// ---- storage, where the origin has none ----

	// What an app stores is in the memory of its page and, if there is a place for it,
	// there too: on the server if sam.json says so, or with the page that frames it
	// (~frame/), which gives the frame its state as a name. Either way the state is at
	// hand before the page's first script.
	const stored = "samkit.storage:";
	const parse = (s) => attempt(() => JSON.parse(s));
	const onServer = parse(me.getAttribute("data-storage"));
	const nameOf = opaque && win.parent !== win && Object.getOwnPropertyDescriptor(win, "name");
	const inName = nameOf && String(win.name).startsWith(stored) && parse(win.name.slice(stored.length));
	let changes = null, told = 0;

	function memory(items, max, changed) {
		const m = new Map(items);
		let size = 0;
		m.forEach((v, k) => size += k.length + v.length);
		const api = {
			getItem: (k) => m.get(`${k}`) ?? null,
			setItem(k, v) {
				k = `${k}`; v = `${v}`;
				const n = size + v.length - (m.has(k) ? m.get(k).length : -k.length);
				if (n > max) throw new DOMException("An app may store " + max + " characters.", "QuotaExceededError");
				size = n;
				m.set(k, v);
				changed(k, v);
			},
			removeItem(k) {
				k = `${k}`;
				if (!m.has(k)) return;
				size -= k.length + m.get(k).length;
				m.delete(k);
				changed(k, null);
			},
			clear() { m.clear(); size = 0; changed(null); },
			key: (i) => [...m.keys()][i] ?? null,
			get length() { return m.size; },
		};
		const own = (k) => typeof k === "string" && m.has(k);
		return [m, new Proxy(api, {
			get: (t, k) => k in t ? t[k] : m.get(k),
			set: (t, k, v) => !api.setItem(k, v),
			has: (t, k) => k in t || own(k),
			deleteProperty: (t, k) => !api.removeItem(k),
			ownKeys: () => [...m.keys()],
			getOwnPropertyDescriptor: (t, k) => own(k) ? { value: m.get(k), enumerable: true, configurable: true, writable: true } : undefined,
		})];
	}
	const [kept, local_] = memory((onServer || inName || 0).items, (onServer || inName || { max: 5 << 20 }).max, (k, v) => {
		if (!onServer && !inName) return;
		if (!changes) onServer && Date.now() - told < 100 ? later(tell, 100) : queueMicrotask(tell);
		changes ||= { clear: false, items: new Map() };
		if (k === null) changes = { clear: true, items: new Map() };
		else changes.items.set(k, v);
	});
	const [tabs, session_] = memory((inName || 0).session, 5 << 20, () => inName && rename());
	const rename = () => nameOf.set.call(win, stored + JSON.stringify({ max: inName.max, items: [...kept], session: [...tabs] }));

	function tell() {
		if (!changes) return;
		const now = { clear: changes.clear, items: [...changes.items] };
		changes = null;
		told = Date.now();
		if (!onServer) {
			rename();
			return win.parent.postMessage({ samkit: "storage", ...now }, "*");
		}
		const body = JSON.stringify(now);
		const lost = (why) => log("error", "What the page stored is not kept: " + why);
		nativeFetch(root + "~storage", { method: "POST", body, keepalive: body.length < 60000, credentials: opaque ? "omit" : "same-origin" })
			.then((r) => r.ok || r.json().then((e) => lost(e.message)), (e) => lost(e.message));
	}
	if (onServer || inName) addEventListener("pagehide", tell);
	if (inName) {
		let shown = "";
		define(win, "name", { get: () => shown, set(v) { shown = `${v}`; }, enumerable: true });
		addEventListener("message", (e) => {
			const d = e.data;
			if (e.source !== win.parent || !d || d.samkit !== "storage") return;
			e.stopImmediatePropagation();
			if (d.clear) kept.clear();
			for (const [key, newValue] of d.items) {
				const oldValue = kept.get(key) ?? null;
				newValue === null ? kept.delete(key) : kept.set(key, newValue);
				dispatchEvent(new StorageEvent("storage", { key, oldValue, newValue, url: location.href }));
			}
			rename();
		});
	}
	for (const [name, value] of [["localStorage", local_], ["sessionStorage", session_]])
		if (!attempt(() => (win[name].length, true)) || onServer && name === "localStorage") define(win, name, { value, enumerable: true });
	try { document.cookie; } catch {
		const jar = new Map();
		define(document, "cookie", {
			get: () => [...jar].map(([k, v]) => k + "=" + v).join("; "),
			set(v) {
				const [pair, ...rest] = String(v).split(";"), i = pair.indexOf("=");
				const k = pair.slice(0, Math.max(i, 0)).trim();
				if (rest.some((a) => /^\s*max-age\s*=\s*(0|-)/i.test(a) || /^\s*expires\s*=/i.test(a) && Date.parse(a.split("=")[1]) < Date.now())) jar.delete(k);
				else jar.set(k, pair.slice(i + 1).trim());
			},
		});
	}

	// ---- what the server says ----

	const failures = new Map();
	function overlay() {
		const id = "samkit-overlay";
		let box = document.getElementById(id);
		if (!failures.size) return box && box.remove();
		if (!box) {
			box = document.createElement("pre");
			box.id = id;
			box.style.cssText = "all:initial;position:fixed;inset:auto 12px 12px;max-height:60vh;overflow:auto;background:#4c1020;color:#fff;font:13px monospace;padding:12px;white-space:pre-wrap;z-index:2147483647";
			box.onclick = () => box.remove();
			(document.body || document.documentElement).append(box);
		}
		box.textContent = [...failures.values()].join("\n\n");
	}
	function fail(e) {
		failures.set(e.file + ":" + e.line, (e.file ? e.file + (e.line ? ":" + e.line + ":" + e.column : "") + ": " : "") + e.text + (e.lineText ? "\n    " + e.lineText : ""));
		overlay();
	}
	define(win, "__samkit", { value: { fail: (errors) => errors.forEach(fail) } });

	function swap(files) {
		let found = 0;
		for (const l of document.querySelectorAll("link[rel~=stylesheet]")) {
			const u = new URL(l.href);
			if (!files.includes(local(u.origin + decodeURI(u.pathname)))) continue;
			found++;
			u.searchParams.set("~", Date.now());
			const fresh = l.cloneNode();
			fresh.href = u.href;
			fresh.onload = fresh.onerror = () => l.remove();
			l.after(fresh);
		}
		return found === files.length;
	}
	let stream;
	function follow() {
		stream = new NativeEvents(root + "~events?v=" + me.getAttribute("data-v"));
		stream.addEventListener("reload", () => location.reload());
		stream.addEventListener("css", (e) => { if (!swap(JSON.parse(e.data))) location.reload(); });
		stream.addEventListener("fail", (e) => JSON.parse(e.data).forEach(fail));
		// An answer that is no stream ends an EventSource for good: look again later.
		stream.onerror = () => { if (stream.readyState === 2) later(follow, 5000); };
	}
	// A page that waits to be shown again must not hold a connection.
	addEventListener("pagehide", () => stream && stream.close());
	addEventListener("pageshow", (e) => { if (e.persisted) follow(); });
	if (NativeEvents) follow();
})();
