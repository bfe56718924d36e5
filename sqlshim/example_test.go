package sqlshim_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing/fstest"

	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

// open returns an empty database in memory. A program takes the state of a
// project, from sam.Project.State.
func open() *sqlshim.DB {
	store := sam.NewMemStore()
	db, err := sqlshim.Open(context.Background(), sam.State{Space: store.Space("demo"), Blobs: store.Blobs()}, "DB", nil)
	if err != nil {
		panic(err)
	}
	if _, err := db.Exec(context.Background(), "CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT)"); err != nil {
		panic(err)
	}
	return db
}

func ExampleOpen() {
	ctx := context.Background()
	store := sam.NewMemStore()
	defer store.Close()
	db, err := sqlshim.Open(ctx, sam.State{Space: store.Space("demo"), Blobs: store.Blobs()}, "DB", &sqlshim.Options{MaxBytes: 10 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	res, err := db.Query(ctx, "SELECT 'hello' AS greeting")
	fmt.Println(res.Columns, res.Rows, err)
	// Output: [greeting] [[hello]] <nil>
}

func ExampleDB_Query() {
	ctx := context.Background()
	db := open()
	defer db.Close()
	res, err := db.Query(ctx, "INSERT INTO people(name) VALUES(?), (?)", "Ada", "Grace")
	fmt.Println(res.Changes, res.LastRowID, err)
	res, err = db.Query(ctx, "SELECT * FROM people WHERE id = ?", int64(2))
	fmt.Println(res.Rows, err)
	// Output:
	// 2 2 <nil>
	// [[2 Grace]] <nil>
}

func ExampleDB_AppendJSON() {
	ctx := context.Background()
	db := open()
	defer db.Close()
	db.Query(ctx, "INSERT INTO people(name) VALUES('Ada')")
	rows, _, err := db.AppendJSON(ctx, nil, sqlshim.Objects, "SELECT * FROM people")
	fmt.Println(string(rows), err)
	// Output: [{"id":1,"name":"Ada"}] <nil>
}

func ExampleDB_Batch() {
	ctx := context.Background()
	db := open()
	defer db.Close()
	_, err := db.Batch(ctx,
		sqlshim.Stmt{SQL: "INSERT INTO people VALUES(?, ?)", Args: []any{int64(1), "Ada"}},
		sqlshim.Stmt{SQL: "INSERT INTO people VALUES(?, ?)", Args: []any{int64(1), "Grace"}},
	)
	fmt.Println(err)
	res, _ := db.Query(ctx, "SELECT count(*) FROM people")
	fmt.Println(res.Rows)
	// Output:
	// UNIQUE constraint failed: people.id: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_PRIMARYKEY)
	// [[0]]
}

func ExampleDB_BatchJSON() {
	ctx := context.Background()
	db := open()
	defer db.Close()
	results, err := db.BatchJSON(ctx, sqlshim.Arrays,
		sqlshim.Stmt{SQL: "INSERT INTO people VALUES(?, ?)", Args: []any{int64(1), "Ada"}},
		sqlshim.Stmt{SQL: "SELECT * FROM people"},
	)
	fmt.Println(string(results[1].JSON), results[1].Columns, err)
	// Output: [[1,"Ada"]] [id name] <nil>
}

func ExampleDB_Exec() {
	ctx := context.Background()
	db := open()
	defer db.Close()
	n, err := db.Exec(ctx, "CREATE TABLE pets(name)\nINSERT INTO pets VALUES('Rex')")
	fmt.Println(n, err)
	_, err = db.Exec(ctx, "INSERT INTO\npets VALUES('Tom')")
	fmt.Println(err)
	// Output:
	// 2 <nil>
	// Error in line 1: INSERT INTO: incomplete input: SQLITE_ERROR
}

func ExampleDB_Migrate() {
	ctx := context.Background()
	db := open()
	defer db.Close()
	files := fstest.MapFS{ // a program has an embed.FS
		"0001_pets.sql": {Data: []byte("CREATE TABLE pets(name TEXT);\nINSERT INTO pets VALUES('Rex');")},
		"0002_age.sql":  {Data: []byte("ALTER TABLE pets ADD COLUMN age INTEGER;")},
	}
	for range 2 { // the second time there is nothing to do
		if err := db.Migrate(ctx, files); err != nil {
			fmt.Println(err)
			return
		}
	}
	res, err := db.Query(ctx, "SELECT * FROM pets")
	fmt.Println(res.Columns, res.Rows, err)
	// Output: [name age] [[Rex <nil>]] <nil>
}

func ExampleWithRows() {
	db := open()
	defer db.Close()
	ctx := sqlshim.WithRows(context.Background(), 1_000_000, 2)
	_, err := db.Query(ctx, "INSERT INTO people(name) VALUES('Ada'), ('Grace'), ('Edsger')")
	var limit *sam.LimitError
	if errors.As(err, &limit) {
		fmt.Println(limit.Limit, limit.Max)
	}
	// Output: RowsWritten 2
}

func ExampleMigrationError() {
	db := open()
	defer db.Close()
	err := db.Migrate(context.Background(), fstest.MapFS{"0001_oops.sql": {Data: []byte("CREATE TABEL pets(name)")}})
	var failed *sqlshim.MigrationError
	if errors.As(err, &failed) {
		fmt.Println(failed.File, failed.Err)
	}
	// Output: 0001_oops.sql near "TABEL": syntax error at offset 7: SQLITE_ERROR
}

func ExampleDB_Dump() {
	ctx := context.Background()
	db := open()
	defer db.Close()
	var file bytes.Buffer
	err := db.Dump(ctx, &file)
	fmt.Printf("%.15s %v\n", file.Bytes(), err)
	// Output: SQLite format 3 <nil>
}

func ExampleDB_Load() {
	ctx := context.Background()
	from, to := open(), open()
	defer from.Close()
	defer to.Close()
	from.Query(ctx, "INSERT INTO people(name) VALUES('Ada')")
	var file bytes.Buffer
	if err := from.Dump(ctx, &file); err != nil {
		fmt.Println(err)
		return
	}
	err := to.Load(ctx, &file)
	res, _ := to.Query(ctx, "SELECT * FROM people")
	fmt.Println(res.Rows, err)
	// Output: [[1 Ada]] <nil>
}

func ExampleDB_Close() {
	db := open()
	fmt.Println(db.Close(), db.Close())
	// Output: <nil> <nil>
}

func ExampleError() {
	db := open()
	defer db.Close()
	_, err := db.Query(context.Background(), "SELECT nope FROM people")
	var e *sqlshim.Error
	if errors.As(err, &e) {
		fmt.Printf("%s, %q, at %d\n", e.Code, e.Text, e.Offset)
	}
	// Output: SQLITE_ERROR, "no such column: nope", at 7
}
