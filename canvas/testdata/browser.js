// As much of a browser as client.js needs, in an opaque origin below /p/. What
// reaches the network is kept in net.
globalThis.window = globalThis;
window.net = [];
window.listeners = {};
window.cookieError = () => { throw new Error("SecurityError") };
window.Node = class Node { get nodeType() { return 1 } }
window.Element = class Element extends Node {
	constructor(name, attrs) { super(); this.localName = name; this.attrs = attrs || {}; this.classList = []; this.style = {}; this.id = "" }
	getAttribute(n) { return this.attrs[n] ?? null }
	hasAttribute(n) { return n in this.attrs }
	setAttribute(n, v) { this.attrs[n] = String(v) }
	matches() { return "/" === String(this.attrs.src || this.attrs.href || this.attrs.action || "")[0] }
	querySelectorAll() { return [] }
	closest() { return this }
	append() { } remove() { }
}
function element(tag, props) {
	const C = class extends Element { constructor(attrs) { super(tag.toLowerCase(), attrs) } };
	for (const p of props) Object.defineProperty(C.prototype, p, { configurable: true, get() { return this.attrs[p] }, set(v) { this.attrs[p] = String(v) } });
	window["HTML" + tag + "Element"] = C;
	return C;
}
element("Image", ["src", "srcset"]); element("Script", ["src"]); element("Link", ["href"]); element("Anchor", ["href"]); element("Form", ["action"]);
HTMLFormElement.prototype.submit = function () { net.push("submit " + this.attrs.action) };
HTMLScriptElement.prototype.crossOrigin = null;
window.location = { host: "h.test", href: "http://h.test/p/docs/page.html?q#f", origin: "http://h.test", pathname: "/p/docs/page.html", reload() { net.push("reload") } };
window.document = {
	currentScript: Object.assign(new HTMLScriptElement({ "data-opaque": "", "data-v": "rev1" }), {}), baseURI: location.href,
	getElementById() { return null }, createElement: (n) => new Element(n), querySelectorAll: () => [], body: new Element("body"), documentElement: new Element("html"),
};
document.currentScript.attrs.src = "http://h.test/p/~client-1.js";
Object.defineProperty(document, "cookie", { configurable: true, get: cookieError, set: cookieError });
for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { configurable: true, get: cookieError });
window.addEventListener = (kind, fn) => { (listeners[kind] ||= []).push(fn) };
window.fire = (kind, e) => { for (const fn of listeners[kind] || []) fn(e) };
window.MutationObserver = class MutationObserver { constructor(fn) { window.mutated = (nodes) => fn([{ addedNodes: nodes }]) } observe() { } }
window.History = class History { pushState(a, b, u) { net.push("push " + u) } replaceState(a, b, u) { net.push("replace " + u) } }
window.Navigator = class Navigator { sendBeacon(u) { net.push("beacon " + u) } }
window.XMLHttpRequest = class XMLHttpRequest { open(m, u) { net.push("xhr " + m + " " + u) } }
window.Request = class Request { constructor(u, o) { this.url = String(u.url || u); this.method = (o && o.method) || "GET"; this.credentials = o && o.credentials } }
window.WebSocket = class WebSocket { constructor(u) { net.push("ws " + u) } }
window.EventSource = class EventSource { constructor(u) { net.push("events " + u); this.on = {}; window.stream ||= this } addEventListener(k, fn) { this.on[k] = fn } close() { net.push("closed") } }
window.Worker = class Worker { constructor(u) { net.push("worker " + u) } }
window.Blob = class Blob { constructor(parts) { this.text = parts.join("") } }
URL.createObjectURL = (b) => "blob:" + b.text;
window.timers = [];
window.setTimeout = (fn) => { timers.push(fn); return timers.length };
window.runTimers = () => { const list = timers; window.timers = []; list.forEach((fn) => fn()) };
window.logs = [];
window.fetch = (u, o) => {
	const url = String(u.url || u);
	if (url.endsWith("~log")) { logs.push(...JSON.parse(o.body).entries); return Promise.resolve({ status: 204 }) }
	net.push("fetch " + url + (o && o.credentials ? " " + o.credentials : ""));
	return url.includes("down") ? Promise.reject(new TypeError("Failed to fetch")) : Promise.resolve({ status: url.includes("missing") ? 404 : 200 });
};
window.open = (u) => { net.push("open " + u) };
window.console = {};
for (const n of ["debug", "trace", "log", "info", "dir", "table", "group", "groupCollapsed", "warn", "error", "assert"]) console[n] = () => { };
