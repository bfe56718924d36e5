package playground

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"samkit.dev/canvas"
	"samkit.dev/host"
	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

// Bounds of what the page is shown of a project's data, so that no look at it costs the project much.
const (
	kvPage      = 50       // keys of an answer
	kvPreview   = 200      // bytes of a value in a list
	kvPreviews  = 4 << 20  // bytes of values that are read for previews
	kvShown     = 1 << 20  // bytes of a value that is shown and edited as a whole
	kvHead      = 64 << 10 // bytes shown of one that is longer
	kvBody      = 64 << 20 // bytes of a request that puts one, in base64
	dbRows      = 500      // rows of an answer
	dbCell      = 2000     // bytes of a value of a row
	dbCount     = 100_000  // rows that are counted of a table
	dbTables    = 200
	dbBody      = 256 << 10
	readTimeout = 10 * time.Second
	// While a statement writes, those of the app wait.
	lockTimeout = 5 * time.Second
	maxQueries  = 4 // of all people at once
)

// readLimits bound a query that reads, which has a connection of its own.
var readLimits = sqlshim.Options{Timeout: readTimeout, MaxResult: 8 << 20, MaxMemory: 32 << 20, MaxRows: dbRows}

type dataReply struct {
	KV []string `json:"kv"` // names in env
	DB []string `json:"db"`
}

// A kvEntry is a key in a list.
type kvEntry struct {
	Key      string     `json:"key"`
	Size     int64      `json:"size"`    // of the value; -1 if it was not read
	Preview  string     `json:"preview"` // its beginning
	Text     bool       `json:"text"`    // it is text
	Metadata string     `json:"metadata"`
	Expires  *time.Time `json:"expires,omitempty"`
}

type kvReply struct {
	Entries []kvEntry `json:"entries"`
	Next    string    `json:"next"` // cursor of the page that follows; "" if this is the last
}

type kvValue struct {
	Key      string     `json:"key"`
	Size     int64      `json:"size"`
	Text     bool       `json:"text"`  // data is text, and in base64 otherwise
	Whole    bool       `json:"whole"` // data is all of it
	Data     string     `json:"data"`
	Metadata string     `json:"metadata"` // JSON, or ""
	Expires  *time.Time `json:"expires,omitempty"`
}

type kvPut struct {
	Text     bool       `json:"text"`
	Data     string     `json:"data"`
	Metadata string     `json:"metadata"`
	Expires  *time.Time `json:"expires"`
	New      bool       `json:"new"` // there must be no such key
}

type columnInfo struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Key  bool   `json:"key"` // of the primary key
}

type tableInfo struct {
	Name    string       `json:"name"`
	Kind    string       `json:"kind"` // "table", "view"
	SQL     string       `json:"sql"`
	Rows    int64        `json:"rows"` // -1 of a view and of what can't be counted
	Many    bool         `json:"many"` // there are more than rows
	Columns []columnInfo `json:"columns"`
}

type tablesReply struct {
	Tables []tableInfo `json:"tables"`
	Size   int64       `json:"size"` // of the database in bytes
}

type queryRequest struct {
	DB    string   `json:"db"`
	SQL   string   `json:"sql"`
	Args  []string `json:"args"`  // for ?1, ?2, …; those that are numbers are bound as such
	Write bool     `json:"write"` // it may change something
	Plan  bool     `json:"plan"`  // tell how it would be run instead
}

// A cell is a value of a row.
type cell struct {
	Kind string `json:"kind"` // "null", "integer", "real", "text", "blob"
	Text string `json:"text"` // of a blob in hex
	Cut  bool   `json:"cut"`  // it is longer
}

type queryReply struct {
	Columns []string `json:"columns"`
	Rows    [][]cell `json:"rows"`
	More    bool     `json:"more"`
	Read    int64    `json:"read"` // rows
	Written int64    `json:"written"`
	Changes int64    `json:"changes"`
	MS      float64  `json:"ms"`
}

// sqlDetails are the details of a statement that failed.
type sqlDetails struct {
	SQLite string `json:"sqlite"` // "SQLITE_READONLY"
	Offset int    `json:"offset"` // of what is wrong, in bytes; -1 if it is not known
}

type secretsReply struct {
	Names []string `json:"names"`
}

type secretRequest struct {
	Value string `json:"value"`
}

