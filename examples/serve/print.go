package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"unicode"

	"samkit.dev/host/console"
)

// printConsole shows on standard error what the app prints, until ctx ends.
func printConsole(ctx context.Context, out *console.Buffer) {
	var seen uint64
	told := map[string]bool{}
	for {
		changed := out.Changed()
		for e := range out.Since(seen) {
			seen = e.Seq
			fmt.Fprintln(os.Stderr, line(e))
			if h := hint(e); h != "" && !told[h] {
				told[h] = true
				fmt.Fprintln(os.Stderr, "serve:", h)
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// hint says which flag of this command grants what an entry says that the app lacks, or
// gives "".
func hint(e console.Entry) string {
	switch {
	case e.Origin != console.System:
	case strings.Contains(e.Text, "fetch_denied"):
		return "-fetch HOST lets functions.js fetch from a host, -fetch '*' from all"
	case strings.Contains(e.Text, "header Set-Cookie "), strings.Contains(e.Text, "header Cookie "), strings.Contains(e.Text, "header Www-Authenticate "):
		return "-origin trusted gives the app cookies and storage in the browser"
	}
	return ""
}

// line writes an entry for a terminal.
func line(e console.Entry) string {
	parts := []string{e.Level.String(), string(e.Origin)}
	for _, part := range []string{e.Request, e.Source, e.Text} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	text := strings.Join(parts, " ")
	if e.Level >= slog.LevelError && !strings.Contains(e.Text, e.Stack) {
		text += "\n" + e.Stack
	}
	return strings.Map(printable, colour.ReplaceAllString(text, ""))
}

// colour is what libraries print for terminals, which the console has without its control
// character.
var colour = regexp.MustCompile("[\x1b\uFFFD]\\[[0-9;]*m")

// printable keeps an app from steering the terminal.
func printable(r rune) rune {
	if r == '\n' || r == '\t' || unicode.IsPrint(r) {
		return r
	}
	return unicode.ReplacementChar
}
