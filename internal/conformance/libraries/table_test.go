package libraries

import (
	"os"
	"testing"
)

const (
	docs = "../../../docs/libraries.md"
	lock = "../js/package-lock.json"
)

// checkTable compares docs/libraries.md with what was found, or writes it.
func checkTable(t *testing.T, rows []row) {
	data, err := os.ReadFile(lock)
	if err != nil {
		t.Fatal(err)
	}
	text, err := table(rows, data)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(docs, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(docs)
	if err != nil || string(have) != text {
		t.Errorf("docs/libraries.md is not current; run go test ./libraries -update: %v\n%s", err, firstDifference(string(have), text))
	}
}
