package canvas

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// costlyPages make the most work of their bytes, each in its way.
var costlyPages = map[string]func(n int) string{
	"text":       func(n int) string { return strings.Repeat("text ", n/5) },
	"tags":       func(n int) string { return strings.Repeat("<p>", n/3) },
	"links":      func(n int) string { return strings.Repeat("<a href=/>", n/10) },
	"styles":     func(n int) string { return strings.Repeat("<p style=url(/)>", n/16) },
	"style":      func(n int) string { return "<style>" + strings.Repeat("url(/)", n/6) + "</style>" },
	"backslash":  func(n int) string { return "<style>" + strings.Repeat(`\u`, n/2) + "</style>" },
	"comments":   func(n int) string { return "<style>" + strings.Repeat(`/*`, n/2) + "</style>" },
	"open":       func(n int) string { return "<style>" + strings.Repeat(`url("`, n/5) + "</style>" },
	"attributes": func(n int) string { return "<p " + strings.Repeat("a ", n/2) + ">" },
	"sources":    func(n int) string { return "<img srcset='" + strings.Repeat("/,", n/2) + "'>" },
	"references": func(n int) string { return "<a href='/" + strings.Repeat("&amp", n/4) + "'>" },
	"modules":    func(n int) string { return strings.Repeat("<script type=module>", n/20) },
	"unclosed":   func(n int) string { return strings.Repeat("<!--", n/4) },
	"markup":     func(n int) string { return strings.Repeat("<", n) },
	"bases":      func(n int) string { return strings.Repeat("<base href=/a/>", n/15) },
	"map": func(n int) string {
		return `<script type=importmap>{"imports":{` + strings.Repeat(`"/":"/",`, n/8) + `"a":"b"}}</script>`
	},
}

func BenchmarkRewritePage(b *testing.B) {
	for name, page := range costlyPages {
		for _, n := range []int{64 << 10, 4 << 20} {
			b.Run(name+"/"+map[bool]string{true: "64KB", false: "4MB"}[n == 64<<10], func(b *testing.B) {
				text := []byte(page(n))
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					h := htmlRewriter{rel: "../", inject: testInject, w: io.Discard}
					if err := h.copy(bytes.NewReader(text)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
