package engine_test

import (
	"fmt"
	"log"
	"time"

	"samkit.dev/host/engine"
)

func ExampleMain() {
	// The first line of main. In a worker it does not return.
	engine.Main()
	fmt.Println("not a worker")
	// Output: not a worker
}

func ExampleNew() {
	e, err := engine.New(&engine.Options{
		Limits: engine.Limits{CPU: 50 * time.Millisecond, Memory: 64 << 20},
	})
	if err != nil {
		log.Fatal(err) // says which level of isolation can be had here
	}
	defer e.Close()
	fmt.Println(e.Stats().Isolation, e.Stats().Workers)
	// Output: sandboxed 0
}

func ExampleEngine_Stats() {
	e, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	s := e.Stats()
	fmt.Println(s.Isolation, s.Requests, s.LimitHits["limit_cpu"])
	// Output: inprocess 0 0
}

func ExampleEngine_Close() {
	e, err := engine.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Close(), e.Close())
	// Output: <nil> <nil>
}
