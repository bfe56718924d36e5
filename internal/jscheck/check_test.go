package jscheck

import (
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name, src string
		category  Category
	}{
		{"size", strings.Repeat(" ", MaxSource+1), Size},
		{"nesting", strings.Repeat("[", MaxNesting+1) + strings.Repeat("]", MaxNesting+1), Syntax},
		{"unclosed", strings.Repeat("(", 100_000), Syntax},
		{"unary", "return " + strings.Repeat("!", 100_000) + "1", Syntax},
		{"arrows", strings.Repeat("(a=", 300) + "1" + strings.Repeat(")=>1", 300), Syntax},
		{"encoding", "return '\xff'", Syntax},
		{"generator", "yield 1", Syntax},
	} {
		if p, problems := Check([]byte(c.src), nil); p != nil || len(problems) == 0 || problems[0].Category != c.category {
			t.Errorf("%s: %v", c.name, problems)
		}
	}
	clean(t, "// "+strings.Repeat("x", MaxSource-10), true)
	clean(t, "return "+strings.Repeat("[", MaxNesting-2)+strings.Repeat("]", MaxNesting-2), true)
	if _, problems := Check([]byte(strings.Repeat("fetch();", 1000)), nil); len(problems) != maxProblems {
		t.Errorf("%d problems", len(problems))
	}
	// Names that lead to each other, and to all there is.
	clean(t, "let a, b, c, d;"+strings.Repeat("a = b + c; b = c + d; c = [d, a] + b; d = {a, b, c}.a;", 500)+"return params[a + b]", true)
}

// TestOriginal maps the places that goja reports for a running script.
func TestOriginal(t *testing.T) {
	const src = "type A = { b: string };\nconst f = (a: A): never => { throw new Error(a.b) };\n\nreturn f({ b: 'é' })"
	p, problems := Check([]byte(src), nil)
	if p == nil {
		t.Fatal(problems)
	}
	at := strings.Index(string(p.Code), "new Error")
	line := 1 + strings.Count(string(p.Code[:at]), "\n")
	column := at - strings.LastIndex(string(p.Code[:at]), "\n")
	if l, c, ok := p.text.original(line, column); !ok || l != 2 || c != 36 {
		t.Error(l, c, ok)
	}
	if _, _, ok := p.Original(1, 1); ok {
		t.Error("the wrapper comes from somewhere")
	}
}