func (p *page) dataRoutes(api func(string, func(*call) error)) {
	api("GET /api/projects/{id}/data", p.showData)
	api("GET /api/projects/{id}/kv", p.listKV)
	api("GET /api/projects/{id}/kv/value", p.readKV)
	api("PUT /api/projects/{id}/kv/value", p.putKV)
	api("DELETE /api/projects/{id}/kv/value", p.deleteKV)
	api("GET /api/projects/{id}/db", p.listTables)
	api("POST /api/projects/{id}/db", p.query)
	api("GET /api/projects/{id}/secrets", p.listSecrets)
	api("PUT /api/projects/{id}/secrets/{name}", p.setSecret)
	api("DELETE /api/projects/{id}/secrets/{name}", p.deleteSecret)
}

// data returns the state of the project that the path names.
func (p *page) data(c *call) (*canvas.Data, error) {
	id, err := c.projectID()
	if err != nil {
		return nil, err
	}
	return p.apps.Data(c.r.Context(), canvas.Visitor{Principal: c.principal}, id)
}

func (p *page) showData(c *call) error {
	d, err := p.data(c)
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, dataReply{KV: slices.Sorted(maps.Keys(d.KV)), DB: d.DB})
}

// namespace returns the one that a request names.
func (p *page) namespace(c *call) (*kv.Namespace, error) {
	d, err := p.data(c)
	if err != nil {
		return nil, err
	}
	ns := d.KV[c.r.URL.Query().Get("ns")]
	if ns == nil {
		return nil, notFound("The project has no such KV namespace.")
	}
	return ns, nil
}

// kvError says in the page's words what went wrong with a key.
func kvError(err error) error {
	var refused *kv.Error
	if errors.As(err, &refused) {
		return &host.Error{Code: host.Invalid, Message: refused.Text, Err: err}
	}
	return err
}

func (p *page) listKV(c *call) error {
	ns, err := p.namespace(c)
	if err != nil {
		return err
	}
	ctx, q := c.r.Context(), c.r.URL.Query()
	entries, next, _, err := ns.ListPage(ctx, q.Get("prefix"), q.Get("cursor"), kvPage)
	if err != nil {
		return kvError(err)
	}
	reply := kvReply{Entries: []kvEntry{}, Next: next}
	left := kvPreviews
	for _, e := range entries {
		row := kvEntry{Key: e.Key, Size: -1, Metadata: string(e.Metadata), Expires: atOrNil(e.Expires)}
		if left > 0 {
			full, err := ns.Get(ctx, e.Key)
			if errors.Is(err, fs.ErrNotExist) {
				continue // deleted meanwhile
			}
			if err != nil {
				return kvError(err)
			}
			left -= len(full.Value)
			row.Size = int64(len(full.Value))
			row.Preview, row.Text = preview(full.Value)
		}
		reply.Entries = append(reply.Entries, row)
	}
	return c.reply(http.StatusOK, reply)
}

func atOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// preview returns the beginning of a value, in hex if it is no text.
func preview(value []byte) (shown string, text bool) {
	head := value[:min(len(value), kvPreview)]
	if isText(value) {
		return strings.ToValidUTF8(string(head), ""), true
	}
	return hex.EncodeToString(head[:min(len(head), kvPreview/4)]), false
}

func isText(value []byte) bool {
	return utf8.Valid(value) && sam.IsText("value", value[:min(len(value), headLen)])
}

func (p *page) readKV(c *call) error {
	ns, err := p.namespace(c)
	if err != nil {
		return err
	}
	e, err := ns.Get(c.r.Context(), c.r.URL.Query().Get("key"))
	if errors.Is(err, fs.ErrNotExist) {
		return notFound("There is no such key.")
	}
	if err != nil {
		return kvError(err)
	}
	v := kvValue{Key: e.Key, Size: int64(len(e.Value)), Text: isText(e.Value), Whole: len(e.Value) <= kvShown, Metadata: string(e.Metadata), Expires: atOrNil(e.Expires)}
	data := e.Value
	if !v.Whole {
		data = data[:kvHead]
	}
	if v.Data = base64.StdEncoding.EncodeToString(data); v.Text {
		v.Data = strings.ToValidUTF8(string(data), "")
	}
	return c.reply(http.StatusOK, v)
}

