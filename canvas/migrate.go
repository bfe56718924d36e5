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

	"samkit.dev/internal/appconfig"
	"samkit.dev/sqlshim"
)

// migrate applies the files of a database's migrations folder.
func migrate(ctx context.Context, fsys fs.FS, db *sqlshim.DB, d appconfig.Database) error {
	if _, err := fs.ReadDir(fsys, d.Migrations); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	dir, err := fs.Sub(fsys, d.Migrations)
	if err != nil {
		return fmt.Errorf("read %s: %w", d.Migrations, err)
	}
	err = db.Migrate(ctx, dir)
	var failed *sqlshim.MigrationError
	if errors.As(err, &failed) {
		return &BuildError{[]Diagnostic{{File: path.Join(d.Migrations, failed.File), Text: "The migration failed: " + failed.Err.Error()}}}
	}
	return err
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
