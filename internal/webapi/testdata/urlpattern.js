const fields = ["protocol", "username", "password", "hostname", "port", "pathname", "search", "hash"];
function show(make, inputs) {
  let p;
  try { p = make() } catch (e) { return e.name }
  const out = [fields.map(f => p[f]).join(" ") + (p.hasRegExpGroups ? " R" : "")];
  for (const i of inputs) {
    let m;
    try { m = p.exec(i) } catch (e) { m = e.name }
    if (!m || typeof m === "string") { out.push(String(m)); continue }
    if (!p.test(i)) out.push("test differs");
    out.push(fields.filter(f => p[f] !== "*").map(f => m[f].input + Object.entries(m[f].groups).sort((a, b) => a[0] < b[0] ? -1 : 1).map(([k, v]) => " " + k + "=" + v).join("")).join("; "));
  }
  return out.join(" | ");
}
