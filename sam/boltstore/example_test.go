package boltstore_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
)

// temp opens a store to try things on.
func temp() (s *boltstore.Store, remove func()) {
	dir, err := os.MkdirTemp("", "boltstore")
	if err != nil {
		log.Fatal(err)
	}
	s, err = boltstore.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	return s, func() { s.Close(); os.RemoveAll(dir) }
}

func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "boltstore")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for range 2 { // two runs of a program
		s, err := boltstore.Open(dir)
		if err != nil {
			log.Fatal(err)
		}
		app, err := sam.NewWorkspace(s, "demo", nil).Deploy(ctx, "app", sam.Files{"index.html": "hi"})
		if err != nil {
			log.Fatal(err)
		}
		data, err := app.ReadFile(ctx, "index.html")
		fmt.Println(string(data), err)
		if err := s.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// hi <nil>
	// hi <nil>
}

func ExampleStore_Backup() {
	s, remove := temp()
	defer remove()
	fmt.Println(s.Backup(context.Background(), io.Discard)) // a file, in a real program
	// Output: <nil>
}

func ExampleStore_Compact() {
	s, remove := temp()
	defer remove()
	fmt.Println(s.Compact(context.Background()))
	// Output: <nil>
}

func ExampleStore_Check() {
	s, remove := temp()
	defer remove()
	fmt.Println(s.Check(context.Background()))
	// Output: <nil>
}
