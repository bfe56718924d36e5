package escape

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"samkit.dev/canvas"
)

// How long a run waits. A page that does not start in the first is a failure of the test, never a
// probe that was blocked. What is expected is waited for, however slow the machine; what is not has
// the others' time to come about.
const (
	patience = 40 * time.Second
	overdue  = 12 * time.Second // for a page that went away and so can't tell that it ended
)

// plan groups probes into runs, few of them: a start of a page costs more than a probe.
func plan(m mode, probes []*probe) (runs []*run, err error) {
	add := func(place placement, probes ...*probe) {
		for batch := range slices.Chunk(probes, 25) {
			r, rerr := newRun(m, place, batch)
			runs, err = append(runs, r), errors.Join(err, rerr)
		}
	}
	for _, place := range placements {
		var together, clicked, frames, gadgets []*probe
		for _, p := range probes {
			switch {
			case p.only != 0 && p.only != place:
			case m.proof && (p.trusted == "none" || place == confined || p.only == 0 && p.from == "" && (place == top) == p.alone):
			case place == confined && (!p.sends || p.from != ""):
			case p.from != "" && place != top:
			case p.from == "host":
				gadgets = append(gadgets, p)
			case p.single, p.from == "evil", m.proof && p.changes, p.alone && place == top, p.opens() && m.origin == canvas.Own:
				add(place, p)
			case p.alone:
				frames = append(frames, p)
			case p.click:
				clicked = append(clicked, p)
			default:
				together = append(together, p)
			}
		}
		add(place, together...)
		add(place, clicked...)
		add(place, frames...)
		add(place, gadgets...)
	}
	return runs, err
}

// address is where a run's browser begins.
func (w *world) address(r *run) string {
	then := ""
	q := r.query(w, r.probes...)
	switch from := r.probes[0].from; {
	case from == "host":
		then = "/gadget"
	case from == "evil":
		then = evilURL + "/page?" + q
	case r.shipped:
		then = r.mode.project(w, r, "attacker") + "~frame/page.xhtml?" + q
	case r.place == top:
		then = r.mode.project(w, r, "attacker") + "page.xhtml?" + q
		if r.mode.origin == canvas.Own {
			then = r.mode.project(w, r, "victim") + "?" + url.Values{"then": {then}}.Encode() // so that there is a session to steal
		}
	default:
		page := url.Values{}
		if r.probes[0].alone && !r.probes[0].changes {
			for _, p := range r.probes {
				page.Add("app", r.mode.sealed(w, r)+"page.xhtml?"+r.query(w, p))
			}
		} else {
			page.Add("app", r.mode.sealed(w, r)+"page.xhtml?"+q)
		}
		if r.place == confined {
			page.Set("policy", r.mode.frames)
		}
		if r.mentions("sibling") {
			page.Set("sibling", "/admin")
		}
		if r.mode.origin == canvas.Own && r.mentions("victim") {
			page.Set("neighbour", r.mode.project(w, r, "victim"))
		}
		then = "/page?" + page.Encode()
	}
	return hostURL + "/start?" + url.Values{"run": {r.id}, "then": {then}}.Encode()
}

// attack does a run in a browser.
func (w *world) attack(ctx context.Context, b browser, r *run) error {
	ctx, cancel := context.WithTimeout(ctx, 3*patience)
	defer cancel()
	w.enter(r)
	t, err := b.open(ctx, w.address(r))
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		t.close(ctx)
	}()
	if r.probes[0].click {
		if err := r.await(ctx, patience, func() bool { return r.ready }); err != nil {
			return fmt.Errorf("the page is not ready: %w", err)
		}
		time.Sleep(100 * time.Millisecond) // a frame takes clicks once it is painted
		if err := w.clicked(ctx, t, r); err != nil {
			return err
		}
	}
	if err := r.await(ctx, patience, func() bool { return len(r.begun) == len(r.probes) }); err != nil {
		return fmt.Errorf("probes did not begin: %w", err)
	}
	late := overdue
	if r.probes[0].alone {
		late = 2 * w.grace
	}
	r.await(ctx, late, func() bool { return len(r.ended) == len(r.probes) || r.mode.proof && r.satisfied() })
	r.await(ctx, patience/2, r.satisfied)
	if !r.mode.proof {
		time.Sleep(w.grace)
	}
	if r.place != top {
		at, err := t.where(ctx)
		if errors.Is(err, errClosed) {
			r.add("", closes, "the program's tab")
			return nil
		}
		if err != nil {
			return err
		}
		if !strings.HasPrefix(at, hostURL+"/page?") && !(r.shipped && strings.Contains(at, "/~frame/page.xhtml")) {
			r.add("", escapes, "the program's page was moved to %.60s", at)
		}
	}
	for try := 0; ; try++ {
		if err := t.visit(ctx, hostURL+"/check?run="+r.id); err != nil && try == 2 {
			return err
		}
		err := r.await(ctx, patience/4, func() bool { return r.checked })
		if err == nil {
			return nil
		}
		if try == 2 {
			return fmt.Errorf("the program could not look after itself: %w", err)
		}
	}
}

// clicked clicks until every probe has had its click.
func (w *world) clicked(ctx context.Context, t tab, r *run) error {
	for begun := 0; begun < len(r.probes); begun++ {
		for try := 0; ; try++ {
			if err := t.click(ctx); err != nil {
				return err
			}
			if r.await(ctx, 2*time.Second, func() bool { return len(r.begun) > begun }) == nil {
				break
			}
			if try == 20 {
				return errors.New("the page did not notice the clicks")
			}
		}
		r.await(ctx, overdue, func() bool { return len(r.ended) > begun }) // a click is good for one popup
	}
	return nil
}

// satisfied reports whether every probe has had the effect that is waited for. It is called with mu held.
func (r *run) satisfied() bool {
	for _, p := range r.probes {
		if want := r.want[p.name]; want != closes && r.effects[p.name] < want { // that a tab is closed is found last
			return false
		}
	}
	return true
}

// await waits until cond, which is called with mu held, is true.
func (r *run) await(ctx context.Context, d time.Duration, cond func() bool) error {
	deadline := time.NewTimer(d)
	defer deadline.Stop()
	for {
		r.mu.Lock()
		ok := cond()
		r.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-r.changed:
		case <-deadline.C:
			return fmt.Errorf("waited %v in vain", d)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
