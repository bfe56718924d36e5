package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A threat is a project that attacks, and how its visitors have it do so.
type threat struct {
	name     string
	what     string
	visitors int    // requests at once, always
	slow     bool   // every other one sends a body slowly
	code     string // functions.js
}

var threats = []threat{
	{name: "spin", what: "spins", visitors: 16, code: `
export default { fetch() { for (;;); } }`},
	{name: "memory", what: "allocates to its limit, again and again", visitors: 16, code: `
export default { fetch() { const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1)) } }`},
	{name: "console", what: "floods the console", visitors: 16, code: `
const line = "x".repeat(80)
export default { fetch() { // as much as a request may print
  for (let i = 0; i < 5000; i++) i % 16 ? console.log(line, i, { i }) : console.error(new Error(line))
  return new Response("ok")
} }`},
	{name: "kv", what: "floods KV", visitors: 16, code: `
const value = "x".repeat(1000)
export default { async fetch(request, env) {
  for (let i = 0; i < 30; i++) await Promise.all(Array.from({ length: 32 }, (_, k) => i + k ? env.KV.get("k" + k) : env.KV.put("k1", value)))
  return new Response("ok")
} }`},
	{name: "db", what: "floods its databases", visitors: 16, code: `
const heavy = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 2000000) SELECT count(*) AS n FROM c"
export default { async fetch(request, env) {
  await Promise.all([env.A, env.B, env.C, env.D].map(db => db.prepare(heavy).first()))
  return new Response("ok")
} }`},
	{name: "crowd", what: "has 1,000 requests open, of slow bodies and slow handlers", visitors: 1000, slow: true, code: `
export default { async fetch(request) {
  if (request.method === "POST") await request.arrayBuffer()
  else await new Promise(r => setTimeout(r, 3000))
  return new Response("ok")
} }`},
}

// attackConfig gives the attackers what they flood.
const attackConfig = `{"name": "attack", "d1_databases": [
{"binding": "A", "database_id": "a", "database_name": "a"}, {"binding": "B", "database_id": "b", "database_name": "b"},
{"binding": "C", "database_id": "c", "database_name": "c"}, {"binding": "D", "database_id": "d", "database_name": "d"}],
"kv_namespaces": [{"binding": "KV", "id": "kv"}], "main": "functions.js"}`

// tally counts what the attackers got, by status; 0 is no answer.
type tally map[int]int

// attack is the visitors of an attacker: attack URL VISITORS SLOW.
func attack(ctx context.Context, args []string) error {
	visitors, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	client := &http.Client{Transport: &http.Transport{MaxIdleConns: visitors, MaxIdleConnsPerHost: visitors}}
	var mu sync.Mutex
	got := tally{}
	var wg sync.WaitGroup
	for i := range visitors {
		wg.Go(func() {
			for ctx.Err() == nil {
				status := ask(ctx, client, args[0], args[2] == "slow" && i%2 == 0)
				if ctx.Err() != nil {
					return
				}
				mu.Lock()
				got[status]++
				mu.Unlock()
				if status == 0 || status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
					time.Sleep(5 * time.Millisecond) // refused at once, it is not the client that is to be measured
				}
			}
		})
	}
	untilEnd(ctx, "attacking")
	stop()
	wg.Wait()
	return json.NewEncoder(os.Stdout).Encode(got)
}

// ask makes one request of an attacker, and returns its status.
func ask(ctx context.Context, client *http.Client, url string, slow bool) int {
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if slow {
		method, body = http.MethodPost, &dribble{ctx: ctx, left: 30}
	}
	r, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return 0
	}
	if slow {
		r.ContentLength = 30 * dribbleSize
	}
	resp, err := client.Do(r)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

const dribbleSize = 3 << 10 // more than 64 KB in all: the body is a stream

// A dribble is a body that comes a piece every 100 ms.
type dribble struct {
	ctx  context.Context
	left int
}

func (d *dribble) Read(b []byte) (int, error) {
	if d.left == 0 {
		return 0, io.EOF
	}
	select {
	case <-time.After(100 * time.Millisecond):
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
	d.left--
	return copy(b, bytes.Repeat([]byte("x"), dribbleSize)), nil
}

// String lists the answers by status.
func (t tally) String() string {
	var parts []string
	for _, status := range sortedKeys(t) {
		name := strconv.Itoa(status)
		if status == 0 {
			name = "none"
		}
		parts = append(parts, strconv.Itoa(t[status])+" × "+name)
	}
	return strings.Join(parts, ", ")
}
