// Package escape proves what canvas promises of a page: that it stays in its origin. It runs
// attacks, the probes, in Chromium and in Firefox against a program with log-in, and
// writes docs/isolation.md of what came of them.
//
//	go test                           runs the probes and compares the page with what they did
//	go test -update                   writes the page; it needs both browsers
//	go test -probes=WORD -browser=firefox -v    runs the probes whose names hold WORD in one of them
//
// A probe is a script in probes/, with the files it uses in app/. What counts as an escape is
// not the probe's to say. Each run has a log-in and secrets of its own: an escape is a secret that arrives at the
// attacker, a request that acts with the victim's cookie, or a change of the program's
// own cookies, storage or page. That a probe can bite at all is shown by running it in
// [canvas.Trusted], where pages have the program's origin.
package escape
