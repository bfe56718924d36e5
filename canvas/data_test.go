package canvas

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"testing"

	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

// TestDataOfARunningApp reads and writes what an app works with, without either losing anything.
func TestDataOfARunningApp(t *testing.T) {
	r := serveApp(t, sam.Files{
		"wrangler.toml":     "main = 'functions.js'\nkv_namespaces = [{ binding = 'CACHE', id = 'c' }]\nd1_databases = [{ binding = 'NOTES', database_id = 'n' }]\n",
		"migrations/1.sql":  "CREATE TABLE t (x)",
		"public/index.html": "hi",
		"functions.js": `export default { async fetch(request, env) {
			const { results } = await env.NOTES.prepare("INSERT INTO t VALUES (1) RETURNING (SELECT count(*) FROM t) AS n").all()
			return new Response(results[0].n)
		} }`,
	}, nil)
	d, err := r.Data(t.Context(), Visitor{}, r.project.ID())
	if err != nil {
		t.Fatal(err)
	}
	if d.KV["KV"] == nil || d.KV["CACHE"] == nil || len(d.KV) != 2 || fmt.Sprint(d.DB) != "[DB NOTES]" {
		t.Errorf("data %v %v", d.KV, d.DB)
	}
	count := func(db *sqlshim.DB) (n int64, err error) {
		res, err := db.Query(t.Context(), "SELECT count(*) FROM t")
		if err != nil {
			return 0, err
		}
		return res.Rows[0][0].(int64), nil
	}
	insert := func(db *sqlshim.DB) error {
		_, err := db.Query(t.Context(), "INSERT INTO t VALUES (2)")
		return err
	}
	// Nobody has opened it yet: a write does, with the migrations.
	if err := d.Write(t.Context(), "NOTES", insert); err != nil {
		t.Fatal(err)
	}
	for want := range int64(4) {
		want = 2 * (want + 1)
		if res := r.do(http.MethodGet, "/p/api/", ""); res.Code != 200 {
			t.Fatalf("%d %s", res.Code, res.Body)
		}
		var n int64
		if err := d.Read(t.Context(), "NOTES", sqlshim.Options{}, func(db *sqlshim.DB) (err error) { n, err = count(db); return }); err != nil || n != want {
			t.Errorf("read %d, %v, want %d", n, err, want)
		}
		if err := d.Write(t.Context(), "NOTES", insert); err != nil {
			t.Fatal(err)
		}
	}
	var readonly *sqlshim.Error
	if err := d.Read(t.Context(), "NOTES", sqlshim.Options{}, insert); !errors.As(err, &readonly) || readonly.Code != "SQLITE_READONLY" {
		t.Errorf("a write by Read: %v", err)
	}
	// What the app writes meanwhile makes Read begin again.
	tries := 0
	err = d.Read(t.Context(), "NOTES", sqlshim.Options{}, func(db *sqlshim.DB) error {
		if tries++; tries == 1 {
			if err := d.Write(t.Context(), "NOTES", insert); err != nil {
				return err
			}
		}
		_, err := count(db)
		return err
	})
	if err != nil || tries != 2 {
		t.Errorf("%d tries, %v", tries, err)
	}
	for _, err := range []error{d.Read(t.Context(), "none", sqlshim.Options{}, insert), d.Write(t.Context(), "none", insert)} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a database that there is not: %v", err)
		}
	}
	r.Close()
	if err := d.Write(t.Context(), "NOTES", insert); err == nil {
		t.Error("wrote after Close")
	}
}
