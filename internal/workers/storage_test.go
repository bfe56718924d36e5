package workers

import (
	"testing"
	"time"

	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

// storage are the bindings KV and DB of a project with little room.
func storage(t *testing.T) []Binding {
	t.Helper()
	p, err := sam.NewWorkspace(sam.NewMemStore(), "o", &sam.Options{Limits: sam.Limits{KVKeys: 150, KVBytes: 1 << 20}}).Create(t.Context(), "p", nil)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlshim.Open(t.Context(), p.State(), "DB", &sqlshim.Options{MaxBytes: 1 << 20, MaxResult: 100_000, MaxMemory: 8 << 20, Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return []Binding{{Name: "KV", KV: kv.New(p.State(), "KV")}, {Name: "DB", DB: db}}
}

func TestSession(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { async fetch(request, { DB }) {
			const out = []
			await DB.exec("CREATE TABLE IF NOT EXISTS t (v)")
			const s = DB.withSession()
			out.push(s.constructor.name, s.getBookmark(), typeof DB.getBookmark)
			await s.prepare("INSERT INTO t VALUES (?)").bind("a").run()
			const one = s.getBookmark()
			out.push(/^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/.test(one))
			await new Promise(r => setTimeout(r, 2))
			out.push((await s.batch([s.prepare("SELECT v FROM t"), DB.prepare("SELECT 1 n")])).map(r => r.results))
			out.push(s.getBookmark() > one)
			const later = DB.withSession(" " + one + " ")
			out.push(later.getBookmark() === one, await later.prepare("SELECT v FROM t").first("v"), later.getBookmark() > one)
			const far = DB.withSession("zz")
			await far.prepare("SELECT 1").raw()
			out.push(far.getBookmark())
			for (const c of ["first-primary", "first-unconstrained", "", null, undefined]) out.push(DB.withSession(c).getBookmark())
			const failing = DB.withSession()
			await failing.prepare("SELECT nope").run().catch(() => {})
			out.push(failing.getBookmark())
			for (const f of [() => DB.withSession(5), () => s.prepare.call({}, "SELECT 1")]) try { f(); out.push("no error") } catch (e) { out.push(e.name) }
			return Response.json(out)
		} }`, storage(t)...)
		_, body := get(t, p, a, "/")
		want := `["D1DatabaseSession",null,"undefined",true,[[{"v":"a"}],[{"n":1}]],true,true,"a",true,"zz",null,null,null,null,null,null,"TypeError","TypeError"]`
		if body != want {
			t.Errorf("got  %s\nwant %s", body, want)
		}
	})
}

// TestLimitCodes passes each limit of storage and goes on.
func TestLimitCodes(t *testing.T) {
	eachLevel(t, Options{Limits: Limits{RowsRead: 50_000, RowsWritten: 2000}}, func(t *testing.T, p *Pool) {
		const numbers = `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 1000) SELECT `
		a := app(t, `export default { async fetch(request, { DB, KV }) {
			const out = {}, q = new URL(request.url).pathname.slice(1)
			const code = async f => { try { await f(); return "none" } catch (e) { return e.code ?? e.message } }
			await DB.exec("CREATE TABLE IF NOT EXISTS t (v)")
			const attempts = {
				result: () => DB.prepare("SELECT hex(randomblob(80000))").all(),
				time: () => DB.prepare("WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c").all(),
				memory: () => DB.prepare("WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(DISTINCT randomblob(100000)) FROM c").all(),
				bytes: () => DB.prepare("INSERT INTO t `+numbers+`randomblob(2000) FROM c").run(),
				written: () => DB.batch(Array.from({ length: 3 }, () => DB.prepare("INSERT INTO t `+numbers+`i FROM c"))),
				read: async () => { await DB.prepare("INSERT INTO t `+numbers+`i FROM c").run(); await DB.prepare("SELECT count(*) FROM t a, t b WHERE a.v > b.v").all() },
				value: () => KV.put("k", new Uint8Array(2 << 20)),
				keys: async () => { for (let i = 0; i < 200; i++) await KV.put("k" + i, "v") },
			}
			const got = await code(attempts[q])
			return Response.json([got, (await DB.prepare("SELECT 1 AS n").first().catch(e => e)).n ?? "refused"])
		} }`, storage(t)...)
		for name, want := range map[string]string{
			"result": `["limit_db_result",1]`, "time": `["limit_db_time",1]`, "memory": `["limit_db_memory",1]`, "bytes": `["limit_db_bytes",1]`,
			"written": `["limit_rows_written","refused"]`, "read": `["limit_rows_read","refused"]`,
			"value": `["limit_kv_bytes",1]`, "keys": `["limit_kv_keys",1]`,
		} {
			if _, body := get(t, p, a, "/"+name); body != want {
				t.Errorf("%s: %s, want %s", name, body, want)
			}
		}
	})
}

func TestKeys(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { async fetch(request, { KV }) {
			const names = Array.from({ length: 120 }, (_, i) => "k" + i), out = []
			for (const n of names) await KV.put(n, "v", { metadata: { n } })
			out.push(await KV.delete(names.slice(0, 100)), (await KV.list()).keys.length)
			for (const list of [names, [], ["k119", ""]]) out.push(await KV.delete(list).catch(e => e.message))
			for (const k of ["\ud800", "a\udfff"]) for (const f of ["put", "get", "delete"]) out.push((await KV[f](k, f === "put" ? "v" : undefined).catch(e => e.message)) === "KV " + f.toUpperCase() + " failed: 400 Could not URL-decode key name")
			await KV.put("\ufffd\ud83d\ude00", "v")
			out.push(await KV.get("\ufffd\ud83d\ude00"))
			await KV.delete("\ufffd\ud83d\ude00")
			out.push((await KV.list({ limit: 5 })).keys.length, (await KV.list()).keys.length)
			return Response.json(out)
		} }`, storage(t)...)
		_, body := get(t, p, a, "/")
		if want := `[null,20,"KV DELETE failed: 400 You can delete 1 to 100 keys at once","KV DELETE failed: 400 You can delete 1 to 100 keys at once","Key name cannot be empty.",true,true,true,true,true,true,"v",5,20]`; body != want {
			t.Errorf("got  %s\nwant %s", body, want)
		}
	})
}

