package jscheck

import (
	"bytes"

	"samkit.dev/internal/jsrt"
)

// goja knows neither import() nor import.meta: both end its parsing. So that the script's
// author learns of all problems at once, a copy of the code gets another word for import, and
// is parsed once more. It is never compiled, since there is a problem by then.
type imports struct {
	text     *text
	code     []byte
	problems []Problem
}

// maxImports bounds how often a script is parsed.
const maxImports = 10

// notImport stands for import, and is as long.
const notImport = "imp0rt"

func newImports(t *text) *imports { return &imports{text: t, code: t.code} }

// take notes an import that wrong is about, and reports whether it is about one and the code is worth parsing again.
func (im *imports) take(wrong *jsrt.SyntaxError) bool {
	i := im.text.offset(wrong.Line, wrong.Column)
	if i < 0 || !bytes.HasPrefix(im.code[i:], []byte("import")) || len(im.problems) == maxImports {
		return false
	}
	p := Problem{Category: Modules, Name: "import()"}
	if after := bytes.TrimLeft(im.code[i+len("import"):], " \t\r\n"); bytes.HasPrefix(after, []byte(".")) {
		p.Name = "import.meta"
	}
	im.problems = append(im.problems, im.text.problem(p, wrong.Line, wrong.Column))
	im.code = bytes.Clone(im.code)
	copy(im.code[i:], notImport)
	return true
}

// without returns the problems that the code has by itself.
func (im *imports) without(problems []Problem) []Problem {
	kept := problems[:0]
	for _, p := range problems {
		if p.Name != notImport || len(im.problems) == 0 {
			kept = append(kept, p)
		}
	}
	return kept
}
