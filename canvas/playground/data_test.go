package playground

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"samkit.dev/host"
	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

func value(id, key string) string {
	return "api/projects/" + id + "/kv/value?ns=KV&key=" + url.QueryEscape(key)
}

func TestKV(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	var names dataReply
	s.ask("GET", "api/projects/p/data", nil, 200, &names)
	if fmt.Sprint(names) != "{[KV] [DB]}" {
		t.Errorf("data %v", names)
	}
	soon := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	s.ask("PUT", value("p", "ä/ b"), kvPut{Text: true, Data: `{"a":1}`, Metadata: `{"by":"you"}`, Expires: &soon, New: true}, 204, nil)
	s.ask("PUT", value("p", "ä/ b"), kvPut{Text: true, Data: "x", New: true}, 409, nil)
	s.ask("PUT", value("p", "bin"), kvPut{Data: "AAEC"}, 204, nil)
	s.ask("PUT", value("p", "bin2"), kvPut{Data: "not base64!"}, 400, nil)
	s.ask("PUT", value("p", "m"), kvPut{Text: true, Metadata: "{"}, 400, nil)
	past := time.Now().Add(-time.Hour)
	s.ask("PUT", value("p", "m"), kvPut{Text: true, Expires: &past}, 400, nil)
	s.ask("PUT", value("p", ".."), kvPut{Text: true, Data: "x"}, 400, nil)
	s.ask("PUT", "api/projects/p/kv/value?ns=OTHER&key=a", kvPut{Text: true}, 404, nil)
	if err := kv.New(s.project("p").State(), "KV").Put(t.Context(), kv.Entry{Key: "long", Value: bytes.Repeat([]byte("ab"), kvShown)}); err != nil {
		t.Fatal(err)
	}

	var list kvReply
	s.ask("GET", "api/projects/p/kv?ns=KV", nil, 200, &list)
	got, err := json.Marshal(list.Entries)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"key":"bin","size":3,"preview":"000102","text":false,"metadata":""},{"key":"long","size":2097152,"preview":"` + strings.Repeat("ab", 100) + `","text":true,"metadata":""},` +
		`{"key":"ä/ b","size":7,"preview":"{\"a\":1}","text":true,"metadata":"{\"by\":\"you\"}","expires":"` + soon.Format(time.RFC3339) + `"}]`
	if string(got) != want || list.Next != "" {
		t.Errorf("list %s\nwant %s", got, want)
	}
	var v kvValue
	s.ask("GET", value("p", "ä/ b"), nil, 200, &v)
	if v.Data != `{"a":1}` || !v.Text || !v.Whole || v.Metadata != `{"by":"you"}` || v.Expires == nil || !v.Expires.Equal(soon) {
		t.Errorf("value %+v", v)
	}
	s.ask("GET", value("p", "bin"), nil, 200, &v)
	if v.Data != "AAEC" || v.Text || v.Size != 3 {
		t.Errorf("value %+v", v)
	}
	s.ask("GET", value("p", "long"), nil, 200, &v)
	if v.Whole || len(v.Data) != kvHead || v.Size != 2*kvShown {
		t.Errorf("a long value: %d bytes, whole %v", len(v.Data), v.Whole)
	}
	s.ask("DELETE", value("p", "bin"), nil, 204, nil)
	s.ask("GET", value("p", "bin"), nil, 404, nil)

	for i := range kvPage + 2 {
		s.ask("PUT", value("p", fmt.Sprintf("n:%03d", i)), kvPut{Text: true, Data: "x"}, 204, nil)
	}
	s.ask("GET", "api/projects/p/kv?ns=KV&prefix=n:", nil, 200, &list)
	if len(list.Entries) != kvPage || list.Next == "" {
		t.Fatalf("a page of %d, then %q", len(list.Entries), list.Next)
	}
	s.ask("GET", "api/projects/p/kv?ns=KV&prefix=n:&cursor="+url.QueryEscape(list.Next), nil, 200, &list)
	if len(list.Entries) != 2 || list.Entries[0].Key != fmt.Sprintf("n:%03d", kvPage) || list.Next != "" {
		t.Errorf("the last page is %+v", list)
	}
	s.login("bob")
	s.ask("GET", "api/projects/p/kv?ns=KV", nil, 404, nil)
	s.ask("PUT", value("p", "x"), kvPut{Text: true, Data: "x"}, 404, nil)
}

const dbPath = "api/projects/p/db"

// sqlFailure sends a statement that fails and returns the message and SQLite's code.
func (s *site) sqlFailure(req queryRequest, status int) (string, string) {
	s.t.Helper()
	var e host.Error
	s.ask("POST", dbPath, req, status, &e)
	var d sqlDetails
	if len(e.Details) > 0 {
		if err := json.Unmarshal(e.Details, &d); err != nil {
			s.t.Fatal(err)
		}
	}
	return e.Message, d.SQLite
}

func TestDB(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	var res queryReply
	for _, sql := range []string{
		`CREATE TABLE "no""tes" (id INTEGER PRIMARY KEY, text TEXT NOT NULL, data)`, `CREATE VIEW v AS SELECT text FROM "no""tes"`,
		`INSERT INTO "no""tes" VALUES (1, 'one', x'0102'), (2, 'two', NULL), (9007199254740993, 'three', 1.5)`,
	} {
		if msg, code := s.sqlFailure(queryRequest{DB: "DB", SQL: sql}, 400); code != "SQLITE_READONLY" && code != "SQLITE_ERROR" {
			t.Errorf("%s without being allowed to write: %s %s", sql, msg, code)
		}
		s.ask("POST", dbPath, queryRequest{DB: "DB", SQL: sql, Write: true}, 200, &res)
	}
	if res.Changes != 3 || res.Written != 3 {
		t.Errorf("inserted %+v", res)
	}
	var tables tablesReply
	s.ask("GET", dbPath+"?db=DB", nil, 200, &tables)
	if got := fmt.Sprint(tables.Tables); len(tables.Tables) != 2 || tables.Tables[0].Name != `no"tes` || tables.Tables[0].Rows != 3 ||
		fmt.Sprint(tables.Tables[0].Columns) != "[{id INTEGER true} {text TEXT false} {data  false}]" || tables.Tables[1].Kind != "view" || tables.Tables[1].Rows != -1 || tables.Size == 0 {
		t.Errorf("tables %s", got)
	}
	s.ask("POST", dbPath, queryRequest{DB: "DB", SQL: `SELECT id, text, data FROM "no""tes" WHERE id >= ?1 ORDER BY id`, Args: []string{"1"}}, 200, &res)
	want := "[[{integer 1 false} {text one false} {blob 0102 false}] [{integer 2 false} {text two false} {null  false}] [{integer 9007199254740993 false} {text three false} {real 1.5 false}]]"
	if got := fmt.Sprint(res.Rows); got != want || fmt.Sprint(res.Columns) != "[id text data]" || res.Read == 0 {
		t.Errorf("rows %s %v, %d read", got, res.Columns, res.Read)
	}
	s.ask("POST", dbPath, queryRequest{DB: "DB", SQL: `DELETE FROM "no""tes" WHERE id = 1`, Plan: true, Write: true}, 200, &res)
	if len(res.Rows) == 0 || !strings.Contains(fmt.Sprint(res.Rows), "SEARCH") {
		t.Errorf("plan %+v", res.Rows)
	}
	s.ask("POST", dbPath, queryRequest{DB: "DB", SQL: `SELECT count(*) FROM v`}, 200, &res)
	if res.Rows[0][0].Text != "3" {
		t.Errorf("a plan that was asked for changed something: %v", res.Rows)
	}
	for _, sql := range []string{"", "SELEC 1", "SELECT * FROM none", "ATTACH 'x' AS y", "PRAGMA query_only=0", "SELECT ?1"} {
		if msg, _ := s.sqlFailure(queryRequest{DB: "DB", SQL: sql}, 400); msg == "" {
			t.Errorf("%q fails without a word", sql)
		}
	}
	if msg, _ := s.sqlFailure(queryRequest{DB: "DB", SQL: "SELECT * FROM none"}, 400); msg != "no such table: none" {
		t.Errorf("message %q", msg)
	}
	s.ask("POST", dbPath, queryRequest{DB: "OTHER", SQL: "SELECT 1"}, 404, nil)
	s.login("bob")
	s.ask("POST", dbPath, queryRequest{DB: "DB", SQL: "SELECT 1"}, 404, nil)
}

