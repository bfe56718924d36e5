package htmlrewrite

import (
	"fmt"
	"strings"
	"testing"
)

func selector(t testing.TB, s string) *Selector {
	t.Helper()
	sel, err := ParseSelector(s)
	if err != nil {
		t.Fatal(err)
	}
	return sel
}

// rewrite runs a document through a rewriter in pieces of size bytes; handle is called for each call.
func rewrite(rw *Rewriter, in string, size int, handle func(Call)) (string, error) {
	var out strings.Builder
	run := func() error {
		for {
			c, err := rw.Next()
			if err != nil {
				return err
			}
			if c.Unit == nil {
				break
			}
			if handle != nil {
				handle(c)
			}
		}
		for _, s := range rw.Output() {
			out.Write(s.Bytes)
		}
		return nil
	}
	for b := []byte(in); len(b) > 0; {
		n := min(size, len(b))
		rw.Write(b[:n:n])
		b = b[n:]
		if err := run(); err != nil {
			return out.String(), err
		}
	}
	rw.Close()
	err := run()
	return out.String(), err
}

// everything are rules that see all there is.
func everything(t testing.TB) *Rewriter {
	return New([]Rule{
		{Selector: selector(t, "*"), Element: true, Text: true, Comments: true},
		{Selector: selector(t, "p > b, [a^=x] :not(i):nth-of-type(2n), #q.r"), Element: true, Text: true},
	}, []DocumentRule{{Doctype: true, Comments: true, Text: true, End: true}})
}

// trace notes what the handlers saw, the text of a node in one piece.
type trace struct {
	log  []string
	text string
}

func (tr *trace) see(c Call) {
	switch u := c.Unit.(type) {
	case *Element:
		var attrs []string
		for _, a := range u.Attributes() {
			attrs = append(attrs, fmt.Sprintf("%q=%q", a.Name, a.Value))
		}
		tr.log = append(tr.log, fmt.Sprint(c.Rule, u.Name(), u.Namespace(), attrs))
		u.OnEndTag(u.Name())
	case *Text:
		if c.Rule < 2 {
			return
		}
		tr.text += u.Text
		if u.Last {
			tr.log = append(tr.log, fmt.Sprintf("text %q", tr.text))
			tr.text = ""
		}
	case *Comment:
		tr.log = append(tr.log, fmt.Sprintf("%d comment %q", c.Rule, u.Text()))
	case *EndTag:
		tr.log = append(tr.log, fmt.Sprintf("end %v %s", c.Handler, u.Name()))
	default:
		tr.log = append(tr.log, fmt.Sprintf("%d %T", c.Rule, u))
	}
}

// documents are odd ones, each at a corner of the lexer.
var documents = []string{
	"", "<", "</", "<!", "<!-", "<!--", "<!-- x", "<!-- x --", "<!-->a", "<!--->a", "<!---->a", "<!--a--!>b", "<!--a--->b", "<!--a--b-->c", "<?php x ?>", "</ x>", "</>a", "<!x>",
	"a < b <3 <", "<p", "<p a", "<p a=", "<p a='", "<p a='x>", "</p", "<p a=b/>", "<p/>", "<p / a>", "<p a=1 b='2' c=\"3\" d e = f g=/h>x</p >", "<p =a==b>", "<p a b=c/d/>", "<p a='1'b=2>",
	"<!doctype html>x", "<!DOCTYPE html PUBLIC \"a\" 'b'>", "<!doctype", "<!doctypehtml>",
	"<script>a<b</script>c", "<script><!-- <script> </script> --></script>d", "<script><!--</script>e", "<script><!--><script></script>f", "<script><!-- - -- <script>a</script>-->b</script>g", "<script>x</scrip", "<script></SCRIPT x=1>h",
	"<style><p></style><title>a<b></title><textarea>x</textarea ></p>", "<title></titl></title>", "<plaintext><p></plaintext>", "<xmp><p></xmp>",
	"<svg><title><p></title><![CDATA[<p>]]></svg><![CDATA[x]]>", "<svg><![CDATA[a]]b]]]><![CDATA[", "<svg><style><p></style></svg>", "<math><mi><p></mi><annotation-xml encoding=text/html><b></annotation-xml></math>", "<svg><font color><a/></svg>",
	"<div><p>a</div><b>", "<ul><li>1<li>2</ul>", "<p a=x><b></b><b></b><i></i><b></b></p>", "h\u00e9 \U0001F600\xff\xfe<b>\xe2\x82</b>\xf0\x9f", "<\u00e9>", "<a\u00e9 \u00e9=\u00e9>", "\x00<a\x00b \x00>\x00", "a\r\n<b\r\nc\r\n=\r\n'd'>",
}

