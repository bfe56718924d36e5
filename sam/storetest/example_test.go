package storetest_test

import (
	"testing"

	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
	"samkit.dev/sam/storetest"
)

func ExampleRun() {
	_ = func(t *testing.T) { // func TestStore(t *testing.T)
		storetest.Run(t, func(testing.TB) sam.Store { return sam.NewMemStore() })
	}
}

func ExampleRunDir() {
	_ = func(t *testing.T) { // func TestStore(t *testing.T)
		storetest.RunDir(t, func(t testing.TB, dir string) sam.Store {
			s, err := boltstore.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			return s
		})
	}
}
