package wasi

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

//go:embed help.txt
var helpText string

// What toybox says of its commands; the module does without.
//
//go:embed helptoybox.txt
var toyboxHelp string

// helps is what there is to say about commands, by name. A text is below a line "=== NAME...".
var helps = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, text := range []string{toyboxHelp, helpText} {
		for section := range strings.SplitSeq("\n"+text, "\n=== ") {
			names, about, _ := strings.Cut(section, "\n")
			for name := range strings.FieldsSeq(names) {
				all[name] = about + "\n"
			}
		}
	}
	return all
})

// helpful has a command of ours answer --help.
func helpful(name string, cmd command) command {
	return func(ctx context.Context, p *proc) error {
		if len(p.args) == 2 && p.args[1] == "--help" {
			_, err := io.WriteString(p.stdout, helps()[name])
			return written(err)
		}
		return cmd(ctx, p)
	}
}

// help lists the commands; help NAME tells what one does.
func help(ctx context.Context, p *proc) error {
	if len(p.args) > 1 {
		return p.helpFor(ctx, p.args[1:])
	}
	var b strings.Builder
	line := 0
	for _, name := range p.names {
		if line+len(name)+1 > 78 {
			b.WriteString("\n")
			line = 0
		}
		b.WriteString(name + " ")
		line += len(name) + 1
	}
	_, err := io.WriteString(p.stdout, strings.ReplaceAll(b.String(), " \n", "\n")+"\n\nhelp NAME tells what a command does.\n")
	return written(err)
}

func (p *proc) helpFor(ctx context.Context, names []string) error {
	var out error
	for _, name := range names {
		text, ours := helps()[name]
		switch {
		case ours && p.r.opts.Builtins[name] == nil && p.r.opts.Modules[name] == nil && (p.has(name) || slices.Contains(shellWords, name)):
			if _, err := io.WriteString(p.stdout, text); err != nil {
				return written(err)
			}
		case p.has(name):
			if err := p.run(ctx, p.with([]string{name, "--help"})); err != nil {
				out = err
			}
		default:
			fmt.Fprintf(p.stderr, "%s: there is no command %s\n", p.name(), name)
			out = &ExitError{Code: 1}
		}
	}
	return out
}
