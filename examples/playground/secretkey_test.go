package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestSecretKeyStays(t *testing.T) {
	dir := t.TempDir()
	key, err := secretKey(dir)(t.Context())
	if err != nil || len(key) != 32 {
		t.Fatalf("%d bytes, %v", len(key), err)
	}
	again, err := secretKey(dir)(t.Context())
	if err != nil || !bytes.Equal(key, again) {
		t.Errorf("another key after a restart: %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "secret.key"), key[:7], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := secretKey(dir)(t.Context()); err == nil {
		t.Error("took a key of 7 bytes")
	}
}