func checkIdentity(t *testing.T, in string) {
	t.Helper()
	var want trace
	_, wantErr := rewrite(everything(t), in, len(in)+1, want.see)
	if plain, err := rewrite(New(nil, nil), in, 7, nil); err == nil && plain != in {
		t.Fatalf("without handlers %q becomes %q", in, plain)
	}
	for _, size := range []int{1, 2, 3, 5, 8, 64, len(in) + 1} {
		var got trace
		out, err := rewrite(everything(t), in, size, got.see)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%q in pieces of %d: %v, want %v", in, size, err, wantErr)
		}
		if err != nil {
			continue
		}
		if out != in {
			t.Fatalf("%q in pieces of %d becomes %q", in, size, out)
		}
		if g, w := strings.Join(got.log, "\n"), strings.Join(want.log, "\n"); g != w {
			t.Fatalf("%q in pieces of %d:\n%s\nbut in one:\n%s", in, size, g, w)
		}
	}
}

func TestIdentity(t *testing.T) {
	for _, in := range documents {
		checkIdentity(t, in)
	}
	checkIdentity(t, strings.Join(documents, ""))
}

func FuzzIdentity(f *testing.F) {
	for _, in := range documents {
		f.Add(in)
	}
	f.Fuzz(checkIdentity)
}

func FuzzSelector(f *testing.F) {
	for _, s := range []string{"*", "a > b c", "a:not(.b, #c):nth-child(2n+1)", "[a~='b' i]", "\\31 x", "a,b", "*|a", "[a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		sel, err := ParseSelector(s)
		if err != nil {
			return
		}
		rw := New([]Rule{{Selector: sel, Element: true}}, nil)
		doc := "<a b=c class='x y'><b id=q><c></c></b><b></b></a>"
		if out, err := rewrite(rw, doc, 9, nil); err != nil || out != doc {
			t.Fatalf("%q: %q, %v", s, out, err)
		}
	})
}

// TestMemory proves that what has no bounds streams, and what cannot stream has bounds.
func TestMemory(t *testing.T) {
	piece := strings.Repeat("x", 1<<16)
	rw := everything(t)
	rw.Write([]byte("<p>"))
	for range 1600 { // 100 MB of text
		rw.Write([]byte(piece))
		for {
			if c, err := rw.Next(); err != nil {
				t.Fatal(err)
			} else if c.Unit == nil {
				break
			}
		}
		if len(rw.lex.buf) > 0 {
			t.Fatalf("%d bytes of text are held", len(rw.lex.buf))
		}
		rw.Output()
	}
	for name, in := range map[string][2]string{
		"attribute": {"<p a='", piece}, "comment": {"<!--", piece}, "bogus": {"<?", piece}, "name": {"<x", piece}, "depth": {"", strings.Repeat("<p>", 1<<10)},
		"kinds": {"", ""},
	} {
		rw := everything(t)
		rw.Write([]byte(in[0]))
		var err error
		for i := 0; err == nil && i < 1<<11; i++ {
			text := []byte(in[1])
			for k := 0; len(in[1]) == 0 && k < 1000; k++ {
				text = fmt.Appendf(text, "<x%d-%d>", i, k)
				text = fmt.Appendf(text, "</x%d-%d>", i, k)
			}
			rw.Write(text)
			var c Call
			for {
				if c, err = rw.Next(); err != nil || c.Unit == nil {
					break
				}
			}
			rw.Output()
		}
		if err != ErrMemory {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What handlers insert at one place is bounded.
func TestMaxContent(t *testing.T) {
	for _, n := range []int{10, 11} {
		rw := New([]Rule{{Selector: selector(t, "p"), Element: true}}, nil)
		rw.MaxContent = 1000
		rw.Write([]byte("<p></p><p></p>"))
		rw.Close()
		var err error
		for {
			var c Call
			if c, err = rw.Next(); err != nil || c.Unit == nil {
				break
			}
			for range n {
				c.Unit.(*Element).Before(Content{Text: strings.Repeat("x", 100)})
			}
		}
		if want := n > 10; (err == ErrMemory) != want {
			t.Errorf("%d times 100 bytes: %v", n, err)
		}
	}
}

func BenchmarkRewrite(b *testing.B) {
	page := strings.Repeat(`<div class="item" id="i7"><a href="/some/where?x=1&amp;y=2">A link to <b>somewhere</b></a><p>Some text that goes on for a while, as text does.</p><!-- note --></div>`+"\n", 5000)
	for _, c := range []struct {
		name string
		rw   func() *Rewriter
	}{
		{"nothing", func() *Rewriter { return New(nil, nil) }},
		{"miss", func() *Rewriter { return New([]Rule{{Selector: selector(b, "table td.x"), Element: true}}, nil) }},
		{"links", func() *Rewriter { return New([]Rule{{Selector: selector(b, "div > a[href]"), Element: true}}, nil) }},
		{"everything", func() *Rewriter { return everything(b) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				rewrite(c.rw(), page, 1<<16, func(c Call) {
					if e, ok := c.Unit.(*Element); ok && e.Name() == "a" {
						e.SetAttribute("rel", "x")
					}
				})
			}
		})
	}
}
