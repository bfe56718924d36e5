package main

import (
	"os"
	"testing"
	"time"
)

func TestParseWrk(t *testing.T) {
	const out = `Running 5s test @ http://127.0.0.1:1/
  1 threads and 16 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   390.11us  312.22us   9.70ms   91.11%
    Req/Sec    42.45k     2.11k   45.61k    80.00%
  Latency Distribution
     50%  351.00us
     75%  440.00us
     90%  580.00us
     99%    1.42ms
  211204 requests in 5.00s, 27.19MB read
Requests/sec:  42237.55
Transfer/sec:      5.44MB
`
	f, n, err := parseWrk(out)
	if err != nil || n != 211204 || f.rate != 42237.55 || f.p50 != 351*time.Microsecond || f.p99 != 1420*time.Microsecond {
		t.Errorf("%+v %d %v", f, n, err)
	}
	for _, bad := range []string{"", out + "  Non-2xx or 3xx responses: 7\n", out + "  Socket errors: connect 0, read 3, write 0, timeout 0\n"} {
		if _, _, err := parseWrk(bad); err == nil {
			t.Errorf("taken: %q", bad)
		}
	}
}

func TestTreeOfThisProcess(t *testing.T) {
	if _, err := treeCPU(1); err != nil {
		t.Skip("no /proc here")
	}
	began, err := treeCPU(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); time.Since(start) < 200*time.Millisecond; {
	}
	ended, err := treeCPU(os.Getpid())
	if err != nil || ended <= began {
		t.Errorf("%v then %v, %v", began, ended, err)
	}
	if n, err := resident(os.Getpid()); err != nil || n < 1<<20 {
		t.Errorf("resident: %d %v", n, err)
	}
}
