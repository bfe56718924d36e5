// Writes what Node answers to cases.json: for each the places of the match and of its groups.
import { readFileSync } from "node:fs"
const plain = s => s.replace(/~([0-9a-f]{4})~/g, (_, h) => String.fromCharCode(parseInt(h, 16)))
for (const [pattern, flags, text] of JSON.parse(readFileSync(new URL("cases.json", import.meta.url), "utf8"))) {
	let answer
	try {
		const m = new RegExp(plain(pattern), flags.includes("d") ? flags : flags + "d").exec(plain(text))
		answer = m ? m.indices.map(i => i ? i.join(" ") : "-").join(" ") : ""
	} catch { answer = "SyntaxError" }
	console.log(answer)
}
