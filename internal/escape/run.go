package escape

import (
	"crypto/rand"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// A placement is where an app's page is shown.
type placement uint8

const (
	framed   placement = iota + 1 // in a frame of the program's page
	top                           // in a tab, at the top
	confined                      // in a frame of a page whose policy has it frame apps only
)

var placements = []placement{framed, top, confined}

func (p placement) String() string {
	return [...]string{"", "framed", "top", "confined"}[p]
}

// An effect is what a probe achieved. The worst counts.
type effect uint8

const (
	blocked effect = iota
	visits         // a navigation reached the program with the visitor's cookie, and nothing came of it
	closes         // the program's tab was closed
	sends          // another server was told something
	escapes
)

func (e effect) String() string {
	return [...]string{"blocked", "visits", "closes", "sends", "escapes"}[e]
}

// A run is one page with probes, with a log-in and secrets of its own, so that whatever
// arrives anywhere tells which run it is from. Its methods may be called by many goroutines.
type run struct {
	id, secret string
	mode       mode
	place      placement
	probes     []*probe
	shipped    bool              // in canvas's own framing page
	want       map[string]effect // what is waited for
	stun       net.PacketConn    // or nil

	mu       sync.Mutex // guards what follows
	token    string     // another project's sealed path, which the page must not learn
	ready    bool
	begun    map[string]bool
	ended    map[string]bool
	checked  bool
	effects  map[string]effect
	evidence []string
	notes    []string
	changed  chan struct{} // holds one if something has come since it was last looked at
}

func newRun(m mode, place placement, probes []*probe) (*run, error) {
	r := &run{
		id: "r" + strings.ToLower(rand.Text()[:12]), secret: "sx" + strings.ToLower(rand.Text()), mode: m, place: place, probes: probes,
		begun: map[string]bool{}, ended: map[string]bool{}, effects: map[string]effect{}, changed: make(chan struct{}, 1),
	}
	for _, p := range probes {
		if strings.Contains(p.script, "x.stun") {
			return r, r.listen(p)
		}
	}
	return r, nil
}

// mentions reports whether a probe of the run needs something.
func (r *run) mentions(word string) bool {
	return slices.ContainsFunc(r.probes, func(p *probe) bool { return strings.Contains(p.script, word) })
}

// listen opens a STUN server of the run's own: what it hears can only come from its page.
func (r *run) listen(p *probe) (err error) {
	if r.stun, err = net.ListenPacket("udp4", "0.0.0.0:0"); err != nil {
		return err
	}
	go func() { // ends with close
		buf := make([]byte, 1500)
		for {
			if _, _, err := r.stun.ReadFrom(buf); err != nil {
				return
			}
			r.add(p.name, sends, "a datagram to a STUN server")
		}
	}()
	return nil
}

func (r *run) close() {
	if r.stun != nil {
		r.stun.Close()
	}
}

// stunURL names the run's STUN server by an address that browsers use for it.
func (r *run) stunURL() string {
	if r.stun == nil {
		return ""
	}
	ip := "127.0.0.1"
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() {
			ip = n.IP.String()
			break
		}
	}
	return fmt.Sprintf("stun:%s:%d", ip, r.stun.LocalAddr().(*net.UDPAddr).Port)
}

// query is what a page with some of the run's probes is told in its URL.
func (r *run) query(w *world, probes ...*probe) string {
	q := url.Values{"run": {r.id}, "victim": {r.mode.direct(w, "victim")}, "app": {r.mode.sealed(w, r) + "framed.html?" + url.Values{"run": {r.id}, "probe": {probes[0].name}}.Encode()}}
	if r.stun != nil {
		q.Set("stun", r.stunURL())
	}
	for _, p := range probes {
		q.Add("probe", p.name)
		if p.click {
			q.Set("click", "")
		}
	}
	return q.Encode()
}

// probe returns the name of the probe that something is from: the one named, or the only one.
func (r *run) probe(name string) string {
	if name == "" && len(r.probes) == 1 {
		return r.probes[0].name
	}
	return name
}

// add notes an effect of a probe, of "" for all that can have had it.
func (r *run) add(name string, e effect, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := []string{r.probe(name)}
	if names[0] == "" {
		names = nil
		for _, p := range r.probes {
			names = append(names, p.name)
		}
	}
	for _, n := range names {
		r.effects[n] = max(r.effects[n], e)
		r.evidence = append(r.evidence, fmt.Sprintf("%s %s: %s", n, e, fmt.Sprintf(format, args...)))
	}
	r.wake()
}

// scan looks for the run's secrets in what the attacker got.
func (r *run) scan(name, where, text string) {
	r.mu.Lock()
	token := r.token
	r.mu.Unlock()
	if strings.Contains(text, r.secret) {
		r.add(name, escapes, "a secret in %s", where)
	}
	if token != "" && strings.Contains(text, token) {
		r.add(name, escapes, "another project's sealed path in %s", where)
	}
}

func (r *run) wake() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// hear takes a report of a page.
func (r *run) hear(kind, name, text string) {
	switch kind {
	case "power":
		r.add(name, escapes, "%s", text)
		return
	case "leak":
		r.scan(name, "a report", text)
	case "check":
		r.check(text)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch kind {
	case "ready":
		r.ready = true
	case "begin":
		r.begun[name] = true
	case "end":
		r.ended[name] = true
	case "check":
		r.checked = true
	default:
		if len(text) > 300 {
			text = text[:300]
		}
		r.notes = append(r.notes, fmt.Sprintf("%s: %s %s", name, kind, text))
	}
	r.wake()
}
