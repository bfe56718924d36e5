package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"samkit.dev/host/console"
)

func ExampleBuffer_Since() {
	b := console.NewBuffer(2)
	for _, text := range []string{"one", "two", "three"} {
		b.Add(console.Entry{Text: text})
	}
	for e := range b.Since(0) {
		fmt.Println(e.Seq, e.Text)
	}
	// Output:
	// 2 two
	// 3 three
}

func ExampleBuffer_Wait() {
	b := console.NewBuffer(0)
	_, last := b.Range()
	go b.Add(console.Entry{Level: slog.LevelError, Origin: console.Page, Text: "ReferenceError: x is not defined"})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	e, err := b.Wait(ctx, last, func(e console.Entry) bool { return e.Level >= slog.LevelError })
	fmt.Println(e.Text, err)
	// Output: ReferenceError: x is not defined <nil>
}

func ExampleBuffer_Clear() {
	b := console.NewBuffer(0)
	b.Add(console.Entry{Text: "old"})
	b.Clear()
	b.Add(console.Entry{Text: "new"})
	fmt.Println(b.Range())
	// Output: 2 2
}

func ExampleEntry() {
	data, _ := json.Marshal(console.Entry{
		Seq: 7, Time: time.Unix(0, 0).UTC(), Level: slog.LevelWarn, Origin: console.Functions,
		Source: "functions.ts:3:5", Text: "slow query", Request: "GET /api/notes",
	})
	fmt.Println(string(data))
	// Output: {"seq":7,"time":"1970-01-01T00:00:00Z","level":"WARN","origin":"functions","source":"functions.ts:3:5","text":"slow query","request":"GET /api/notes"}
}

func ExampleBuffer_Changed() {
	var b console.Buffer
	changed := b.Changed()
	b.Add(console.Entry{Text: "hello"})
	<-changed
	for e := range b.Since(0) {
		fmt.Println(e.Text)
	}
	// Output: hello
}
