package wasi_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"samkit.dev/sam"
	"samkit.dev/wasi"
)

var regenerate = flag.Bool("regenerate", false, "write the answers of the machine's tools, Debian's, into testdata/debian")

// A transcript is a script and what came of it. In testdata/debian it is written
//
//	$ the script
//	> its other lines
//	  what it printed
//	[3]
//	! why it is another answer here
//
// with its exit code if that is not zero, and a last line "\" if there is no newline at the end.
type transcript struct {
	script, out string
	code        int
	differs     string
}

func parseTranscripts(text string) (all []*transcript) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "$ "); ok {
			all = append(all, &transcript{script: rest})
			continue
		}
		if len(all) == 0 || line == "" {
			continue
		}
		c := all[len(all)-1]
		switch line[0] {
		case '>':
			c.script += "\n" + strings.TrimPrefix(line, "> ")
		case ' ':
			c.out += strings.TrimPrefix(line, "  ") + "\n"
		case '\\':
			c.out = strings.TrimSuffix(c.out, "\n")
		case '[':
			c.code, _ = strconv.Atoi(strings.Trim(line, "[]"))
		case '!':
			c.differs = strings.TrimPrefix(line, "! ")
		}
	}
	return all
}

func (c *transcript) String() string {
	var b strings.Builder
	b.WriteString("$ " + strings.ReplaceAll(c.script, "\n", "\n> ") + "\n")
	for line := range strings.Lines(c.out) {
		b.WriteString("  " + strings.TrimSuffix(line, "\n") + "\n")
	}
	if c.out != "" && !strings.HasSuffix(c.out, "\n") {
		b.WriteString("\\\n")
	}
	if c.code != 0 {
		fmt.Fprintf(&b, "[%d]\n", c.code)
	}
	if c.differs != "" {
		b.WriteString("! " + c.differs + "\n")
	}
	return b.String()
}

// transcriptFiles is what the scripts find.
var transcriptFiles = sam.Files{
	"people.csv": "name,age,city\nada,36,london\ngrace,85,new york\nalan,41,london\nlinus,,helsinki\n",
	"people.txt": "ada 36 london\ngrace 85 york\nalan 41 london\n",
	"words.txt":  "the quick brown fox\njumps over the lazy dog\n\nThe end\n\ttab and  spaces\n",
	"nums.txt":   "10\n9\n100\n1\n-3\n2.5\n", "dup.txt": "b\na\na\nb\nb\nc\n",
	"left.txt": "1 a\n2 b\n3 c\n5 e\n", "right.txt": "1 x\n3 y\n4 z\n",
	"data.json":   `{"users":[{"name":"ada","n":1},{"name":"bob","n":2}],"ok":true}` + "\n",
	"src/main.js": "import x from './lib.js'\nconsole.log(x) // TODO\n", "src/lib.js": "export default 1\n", "src/deep/er/a.txt": "deep\n", "empty.txt": "",
}

// Scripts print what they print on Debian with GNU's tools, original-awk, jq and sqlite3, and exit with the same code.
// In CI, and with -regenerate, those are asked; elsewhere their answers of then are enough.
func TestTranscripts(t *testing.T) {
	names, err := filepath.Glob("testdata/debian/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	total, differ := 0, 0
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		cases := parseTranscripts(string(data))
		var text strings.Builder
		for i, c := range cases {
			if i%each != 0 && !*regenerate {
				continue
			}
			total++
			t.Run(filepath.Base(name)+"/"+c.script[:min(len(c.script), 40)], func(t *testing.T) {
				if *regenerate || os.Getenv("CI") != "" {
					out, code := onDebian(t, c.script)
					if !*regenerate && (out != c.out || code != c.code) {
						t.Errorf("%s\n-- Debian, exit code %d\n%s\n-- stored, exit code %d\n%s", c.script, code, out, c.code, c.out)
					}
					c.out, c.code = out, code
				}
				got := script(t.Context(), shared(), c.script, wasi.Cmd{Files: project(t, transcriptFiles)})
				same := got.out == c.out && got.code == c.code
				if !same && c.differs == "" {
					t.Errorf("%s\n-- here, exit code %d\n%s\n-- on Debian, exit code %d\n%s\n-- messages\n%s", c.script, got.code, got.out, c.code, c.out, got.err)
				}
				if c.differs != "" {
					differ++
					if same {
						t.Errorf("%s: the same answer; it is listed as another, since %s", c.script, c.differs)
					}
				}
			})
			text.WriteString(c.String())
		}
		if *regenerate {
			if err := os.WriteFile(name, []byte(text.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d scripts, of which %d have another answer than Debian's", total, differ)
}

// onDebian runs a script with the machine's tools.
func onDebian(t *testing.T, text string) (out string, code int) {
	dir := t.TempDir()
	awk, err := exec.LookPath("original-awk")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(awk, filepath.Join(bin, "awk")); err != nil {
		t.Fatal(err)
	}
	for name, data := range transcriptFiles {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", text)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + dir, "LC_ALL=C.UTF-8", "TZ=UTC"}
	var b bytes.Buffer
	cmd.Stdout = &b
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return b.String(), code
}