func TestDumpAndModules(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { async fetch(request, { DB }) {
			const out = []
			await DB.exec("CREATE VIRTUAL TABLE f USING fts5(x)\nCREATE VIRTUAL TABLE v USING fts5vocab(f, 'row')\nCREATE VIRTUAL TABLE r USING rtree(id, x0, x1)\nCREATE VIRTUAL TABLE i USING rtree_i32(id, x0, x1)")
			await DB.batch([DB.prepare("INSERT INTO f VALUES (?)").bind("to be or not to be"), DB.prepare("INSERT INTO r VALUES (1, 0, 10)"), DB.prepare("INSERT INTO i VALUES (1, 0, 10)")])
			out.push(await DB.prepare("SELECT snippet(f, 0, '<', '>', '', 3) s, bm25(f) < 0 b FROM f WHERE f MATCH 'or'").first())
			out.push(await DB.prepare("SELECT term, cnt FROM v ORDER BY term").raw())
			out.push(await DB.prepare("SELECT id FROM r WHERE x0 <= 5 AND x1 >= 5").raw(), await DB.prepare("SELECT id FROM i WHERE x0 > 5").raw())
			const image = await DB.dump()
			out.push(image.constructor.name, new TextDecoder().decode(image.slice(0, 15)), image.byteLength === (await DB.prepare("SELECT 1").all()).meta.size_after)
			return Response.json(out)
		} }`, storage(t)...)
		_, body := get(t, p, a, "/")
		want := `[{"s":"to be <or>","b":1},[["be",2],["not",1],["or",1],["to",2]],[[1]],[],"ArrayBuffer","SQLite format 3",true]`
		if body != want {
			t.Errorf("got  %s\nwant %s", body, want)
		}
	})
}
