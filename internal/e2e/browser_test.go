package e2e

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	. "github.com/chromedp/chromedp"
)

// chromium returns a Chromium to test with. Without one a test is skipped and says
// so, except where CI is set: there it fails.
func chromium(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const why = "no Chromium found: install Debian's package chromium, or name one in $CHROMIUM"
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
	return ""
}

// A tab is a page of a browser of its own. It notes what a page must not do.
type tab struct {
	t     *testing.T
	ctx   context.Context
	outer *tab   // set for a frame of another tab
	where string // part of the frame's URL

	mu       sync.Mutex
	troubles []string // console errors, exceptions
	foreign  []string // requests to other hosts
}

// newTab starts a browser. host is the only one that the page may ask.
func newTab(t *testing.T, host string) *tab {
	t.Helper()
	actx, stop := NewExecAllocator(context.Background(), append(DefaultExecAllocatorOptions[:],
		ExecPath(chromium(t)), NoSandbox, DisableGPU, UserDataDir(t.TempDir()), WindowSize(1440, 900),
		Flag("no-first-run", true), Flag("disable-background-networking", true),
		Flag("disable-component-update", true), Flag("disable-sync", true))...)
	t.Cleanup(stop)
	ctx, cancel := NewContext(actx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)

	p := &tab{t: t, ctx: ctx}
	p.must(Do(ctx, Navigate("about:blank")))
	_, err := Call(ctx, network.Enable, network.EnableParams{})
	p.must(err)
	_, err = Call(ctx, log.Enable, cdp.Empty{})
	p.must(err)
	p.must(Listen(ctx, func(ev any) { p.note(ev, host) }))
	return p
}

func (p *tab) note(ev any, host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		if u, err := url.Parse(ev.Request.URL); err == nil && u.Host != "" && u.Host != host && u.Scheme != "chrome-extension" { // its viewer of documents
			p.foreign = append(p.foreign, ev.Request.URL)
		}
	case *runtime.EventExceptionThrown:
		why := ev.ExceptionDetails.Text
		if e := ev.ExceptionDetails.Exception; e != nil {
			why += " " + e.Description
		}
		p.troubles = append(p.troubles, "exception: "+why)
	case *runtime.EventConsoleAPICalled:
		if ev.Type == runtime.ConsoleAPICalledTypeError {
			text := "console:"
			for _, a := range ev.Args {
				text += fmt.Sprintf(" %s%s", a.Value, a.Description)
			}
			p.troubles = append(p.troubles, text)
		}
	case *log.EventEntryAdded:
		if ev.Entry.Level == log.EntryLevelError {
			p.troubles = append(p.troubles, fmt.Sprintf("log: %s %s", ev.Entry.Text, ev.Entry.URL))
		}
	}
}

// clean checks that the page did nothing that it must not do.
func (p *tab) clean() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, u := range p.foreign {
		p.t.Errorf("the page asked another host: %s", u)
	}
	for _, s := range p.troubles {
		p.t.Errorf("the page reported: %s", s)
	}
}

func (p *tab) must(err error) {
	p.t.Helper()
	if err != nil {
		p.shot("failure")
		p.t.Fatal(err)
	}
}

func (p *tab) open(url string) {
	p.t.Helper()
	p.must(Do(p.ctx, Navigate(url)))
}

// eval runs an expression and returns its value, awaiting a promise. A document may be on its
// way out, and a frame be replaced by one of the same name: the next is asked.
func eval[T any](p *tab, expr string) T {
	p.t.Helper()
	for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		v, err := Run(p.ctx, Evaluate[T](expr, EvalAwaitPromise))
		if err == nil {
			return v
		}
		if !gone(err) || p.outer != nil && p.outer.ctx.Err() != nil || time.Now().After(deadline) {
			p.t.Fatalf("%s: %v", expr, err)
		}
		if p.outer != nil {
			p.ctx = p.outer.frameOf(p.where).ctx
		}
	}
}

// gone tells whether it was the document that failed, not the expression.
func gone(err error) bool {
	return slices.ContainsFunc([]string{"navigated or closed", "context was destroyed", "Cannot find context", "target detached", "target closed"},
		func(s string) bool { return strings.Contains(err.Error(), s) })
}

// until waits for an expression to become true.
func (p *tab) until(expr string) {
	p.t.Helper()
	p.within(15*time.Second, expr)
}

func (p *tab) within(d time.Duration, expr string) {
	p.t.Helper()
	deadline := time.Now().Add(d)
	for !eval[bool](p, "!!("+expr+")") {
		if time.Now().After(deadline) {
			p.shot("failure")
			p.t.Fatalf("waited in vain for %s\nthe page shows: %s", expr, eval[string](p, "document.body.innerText.slice(0, 2000)"))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// click presses the first element of a selector that holds text, "" meaning any.
func (p *tab) click(selector, text string) {
	p.t.Helper()
	find := fmt.Sprintf("[...document.querySelectorAll(%q)].find(e => e.checkVisibility() && e.textContent.includes(%q))", selector, text)
	p.until(find)
	at := eval[[]float64](p, fmt.Sprintf("(() => { const e = %s; e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()", find))
	p.must(Do(p.ctx, MouseClickXY(at[0], at[1])))
}

func (p *tab) keys(keys string, opts ...KeyOption) {
	p.t.Helper()
	p.must(Do(p.ctx, KeyEvent(keys, opts...)))
}

func (p *tab) size(width, height int64) {
	p.t.Helper()
	p.must(Do(p.ctx, EmulateViewport(width, height)))
}

// shot keeps a picture of the page in the folder that $SHOTS names.
func (p *tab) shot(name string) {
	p.t.Helper()
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	if p.outer != nil {
		return
	}
	png, err := Run(p.ctx, CaptureScreenshot())
	if err != nil {
		p.t.Logf("screenshot: %v", err)
		return
	}
	file := strings.ReplaceAll(p.t.Name(), "/", "-") + "-" + name + ".png"
	if err := os.WriteFile(filepath.Join(dir, file), png, 0o644); err != nil {
		p.t.Logf("screenshot: %v", err)
	}
}

// frame returns the frame with the canvas of the open project, which is a target
// of its own since its origin is opaque.
func (p *tab) frame() *tab {
	p.t.Helper()
	return p.frameOf("/canvas/" + eval[string](p, "new URL(location).searchParams.get('project') ?? ''") + "/")
}

// frameOf returns the frame that is a target of its own and has part in its URL.
func (p *tab) frameOf(part string) *tab {
	p.t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for {
		targets, err := Targets(p.ctx)
		p.must(err)
		for _, target := range targets {
			if target.Type != "iframe" || !strings.Contains(target.URL, part) {
				continue
			}
			ctx, cancel := NewContext(p.ctx, WithTargetID(target.TargetID), WithDetachOnCancel())
			p.t.Cleanup(cancel)
			return &tab{t: p.t, ctx: ctx, outer: p, where: part}
		}
		if time.Now().After(deadline) {
			p.shot("failure")
			p.t.Fatal("there is no frame of its own with " + part)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func quote(s string) string { return strconv.Quote(s) }
