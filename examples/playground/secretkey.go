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

// secretKey returns what finds the key that seals secrets. It is kept beside the data it is for, readable by
// its owner only, and made when it is first asked for.
func secretKey(data string) func(context.Context) ([]byte, error) {
	find := sync.OnceValues(func() ([]byte, error) { return keyFile(filepath.Join(data, "secret.key")) })
	return func(context.Context) ([]byte, error) { return find() }
}

func keyFile(name string) ([]byte, error) {
	key, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		key = make([]byte, 32)
		rand.Read(key)
		return key, writeKey(name, key)
	}
	if err == nil && len(key) != 32 {
		err = fmt.Errorf("%s holds %d bytes, not a key of 32", name, len(key))
	}
	return key, err
}

// writeKey writes the key as a whole or not at all: with half of it no secret would open again.
func writeKey(name string, key []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".secret-*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(key)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
