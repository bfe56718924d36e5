const fileURLToPath = u => { u = new URL(u); if (u.protocol !== "file:") throw Object.assign(new TypeError("The URL must be of scheme file"), { code: "ERR_INVALID_URL_SCHEME" }); return decodeURIComponent(u.pathname) }
const pathToFileURL = p => new URL("file://" + require("node:path").resolve(p).split("/").map(encodeURIComponent).join("/"))
const parse = (text, query) => {
	const full = /^[a-z][a-z0-9+.-]*:/i.test(text)
	const u = new URL(text, "relative://x/")
	return { href: full ? u.href : text, protocol: full ? u.protocol : null, slashes: full && text.includes("//") || null, auth: u.username ? u.username + (u.password ? ":" + u.password : "") : null, host: full ? u.host : null, port: u.port || null, hostname: full ? u.hostname : null,
		hash: u.hash || null, search: u.search || null, query: query ? Object.fromEntries(u.searchParams) : u.search.slice(1) || null, pathname: u.pathname || null, path: u.pathname + u.search || null }
}
const format = u => typeof u === "string" ? u : u instanceof URL ? u.href : (u.protocol ? u.protocol.replace(/:?$/, ":") + (u.slashes !== false ? "//" : "") : "") + (u.auth ? u.auth + "@" : "") + (u.host ?? (u.hostname ?? "") + (u.port ? ":" + u.port : "")) + (u.pathname ?? "") + (u.search ?? (u.query && typeof u.query === "object" ? "?" + new URLSearchParams(u.query) : "")) + (u.hash ?? "")
const resolve = (from, to) => { const base = new URL(from, "resolve://x/"); const u = new URL(to, base); return u.protocol === "resolve:" ? u.pathname + u.search + u.hash : u.href }
module.exports = { URL, URLSearchParams, fileURLToPath, pathToFileURL, parse, format, resolve, domainToASCII: d => { try { return new URL("http://" + d).hostname } catch { return "" } }, domainToUnicode: d => d, urlToHttpOptions: u => ({ protocol: u.protocol, hostname: u.hostname, hash: u.hash, search: u.search, pathname: u.pathname, path: u.pathname + u.search, href: u.href, port: u.port ? Number(u.port) : undefined }) }