func (p *page) putKV(c *call) error {
	var req kvPut
	if err := c.decode(&req, kvBody); err != nil {
		return err
	}
	ns, err := p.namespace(c)
	if err != nil {
		return err
	}
	ctx := c.r.Context()
	e := kv.Entry{Key: c.r.URL.Query().Get("key"), Value: []byte(req.Data)}
	if !req.Text {
		if e.Value, err = base64.StdEncoding.DecodeString(req.Data); err != nil {
			return invalid("data is not base64.")
		}
	}
	if strings.TrimSpace(req.Metadata) != "" {
		if !json.Valid([]byte(req.Metadata)) {
			return invalid("The metadata is not JSON.")
		}
		e.Metadata = json.RawMessage(req.Metadata)
	}
	if req.Expires != nil {
		e.Expires = *req.Expires
	}
	if req.New {
		if _, err := ns.Get(ctx, e.Key); err == nil {
			return &host.Error{Code: host.Conflict, Message: "There is a key of this name already."}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return kvError(err)
		}
	}
	if err := ns.Put(ctx, e); err != nil {
		return kvError(err)
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

func (p *page) deleteKV(c *call) error {
	ns, err := p.namespace(c)
	if err != nil {
		return err
	}
	if err := ns.Delete(c.r.Context(), c.r.URL.Query().Get("key")); err != nil {
		return kvError(err)
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// enterQuery waits for one of the places for queries of the page.
func (p *page) enterQuery(ctx context.Context) (leave func(), err error) {
	select {
	case p.queries <- struct{}{}:
		return func() { <-p.queries }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// reading runs fn on a connection of its own to a database, which the app does not wait for.
func (p *page) reading(c *call, name string, fn func(context.Context, *sqlshim.DB) error) error {
	d, err := p.data(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), readTimeout)
	defer cancel()
	leave, err := p.enterQuery(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return sqlError(name, d.Read(ctx, name, readLimits, func(db *sqlshim.DB) error { return fn(ctx, db) }))
}

// sqlError says what is wrong with a statement. What SQLite says is about the project's own data.
func sqlError(name string, err error) error {
	var failed *sqlshim.Error
	var migration *canvas.BuildError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return notFound("The project has no database " + strconv.Quote(name) + ".")
	case errors.As(err, &migration):
		return &host.Error{Code: host.Invalid, Message: migration.Error(), Err: err}
	case errors.Is(err, sam.ErrConflict):
		return &host.Error{Code: host.Conflict, Message: "The app kept changing the database. Try again.", Retry: true, Err: err}
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return &host.Error{Code: host.Timeout, Message: "The statement took too long and was stopped.", Err: err}
	case errors.As(err, &failed):
		details, merr := json.Marshal(sqlDetails{failed.Code, failed.Offset})
		if merr != nil {
			return merr
		}
		return &host.Error{Code: host.Invalid, Message: failed.Text, Details: details, Err: err}
	}
	return err
}

func (p *page) listTables(c *call) error {
	reply := tablesReply{}
	name := c.r.URL.Query().Get("db")
	err := p.reading(c, name, func(ctx context.Context, db *sqlshim.DB) error {
		reply.Tables = []tableInfo{}
		res, err := db.Query(ctx, `SELECT name, type, coalesce(sql, '') FROM sqlite_schema
			WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE '\_cf\_%' ESCAPE '\' ORDER BY name LIMIT ?1`, int64(dbTables))
		if err != nil {
			return err
		}
		reply.Size = res.SizeAfter
		for _, row := range res.Rows {
			t, err := describeTable(ctx, db, fmt.Sprint(row[0]), fmt.Sprint(row[1]), fmt.Sprint(row[2]))
			if err != nil {
				return err
			}
			reply.Tables = append(reply.Tables, t)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, reply)
}

// describeTable returns the columns of a table and how many rows it has. A view is not run for that.
func describeTable(ctx context.Context, db *sqlshim.DB, name, kind, sql string) (tableInfo, error) {
	t := tableInfo{Name: name, Kind: kind, SQL: sql, Rows: -1, Columns: []columnInfo{}}
	res, err := db.Query(ctx, "SELECT name, type, pk FROM pragma_table_xinfo(?1)", name)
	var failed *sqlshim.Error
	if errors.As(err, &failed) && failed.Code == "SQLITE_ERROR" {
		return t, nil // a view of what is gone
	}
	if err != nil {
		return t, err
	}
	for _, row := range res.Rows {
		t.Columns = append(t.Columns, columnInfo{fmt.Sprint(row[0]), fmt.Sprint(row[1]), row[2] != int64(0)})
	}
	if kind != "table" {
		return t, nil
	}
	res, err = db.Query(ctx, "SELECT count(*) FROM (SELECT 1 FROM "+quoteName(name)+" LIMIT ?1)", int64(dbCount+1))
	if errors.As(err, &failed) && failed.Code == "SQLITE_ERROR" {
		return t, nil // a virtual table of a module that is not here
	}
	if err != nil {
		return t, err
	}
	t.Rows, _ = res.Rows[0][0].(int64)
	t.Many = t.Rows > dbCount
	t.Rows = min(t.Rows, dbCount)
	return t, nil
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// query runs SQL. What may write runs on the app's own connection, for a short time.
func (p *page) query(c *call) error {
	var req queryRequest
	if err := c.decode(&req, dbBody); err != nil {
		return err
	}
	sql, args := req.SQL, make([]any, len(req.Args))
	for i, a := range req.Args {
		args[i] = argument(a)
	}
	if req.Plan {
		sql, req.Write = "EXPLAIN QUERY PLAN "+sql, false
	}
	var res *sqlshim.Result
	run := func(ctx context.Context, db *sqlshim.DB) (err error) {
		res, err = db.Query(ctx, sql, args...)
		return err
	}
	var err error
	if req.Write {
		err = p.writing(c, req.DB, run)
	} else {
		err = p.reading(c, req.DB, run)
	}
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, replyOf(res))
}

// writing runs fn on the app's connection to a database.
func (p *page) writing(c *call, name string, fn func(context.Context, *sqlshim.DB) error) error {
	d, err := p.data(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), lockTimeout)
	defer cancel()
	leave, err := p.enterQuery(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return sqlError(name, d.Write(ctx, name, func(db *sqlshim.DB) error { return fn(ctx, db) }))
}

// argument is what a person typed for a parameter.
func argument(s string) any {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && strings.ContainsAny(s, "0123456789") {
		return f
	}
	if strings.EqualFold(s, "null") {
		return nil
	}
	return s
}

func replyOf(res *sqlshim.Result) queryReply {
	reply := queryReply{
		Columns: append([]string{}, res.Columns...), Rows: [][]cell{}, More: res.More || len(res.Rows) > dbRows,
		Read: res.RowsRead, Written: res.RowsWritten, Changes: res.Changes, MS: float64(res.Duration.Microseconds()) / 1000,
	}
	for _, row := range res.Rows[:min(len(res.Rows), dbRows)] {
		cells := make([]cell, len(row))
		for i, v := range row {
			cells[i] = cellOf(v)
		}
		reply.Rows = append(reply.Rows, cells)
	}
	return reply
}

func cellOf(v any) cell {
	switch v := v.(type) {
	case nil:
		return cell{Kind: "null"}
	case int64:
		return cell{Kind: "integer", Text: strconv.FormatInt(v, 10)}
	case float64:
		return cell{Kind: "real", Text: strconv.FormatFloat(v, 'g', -1, 64)}
	case []byte:
		return cell{Kind: "blob", Text: hex.EncodeToString(v[:min(len(v), dbCell/2)]), Cut: len(v) > dbCell/2}
	}
	s := fmt.Sprint(v)
	if len(s) <= dbCell {
		return cell{Kind: "text", Text: strings.ToValidUTF8(s, "\uFFFD")}
	}
	return cell{Kind: "text", Text: strings.ToValidUTF8(s[:dbCell], ""), Cut: true}
}

func (p *page) listSecrets(c *call) error {
	project, err := c.project()
	if err != nil {
		return err
	}
	names, err := project.Secrets().Names(c.r.Context())
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, secretsReply{append([]string{}, names...)})
}

func (p *page) setSecret(c *call) error {
	var req secretRequest
	if err := c.decode(&req, 2*maxSmall); err != nil {
		return err
	}
	if req.Value == "" {
		return invalid("A secret is not empty.")
	}
	return c.putSecret(req.Value)
}

func (p *page) deleteSecret(c *call) error { return c.putSecret("") }

func (c *call) putSecret(value string) error {
	project, err := c.project()
	if err != nil {
		return err
	}
	if err := project.Secrets().Set(c.r.Context(), c.r.PathValue("name"), value); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
