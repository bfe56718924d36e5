package host

import (
	"fmt"
	"strings"
)

// Markdown returns the manual page of c for agents: each function with its
// sentence, its argument and its result in TypeScript's notation.
func Markdown(c Caller) string {
	var b strings.Builder
	_, flat := c.(*Capability)
	for i, g := range group(c) {
		if i > 0 {
			b.WriteByte('\n')
		}
		switch {
		case g.name == "":
			b.WriteString("# Functions\n")
		case flat || g.oldest:
			fmt.Fprintf(&b, "# %s (version %d)\n", g.name, g.version)
		default:
			fmt.Fprintf(&b, "# %s@%d\n", g.name, g.version)
		}
		path := g.path()
		if flat {
			path = ""
		}
		for _, f := range g.funcs {
			describe(&b, path, f)
		}
	}
	return b.String()
}

// path is how code reaches the functions of a group.
func (g *funcGroup) path() string {
	switch {
	case g.name == "":
		return ""
	case g.oldest:
		return g.name + "."
	}
	return fmt.Sprintf("[%q].", fmt.Sprintf("%s@%d", g.name, g.version))
}

func describe(b *strings.Builder, path string, f Func) {
	fmt.Fprintf(b, "\n## %s%s\n\n", path, f.Name)
	if doc := strings.Join(strings.Fields(f.Doc), " "); doc != "" {
		b.WriteString(doc)
		if !f.Reads {
			b.WriteString(" Changes things.")
		}
		b.WriteString("\n\n")
	}
	in, out := newTSType(f.Input, f.Name+"_in"), newTSType(f.Output, f.Name+"_out")
	fmt.Fprintf(b, "```ts\n%s(%s): Promise<%s>\n", f.Name, parameter(in, 0), f.Streaming.of(out.text(0)))
	for _, d := range append(in.decls(), out.decls()...) {
		b.WriteString(strings.TrimPrefix(d, "export ") + "\n")
	}
	b.WriteString("```\n")
}
