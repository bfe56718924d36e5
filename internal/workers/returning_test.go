package workers

import (
	"testing"

	"samkit.dev/sqlshim"
)

// TestReturning reads rows of statements that write, in each way there is.
func TestReturning(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		db, err := sqlshim.Open(t.Context(), project(t).State(), "DB", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		a := app(t, `export default { async fetch(request, { DB }) {
			await DB.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)")
			const q = n => DB.prepare("INSERT INTO t (name) VALUES (?) RETURNING id, name").bind(n)
			return Response.json([(await q("a").all()).results, await q("b").first(), await q("c").raw(), await q("d").raw({ columnNames: true }),
				(await DB.batch([q("e")]))[0].results, await DB.prepare("DELETE FROM t WHERE id > 9 RETURNING id").raw(), await DB.prepare("UPDATE t SET name = 'x' WHERE id = 1").raw()])
		} }`, Binding{Name: "DB", DB: db})
		want := `[[{"id":1,"name":"a"}],{"id":2,"name":"b"},[[3,"c"]],[["id","name"],[4,"d"]],[{"id":5,"name":"e"}],[],[]]`
		if _, body := get(t, p, a, "/"); body != want {
			t.Fatalf("got  %s\nwant %s", body, want)
		}
	})
}
