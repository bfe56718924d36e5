package main

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"samkit.dev/host/engine"
)

// neighbourCode answers as small apps do: with JSON, from KV and from a database.
const neighbourCode = `
const value = "x".repeat(100)
export default { async fetch(request, env) {
  switch (new URL(request.url).pathname) {
  case "/api/setup":
    await env.KV.put("k", value)
    await env.DB.exec("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, name TEXT, n REAL)")
    await env.DB.batch(Array.from({ length: 200 }, (_, i) => env.DB.prepare("INSERT OR REPLACE INTO t VALUES (?, ?, ?)").bind(i, "name " + i, i / 2)))
    return new Response("ready")
  case "/api/json": return Response.json({ hello: "world", n: 42 })
  case "/api/kv": return new Response(await env.KV.get("k"))
  case "/api/db": return Response.json(await env.DB.prepare("SELECT * FROM t WHERE id = ?").bind(50).first())
  }
  return new Response("?", { status: 404 })
} }`

var neighbourPaths = []string{"api/json", "api/kv", "api/db", "page.txt"}

// serveNeighbour serves a neighbour and one attacker of each kind.
func serveNeighbour(ctx context.Context, args []string) error {
	f, err := newFarm(engine.Options{}, false)
	if err != nil {
		return err
	}
	defer f.close()
	if err := f.add(ctx, "neighbour", text("functions.js", neighbourCode, "page.txt", strings.Repeat("0123456789abcdef", 640)), engine.Limits{}); err != nil {
		return err
	}
	err = f.addAll(ctx, len(threats), func(i int) (string, fs.FS, engine.Limits) {
		return threats[i].name, text("functions.js", threats[i].code, "wrangler.json", attackConfig), engine.Limits{}
	})
	if err != nil {
		return err
	}
	return f.serve(ctx)
}

// A round is one look at a neighbour while it is left alone and one while it is not.
type round struct {
	quiet, attacked *probe
	answers         tally
	host            float64 // cores that the server's own process took during the attack
}

// settleTime is how long the server is left alone between phases, at most: what attackers had begun may go on.
const settleTime = 40 * time.Second

// settle waits until a server and its workers do next to nothing.
func settle(ctx context.Context, pid int) {
	const step = 500 * time.Millisecond
	busy := func() (sum time.Duration) {
		for _, pid := range tree(pid) {
			sum += cpu(pid)
		}
		return sum
	}
	for last, end := busy(), time.Now().Add(settleTime); time.Now().Before(end) && ctx.Err() == nil; {
		time.Sleep(step)
		now := busy()
		if grew := now - last; grew >= 0 && grew < step/20 { // less than nothing: a worker has ended
			return
		}
		last = now
	}
}

// neighbour measures the 99th percentile of a neighbour's latency, alone and beside each
// threat, one right after the other, in rounds.
func neighbour(ctx context.Context, s settings) ([]string, error) {
	server, err := start(ctx, 0, "serve-neighbour")
	if err != nil {
		return nil, err
	}
	defer server.end(nil)
	if err := fetch(http.DefaultClient, server.ready+"/neighbour/api/setup"); err != nil {
		return nil, err
	}
	var urls []string
	for _, p := range neighbourPaths {
		urls = append(urls, server.ready+"/neighbour/"+p)
	}
	d := cmp.Or(s.time, time.Minute)
	look(ctx, urls, s.rate, d/10) // warm
	rounds := map[string][]round{}
	for range s.rounds {
		for _, t := range threats {
			if s.attacks != "" && !slices.Contains(strings.Split(s.attacks, ","), t.name) {
				continue
			}
			r, err := attackOnce(ctx, server, t, urls, s.rate, d)
			if err != nil {
				return nil, err
			}
			rounds[t.name] = append(rounds[t.name], r)
		}
	}
	return printNeighbour(rounds, s.rate, d), nil
}

func attackOnce(ctx context.Context, server *child, t threat, urls []string, rate int, d time.Duration) (r round, err error) {
	settle(ctx, server.pid())
	r.quiet = look(ctx, urls, rate, d)
	slow := ""
	if t.slow {
		slow = "slow"
	}
	// A visitor from afar would take no time of this machine's.
	visitors, err := start(ctx, 10, "attack", server.ready+"/"+t.name+"/api/x", strconv.Itoa(t.visitors), slow)
	if err != nil {
		return r, err
	}
	time.Sleep(min(time.Second, d))
	before, began := cpu(server.pid()), time.Now()
	r.attacked = look(ctx, urls, rate, d)
	r.host = float64(cpu(server.pid())-before) / float64(time.Since(began))
	if err := visitors.end(&r.answers); err != nil {
		return r, err
	}
	return r, ctx.Err()
}

// promised is how high a neighbour's 99th percentile may be.
func promised(quiet time.Duration) time.Duration { return max(2*quiet, quiet+5*time.Millisecond) }

func printNeighbour(rounds map[string][]round, rate int, d time.Duration) (misses []string) {
	fmt.Printf("\n## A neighbour at %d requests/s for %v, beside one project that attacks\n\n", rate, d)
	fmt.Println("| the other project | p50 alone, beside (ms) | p99 alone | p99 beside | promised | slowest | failed | cores of the host | the attack's answers | |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for _, t := range threats {
		rs := rounds[t.name]
		if len(rs) == 0 {
			continue
		}
		of := func(value func(round) time.Duration) time.Duration {
			var all []time.Duration
			for _, r := range rs {
				all = append(all, value(r))
			}
			return median(all)
		}
		quiet, beside := of(func(r round) time.Duration { return r.quiet.at(99) }), of(func(r round) time.Duration { return r.attacked.at(99) })
		var slowest time.Duration
		failed, answers, host := 0, tally{}, 0.0
		for _, r := range rs {
			slowest = max(slowest, r.attacked.at(100))
			failed += r.attacked.failed + r.quiet.failed
			host = max(host, r.host)
			for status, n := range r.answers {
				answers[status] += n
			}
			for _, err := range []error{r.quiet.first, r.attacked.first} {
				if err != nil {
					misses = append(misses, fmt.Sprintf("the neighbour of one that %s was not served: %v", t.what, err))
				}
			}
		}
		ok := beside <= promised(quiet) && failed == 0
		if beside > promised(quiet) {
			misses = append(misses, fmt.Sprintf("the neighbour of one that %s has a p99 of %s ms, %s were promised", t.what, ms(beside), ms(promised(quiet))))
		}
		fmt.Printf("| %s | %s, %s | %s | %s | %s | %s | %d | %.2f | %v | %s |\n", t.what,
			ms(of(func(r round) time.Duration { return r.quiet.at(50) })), ms(of(func(r round) time.Duration { return r.attacked.at(50) })),
			ms(quiet), ms(beside), ms(promised(quiet)), ms(slowest), failed, host, answers, verdict(ok))
	}
	return misses
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond)) }

func median(values []time.Duration) time.Duration {
	slices.Sort(values)
	return values[len(values)/2]
}

func sortedKeys(m map[int]int) []int { return slices.Sorted(maps.Keys(m)) }
