// What an app does, and what a browser tells it.
fetch("/api/x", { credentials: "include" }); fetch("http://h.test/api/y"); fetch("/p/api/z"); fetch("rel"); fetch("//other/x");
fetch(new Request("/api/r")); fetch("https://else.test/x");
new WebSocket("ws://h.test/api/ws"); new EventSource("/api/s"); new XMLHttpRequest().open("GET", "/api/q"); new Navigator().sendBeacon("/api/b");
open("/page"); new History().pushState(0, "", "/route"); new Worker("w.js"); new Worker("/m.js", { type: "module" });
const image = new HTMLImageElement(); image.src = "/a.png"; image.setAttribute("srcset", "/a.png 1x, /b.png 2x");
net.push("img " + image.attrs.src + " " + image.attrs.srcset);
const script = new HTMLScriptElement(); script.src = "/s.js"; net.push("script " + script.attrs.src + " " + JSON.stringify(script.crossOrigin));
const form = new HTMLFormElement({ action: "/api/f" }); form.submit();
const late = new HTMLAnchorElement({ href: "/late" }); mutated([late]); net.push("a " + late.attrs.href);
localStorage.setItem("a", 1); localStorage.b = 2; document.cookie = "x=1; path=/"; document.cookie = "y=2"; document.cookie = "y=; max-age=0";
net.push(JSON.stringify([localStorage.getItem("a"), localStorage.b, Object.keys(localStorage), localStorage.length, "a" in localStorage, localStorage.getItem("no"), document.cookie]));
console.log("n %d %s", 5, "x", { a: [1, { b: new Map([[1, 2]]) }], get d() { return 1 } });
const circle = {}; circle.c = circle; console.error(circle, "text"); console.assert(false, "wrong");
console.warn({ get toString() { throw 1 }, [Symbol.toPrimitive]() { throw 2 } });
fire("error", { message: "x", filename: "http://h.test/p/app.js", lineno: 3, colno: 4, error: new TypeError('Failed to resolve module specifier "react". Relative') });
fire("unhandledrejection", { reason: new Error("rejected") });
fire("securitypolicyviolation", { effectiveDirective: "script-src", blockedURI: "https://cdn.test/a.js", sourceFile: "" });
fire("error", { target: new HTMLImageElement({ src: "/none.png" }) });
fetch("/api/missing"); fetch("/api/down").catch(() => 0);
stream.on.reload();
fire("pagehide", {});
export default {
	async fetch() {
		for (let i = 0; i < 20; i++) await null;
		runTimers();
		return Response.json({ net, logs });
	},
};