// An endless query takes its bounds and no more, and the app does not wait for it.
func TestLongQueries(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	var res queryReply
	s.ask("POST", dbPath, queryRequest{DB: "DB", SQL: "CREATE TABLE t (x)", Write: true}, 200, nil)
	s.ask("POST", dbPath, queryRequest{DB: "DB", SQL: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, printf('%5000d', i) FROM n"}, 200, &res)
	if len(res.Rows) != dbRows || !res.More || !res.Rows[0][1].Cut || len(res.Rows[0][1].Text) != dbCell {
		t.Errorf("%d rows, more %v", len(res.Rows), res.More)
	}

	const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := s.srv.Client().Do(s.request("POST", dbPath, queryRequest{DB: "DB", SQL: endless}).WithContext(ctx))
		gone <- err
	}()
	p := s.project("p")
	deadline := time.Now().Add(time.Minute)
	for len(s.page.queries) == 0 {
		if time.Now().After(deadline) {
			t.Fatal("the query does not begin")
		}
		time.Sleep(time.Millisecond)
	}
	db, err := sqlshim.Open(t.Context(), p.State(), "DB", nil) // another owner, as the app would be
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Query(t.Context(), "INSERT INTO t VALUES (1)"); err != nil {
		t.Errorf("the app can't write: %v", err)
	}
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for len(s.page.queries) > 0 { // what was cancelled ends
		if time.Now().After(deadline) {
			t.Fatal("the query does not end")
		}
		time.Sleep(time.Millisecond)
	}
	// The app's connection is behind now, and is opened again.
	s.ask("POST", dbPath, queryRequest{DB: "DB", SQL: "INSERT INTO t VALUES (2)", Write: true}, 200, nil)
	s.ask("POST", dbPath, queryRequest{DB: "DB", SQL: "SELECT count(*) FROM t"}, 200, &res)
	if res.Rows[0][0].Text != "2" {
		t.Errorf("rows %v", res.Rows)
	}
}

func TestSecrets(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	var names secretsReply
	s.ask("GET", "api/projects/p/secrets", nil, 200, &names)
	if len(names.Names) != 0 || names.Names == nil {
		t.Errorf("secrets %v", names)
	}
	s.ask("PUT", "api/projects/p/secrets/API_KEY", secretRequest{"hunter2"}, 204, nil)
	s.ask("PUT", "api/projects/p/secrets/API_KEY", secretRequest{""}, 400, nil)
	s.ask("PUT", "api/projects/p/secrets/api-key", secretRequest{"x"}, 400, nil)
	_, body, _ := s.send(s.request("GET", "api/projects/p/secrets", nil))
	if string(body) != `{"names":["API_KEY"]}` {
		t.Errorf("secrets are told as %s", body)
	}
	if v, err := s.project("p").Secrets().Value(t.Context(), "API_KEY"); err != nil || v != "hunter2" {
		t.Errorf("%q, %v", v, err)
	}
	s.ask("DELETE", "api/projects/p/secrets/API_KEY", nil, 204, nil)
	s.ask("GET", "api/projects/p/secrets", nil, 200, &names)
	if len(names.Names) != 0 {
		t.Errorf("secrets %v", names)
	}
	if e := explain(s.request("GET", "", nil), sam.ErrNoSecretKey); e.Code != host.Unavailable {
		t.Errorf("a program without a key says %+v", e)
	}
}
