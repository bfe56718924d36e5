package wasi_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"samkit.dev/sam"
	"samkit.dev/wasi"
)

func BenchmarkCommand(b *testing.B) {
	app := project(b, sam.Files{"a.txt": "b\na\n"})
	run(b.Context(), shared(), wasi.Cmd{Files: app, Args: []string{"true"}}) // compiled
	for b.Loop() {
		if got := run(b.Context(), shared(), wasi.Cmd{Files: app, Args: []string{"head", "-n", "1", "a.txt"}}); got.out != "b\n" {
			b.Fatal(got)
		}
	}
}

// What a jq costs beyond what it is asked.
func BenchmarkJQ(b *testing.B) {
	app := project(b, nil)
	run(b.Context(), shared(), wasi.Cmd{Files: app, Args: []string{"jq", "-n", "1"}}) // compiled and prepared
	for b.Loop() {
		if got := run(b.Context(), shared(), wasi.Cmd{Files: app, Args: []string{"jq", "-n", "1"}}); got.out != "1\n" {
			b.Fatal(got)
		}
	}
}

func BenchmarkScript(b *testing.B) {
	app := project(b, sam.Files{"a.txt": "b 2\na 1\nc 3\n", "data.json": `{"x":[1,2,{"y":"z"}],"n":5}`})
	for name, text := range map[string]string{
		"pipe5": "cat a.txt | sort | head -n 1 | cut -c 1 | tr a-z A-Z",
		"jq":    "cat data.json | jq . | wc -l",
	} {
		b.Run(name, func(b *testing.B) {
			script(b.Context(), shared(), text, wasi.Cmd{Files: app}) // compiled
			for b.Loop() {
				if got := script(b.Context(), shared(), text, wasi.Cmd{Files: app}); got.code != 0 {
					b.Fatal(got)
				}
			}
		})
	}
}

// How fast awk is with the calls of its host in it.
func BenchmarkAwk(b *testing.B) {
	app := project(b, sam.Files{"a.txt": strings.Repeat("some words 12 and more 7\n", 10_000)})
	run(b.Context(), shared(), wasi.Cmd{Files: app, Args: []string{"awk", "1", "a.txt"}}) // compiled
	for b.Loop() {
		if got := run(b.Context(), shared(), wasi.Cmd{Files: app, Args: []string{"awk", "{ s += $3 * $6 } END { print s }", "a.txt"}}); got.out != "840000\n" {
			b.Fatal(got)
		}
	}
}

// What a Python costs that is compiled.
func BenchmarkPython(b *testing.B) {
	app := project(b, sam.Files{"a.txt": "b\na\n"})
	b.Run("command", func(b *testing.B) {
		for b.Loop() {
			if got := run(b.Context(), shared(), wasi.Cmd{Files: app, Args: []string{"python3", "-c", "pass"}}); got.code != 0 {
				b.Fatal(got)
			}
		}
	})
	b.Run("cell", func(b *testing.B) {
		py, err := shared().NewPython(&wasi.Cmd{Files: app})
		if err != nil {
			b.Fatal(err)
		}
		defer py.Close()
		for b.Loop() {
			if err := py.Run(b.Context(), "x = 1", nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("loop", func(b *testing.B) {
		py, err := shared().NewPython(&wasi.Cmd{Files: app})
		if err != nil {
			b.Fatal(err)
		}
		defer py.Close()
		for b.Loop() {
			if err := py.Run(b.Context(), "s = 0\nfor i in range(100_000): s += i", nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	// How long a busy loop goes on after it was told to stop.
	b.Run("cancel", func(b *testing.B) {
		py, err := shared().NewPython(&wasi.Cmd{Files: app})
		if err != nil {
			b.Fatal(err)
		}
		defer py.Close()
		var late time.Duration
		for b.Loop() {
			ctx, cancel := context.WithCancel(b.Context())
			var told time.Time
			err := py.Run(ctx, "print('begun')\nwhile True: pass", &wasi.PythonCall{Stdout: &trigger{at: "begun\n", f: func() { told = time.Now(); cancel() }}})
			late += time.Since(told)
			if exitCode(err) != 130 {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(late.Microseconds())/float64(b.N)/1000, "ms/cancel")
	})
	// From code that is compiled and kept on disk.
	b.Run("start", func(b *testing.B) {
		shared()
		for b.Loop() {
			r, err := wasi.New(&wasi.Options{CacheDir: codeCache})
			if err != nil {
				b.Fatal(err)
			}
			if got := run(b.Context(), r, wasi.Cmd{Files: app, Args: []string{"python3", "-c", "pass"}}); got.code != 0 {
				b.Fatal(got)
			}
			r.Close()
		}
	})
}
