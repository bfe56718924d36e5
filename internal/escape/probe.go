package escape

import (
	"embed"
	"fmt"
	"io/fs"

	"slices"
	"strings"
)

// A probe is one small attack.
type probe struct {
	area   string // the first line of its file
	name   string
	what   string // a sentence
	script string // body of an async function of x, see app/attack.js; markup for a page of the program

	from     string    // whose page runs it: the app's (""), the program's ("host") or a stranger's ("evil")
	only     placement // 0: everywhere
	alone    bool      // needs a page for itself, as it leaves it
	changes  bool      // likewise where it succeeds, as it changes what others find
	single   bool      // needs a run for itself, as it ends it or moves other frames
	click    bool      // needs somebody to click first
	sends    bool      // is out to tell another server, which is not promised away everywhere
	trusted  string    // what it does in Trusted: "" escapes or sends; "none"; "any"; or the one browser where it does
	referrer bool      // has the attacker's server look for a sealed path in Referer
}

//go:embed probes all:app victim
var files embed.FS

// areas are the files of probes in the order of the page.
var areas = strings.Fields("documents storage cookies requests forms tab files gadgets neighbours powers leaving")

// readProbes returns all probes in order.
//
// A file of them starts with what they have in common. Each begins with "== " and its name, then
// come what it does, options after "@ ", and the script.
func readProbes() ([]*probe, error) {
	var all []*probe
	seen := map[string]bool{}
	for _, area := range areas {
		data, err := files.ReadFile("probes/" + area + ".txt")
		if err != nil {
			return nil, err
		}
		title, rest, _ := strings.Cut(string(data), "\n")
		for i, text := range strings.Split(rest, "\n== ") {
			if i == 0 {
				continue
			}
			p, err := parseProbe(title, text)
			if err != nil {
				return nil, fmt.Errorf("probes/%s.txt: %w", area, err)
			}
			if seen[p.name] {
				return nil, fmt.Errorf("probes/%s.txt: %q is there twice", area, p.name)
			}
			seen[p.name] = true
			all = append(all, p)
		}
	}
	return all, nil
}

func parseProbe(area, text string) (*probe, error) {
	p := &probe{area: area}
	p.name, text, _ = strings.Cut(text, "\n")
	p.what, text, _ = strings.Cut(text, "\n")
	if options, ok := strings.CutPrefix(text, "@ "); ok {
		options, text, _ = strings.Cut(options, "\n")
		for _, o := range strings.Fields(options) {
			name, value, _ := strings.Cut(o, "=")
			switch name {
			case "framed":
				p.only = framed
			case "top":
				p.only = top
			case "alone":
				p.alone = true
			case "single":
				p.single = true
			case "changes":
				p.changes = true
			case "click":
				p.click = true
			case "sends":
				p.sends = true
			case "referrer":
				p.referrer = true
			case "from":
				p.from = value
			case "trusted":
				p.trusted = value
			default:
				return nil, fmt.Errorf("%s: there is no option %q", p.name, o)
			}
		}
	}
	p.script = strings.TrimSpace(text)
	if p.name == "" || p.what == "" || p.script == "" {
		return nil, fmt.Errorf("%q: a name, what it does and a script are needed", p.name)
	}
	return p, nil
}

// opens reports whether a probe opens windows when it is clicked, which then are in front of its own.
func (p *probe) opens() bool {
	return p.click && (strings.Contains(p.script, "open(") || strings.Contains(p.script, "_blank"))
}

// script is the file in which the probes come to a page.
func script(probes []*probe) string {
	var b strings.Builder
	b.WriteString("const probes = {\n")
	for _, p := range probes {
		if p.from != "host" {
			fmt.Fprintf(&b, "%q: async (x) => {\n%s\n},\n", p.name, p.script)
		}
	}
	b.WriteString("};\n")
	return b.String()
}

// folder returns the files below a folder of this package.
func folder(name string) (map[string]string, error) {
	all := map[string]string{}
	err := fs.WalkDir(files, name, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := files.ReadFile(p)
		all[strings.TrimPrefix(p, name+"/")] = string(data)
		return err
	})
	return all, err
}

// matching returns the probes whose names hold a word.
func matching(probes []*probe, word string) []*probe {
	return slices.DeleteFunc(slices.Clone(probes), func(p *probe) bool { return !strings.Contains(p.name, word) })
}
