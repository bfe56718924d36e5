package canvas

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"samkit.dev/internal/appconfig"
	"samkit.dev/sqlshim"
)

// migrate applies the .sql files of a database's migrations folder that were
// not applied yet, in the order of their names, each with its record in one
// transaction, as wrangler d1 migrations apply does.
func migrate(ctx context.Context, fsys fs.FS, db *sqlshim.DB, d appconfig.Database) error {
	entries, err := fs.ReadDir(fsys, d.Migrations)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", d.Migrations, err)
	}
	var names []string
	for _, e := range entries { // sorted by name
		if !e.IsDir() && strings.EqualFold(path.Ext(e.Name()), ".sql") {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil
	}
	table := `"` + strings.ReplaceAll(d.Table, `"`, `""`) + `"`
	if _, err := db.Query(ctx, "CREATE TABLE IF NOT EXISTS "+table+" (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)"); err != nil {
		return err
	}
	res, err := db.Query(ctx, "SELECT name FROM "+table)
	if err != nil {
		return err
	}
	applied := map[string]bool{}
	for _, row := range res.Rows {
		if name, ok := row[0].(string); ok {
			applied[name] = true
		}
	}
	for _, name := range names {
		if applied[name] {
			continue
		}
		file := path.Join(d.Migrations, name)
		text, err := fs.ReadFile(fsys, file)
		if err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		_, err = db.Batch(ctx, sqlshim.Stmt{SQL: string(text)}, sqlshim.Stmt{SQL: "INSERT INTO " + table + " (name) VALUES (?)", Args: []any{name}})
		if err != nil {
			return &BuildError{[]Diagnostic{{File: file, Text: "The migration failed: " + err.Error()}}}
		}
	}
	return nil
}

// migrationsHash stands for the migrations of all databases of a project.
func migrationsHash(fsys fs.FS, s *settings) (string, error) {
	h := sha256.New()
	dbs := s.databases()
	for _, name := range slices.Sorted(maps.Keys(dbs)) {
		d := dbs[name]
		entries, err := fs.ReadDir(fsys, d.Migrations)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("read %s: %w", d.Migrations, err)
		}
		for _, e := range entries {
			fmt.Fprintf(h, "%s/%s\n", d.Migrations, e.Name())
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
