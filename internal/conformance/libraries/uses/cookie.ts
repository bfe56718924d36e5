// cookie
// Cookie headers parsed and written with all their attributes; what is refused.
import { parseCookie, stringifySetCookie, stringifyCookie, parseSetCookie } from "cookie";

export default {
  fetch(request: Request) {
    const attempt = (f: () => unknown) => { try { return f(); } catch (e) { return [(e as Error).name, (e as Error).message]; } };
    return new Response(JSON.stringify({ parsed: [parseCookie('a=1; b="q"; c=%20%C3%BC; d=%ZZ; a=2; =x; e'), parseCookie("a=%41", { decode: (s) => s })], written: [stringifySetCookie("n", "v ü;", { maxAge: 60, domain: "e.com", path: "/p", expires: new Date(0), httpOnly: true, secure: true, partitioned: true, priority: "high", sameSite: "strict" }), stringifySetCookie("n", "x", { encode: (s) => s + s, sameSite: true })], all: stringifyCookie({ a: "1", b: "ü", c: undefined }), set: parseSetCookie("sid=1; Max-Age=5; Path=/; Secure; SameSite=Lax; HttpOnly"), bad: [attempt(() => stringifySetCookie("n\n", "v")), attempt(() => stringifySetCookie("n", "v", { maxAge: 1.5 })), attempt(() => stringifySetCookie("n", "v", { path: "/\n" })), attempt(() => stringifySetCookie("n", "v", { expires: new Date(NaN) }))] }), { headers: { "content-type": "application/json" } });
  },
};
