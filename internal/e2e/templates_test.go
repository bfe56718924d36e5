package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	. "github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"samkit.dev/sam"
)

// Each template of a project works as it is: in both themes, in a narrow window, with nothing for axe-core to find, without an
// error and without a request to anybody else.
func TestTemplatesByThemselves(t *testing.T) {
	source := axe(t)
	d := newDesk(t)
	for _, c := range []struct{ template, shows string }{
		{"notes", "document.querySelectorAll('.note').length == 3"},
		{"static", "document.querySelectorAll('#cards li').length == 3"},
		{"react", "document.querySelectorAll('li').length == 4"},
		{"hono", "document.querySelectorAll('#choices button').length == 3"},
		{"api", "!document.querySelector('#empty').hidden"},
		{"game", "document.querySelector('#card button')"},
		{"blank", "document.querySelector('h1').textContent == 'Hello'"},
	} {
		t.Run(c.template, func(t *testing.T) {
			d := &desk{t: t, srv: d.srv, token: d.token, bench: d.bench}
			d.template(c.template, c.template)
			b := newTab(t, strings.TrimPrefix(d.srv.URL, "http://"))
			b.size(900, 700)
			b.open(d.srv.URL + "/canvas/" + c.template + "/")
			b.until(c.shows)
			switch c.template {
			case "react":
				tryReact(b, d.srv.URL)
			case "hono":
				tryHono(b)
			}
			for _, theme := range []string{"light", "dark"} {
				_, err := Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}})
				b.must(err)
				b.until(fmt.Sprintf("matchMedia('(prefers-color-scheme: %s)').matches", theme))
				b.check(source, theme)
				b.shot(theme)
			}
			b.size(360, 640)
			if over := eval[int](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
				t.Errorf("at 360 px it is %d px too wide", over)
			}
			b.shot("narrow")
			b.clean()
			buf, err := d.bench.Console(context.Background(), sam.ProjectID(c.template))
			if err != nil {
				t.Fatal(err)
			}
			for e := range buf.Since(0) {
				if e.Level >= slog.LevelError {
					t.Errorf("its console has %s %s", e.Level, e.Text)
				}
			}
		})
	}
}

// tryReact packs, adds and filters.
func tryReact(b *tab, at string) {
	b.t.Helper()
	b.click("li label", "Rain jacket")
	b.until("document.querySelector('header p').textContent == '2 of 4 packed'")
	b.click("form input", "")
	b.insert("Tent")
	b.keys(kb.Enter)
	b.until("document.querySelectorAll('li').length == 5")
	b.click("nav button", "to pack")
	b.until("[...document.querySelectorAll('li')].map((e) => e.innerText.trim().split('\\n')[0]).join() == 'Charger and the odd plug,Book for the train,Tent'")
}

// tryHono votes, changes its mind, and does what the API refuses.
func tryHono(b *tab) {
	b.t.Helper()
	b.click("#choices button", "The ridge")
	b.until("document.querySelector('#trouble').textContent.includes('Who are you?')")
	b.insert("Ada")
	b.click("#choices button", "The ridge")
	b.until("document.querySelector('#choices').innerText.includes('Ada')")
	b.click("#choices button", "Around the lake")
	b.until("[...document.querySelectorAll('#choices i')].map((e) => e.textContent).join() == '0,1,0'")
	got := eval[string](b, `Promise.all([["/api/none"], ["/api/votes/ada", { method: "DELETE" }]].map(async ([u, o]) => { const r = await fetch(u, o); return r.status + " " + JSON.stringify(await r.json()).slice(0, 40) })).then((all) => all.join(" | "))`)
	if !strings.HasPrefix(got, `404 {"error":"There is nothing here."} | 200 [{"id":"ridge"`) {
		b.t.Errorf("the API answers %s", got)
	}
	b.mu.Lock()
	b.troubles = nil // the 404 above
	b.mu.Unlock()
}
