package wasi_test

import (
	"strings"
	"testing"

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
