package workers

import (
	"io"
	"strings"
	"testing"

	"samkit.dev/kv"
)

// TestHTMLRewriter has handlers that wait for bindings while the response streams.
func TestHTMLRewriter(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { async fetch(request, env) {
			await env.KV.put("title", "from KV")
			const page = new Response("<title>old</title>" + "<p>text</p>".repeat(20000), { headers: { "content-type": "text/html" } })
			return new HTMLRewriter()
				.on("title", { async element(e) { e.setInnerContent(await env.KV.get("title")) } })
				.on("p:nth-of-type(20000)", { async element(e) { await new Promise(r => setTimeout(r, 5)); e.append("!") } })
				.onDocument({ end(e) { e.append("<!-- end -->", { html: true }) } })
				.transform(page)
		} }`, Binding{Name: "KV", KV: kv.New(project(t).State(), "KV")})
		res, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test/"})
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(res.Body)
		res.Body.Close()
		want := "<title>from KV</title>" + strings.Repeat("<p>text</p>", 19999) + "<p>text!</p><!-- end -->"
		if err != nil || string(data) != want {
			t.Fatalf("%d bytes, want %d, %v", len(data), len(want), err)
		}
	})
}
