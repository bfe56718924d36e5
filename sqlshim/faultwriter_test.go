package sqlshim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"
)

// A faultStep is a transaction of the writer, and what came of it.
type faultStep struct {
	N, Rows int
	Err     string
	Untyped bool   // Err is no *Error
	Last    int    // the newest transaction that is there then
	ReadErr string // of reading Last
	Wrong   string // what should never be
}

// faultSteps makes what the writer does of a seed.
func faultSteps(seed uint64) []faultStep {
	r := rand.New(rand.NewPCG(seed, 0))
	steps := make([]faultStep, 7)
	for i := range steps {
		steps[i] = faultStep{N: i + 1, Rows: 1 + r.IntN(3)}
		if r.IntN(4) == 0 {
			steps[i].Rows = 1500 // half a MB
		}
	}
	return steps
}

// faultWriter makes transactions. The last element of dir says what storage it is.
func faultWriter(dir string, seed uint64) any {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	steps := faultSteps(seed)
	var w *crashWorld
	for i := range steps {
		s := &steps[i]
		if w == nil {
			var err error
			if w, err = openCrash(ctx, filepath.Base(dir), filepath.Join(dir, "store")); err != nil {
				s.Err, s.ReadErr = err.Error(), err.Error()
				continue
			}
			defer w.close()
		}
		if err := s.run(ctx, w.db); err != nil {
			var e *Error
			var exec *ExecError
			s.Err, s.Untyped = err.Error(), !errors.As(err, &e) && !errors.As(err, &exec)
			if strings.Contains(s.Err, dir) {
				s.Wrong = "the error names a file"
			}
		}
		last, err := readFaults(ctx, w.db)
		switch {
		case errors.Is(err, errHalf):
			s.Wrong = err.Error()
		case err != nil:
			s.ReadErr = err.Error()
		}
		s.Last = last
	}
	return steps
}

const numbers = "(WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT ?) SELECT i FROM c)"

func (s faultStep) run(ctx context.Context, db *DB) error {
	if _, err := db.Exec(ctx, "CREATE TABLE IF NOT EXISTS a(n, v BLOB)\nCREATE TABLE IF NOT EXISTS b(n, v BLOB)\nCREATE INDEX IF NOT EXISTS bi ON b(n, v)"); err != nil {
		return err
	}
	_, err := db.Batch(ctx,
		Stmt{SQL: "INSERT INTO a SELECT ?, randomblob(300) FROM " + numbers, Args: []any{s.N, s.Rows}},
		Stmt{SQL: "DELETE FROM a WHERE n < ?", Args: []any{s.N - 2}},
		Stmt{SQL: "INSERT INTO b SELECT ?, randomblob(100) FROM " + numbers, Args: []any{s.N, s.Rows}},
		Stmt{SQL: "DELETE FROM b WHERE n < ?", Args: []any{s.N - 2}})
	return err
}

// errHalf is of a state that no transaction makes.
var errHalf = errors.New("half of a transaction is there")

// readFaults returns the newest transaction that is there.
func readFaults(ctx context.Context, db *DB) (int, error) {
	res, err := db.Query(ctx, "SELECT n, count(*), (SELECT count(*) FROM b WHERE b.n = a.n) FROM a GROUP BY n ORDER BY n")
	if err != nil && strings.Contains(err.Error(), "no such table") {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	last := 0
	for _, row := range res.Rows {
		if row[1] != row[2] {
			return 0, fmt.Errorf("%w: %v", errHalf, res.Rows)
		}
		last = int(row[0].(int64))
	}
	return last, nil
}
