package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// secretKey returns what finds the key that seals secrets: one kept beside the data
// it is for, readable by its owner only, or one that lasts as long as the program.
func secretKey(data string) func(context.Context) ([]byte, error) {
	find := sync.OnceValues(func() ([]byte, error) {
		if data == "" {
			return newKey(), nil
		}
		return keyFile(filepath.Join(data, "secret.key"))
	})
	return func(context.Context) ([]byte, error) { return find() }
}

func keyFile(name string) ([]byte, error) {
	key, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		key = newKey()
		return key, os.WriteFile(name, key, 0o600)
	}
	if err == nil && len(key) != 32 {
		err = fmt.Errorf("%s holds %d bytes, not a key of 32", name, len(key))
	}
	return key, err
}

func newKey() []byte {
	key := make([]byte, 32)
	rand.Read(key)
	return key
}
