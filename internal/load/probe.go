package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A probe is what a neighbour saw: how long each request took from when it was to be sent, in order, and
// what went wrong.
type probe struct {
	took   []time.Duration
	failed int
	first  error
}

// probeTimeout is when a neighbour gives up.
const probeTimeout = time.Minute

// look sends requests at a fixed rate, whether or not earlier ones were answered: a neighbour that waits for
// its answers would not notice that it could not ask (coordinated omission).
func look(ctx context.Context, urls []string, rate int, d time.Duration) *probe {
	client := &http.Client{Timeout: probeTimeout, Transport: &http.Transport{MaxIdleConns: 1000, MaxIdleConnsPerHost: 1000}}
	defer client.CloseIdleConnections()
	p := &probe{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	begin, step := time.Now(), time.Second/time.Duration(rate)
	for i := range max(int(d/step), 1) {
		planned := begin.Add(time.Duration(i) * step)
		select {
		case <-time.After(time.Until(planned)):
		case <-ctx.Done():
			i = -1
		}
		if i < 0 {
			break
		}
		wg.Go(func() {
			err := fetch(client, urls[i%len(urls)])
			took := time.Since(planned)
			mu.Lock()
			defer mu.Unlock()
			p.took = append(p.took, took)
			if err != nil {
				p.failed++
				if p.first == nil {
					p.first = err
				}
			}
		})
	}
	wg.Wait()
	slices.Sort(p.took)
	return p
}

func fetch(client *http.Client, url string) error {
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s %.300s", url, resp.Status, body)
	}
	return err
}

// percentile is that of sorted values, of which there is one at least.
func percentile(sorted []time.Duration, p float64) time.Duration {
	n := int(float64(len(sorted))*p/100 + 0.999999)
	return sorted[min(max(n, 1), len(sorted))-1]
}

func (p *probe) at(percent float64) time.Duration {
	if len(p.took) == 0 {
		return 0
	}
	return percentile(p.took, percent)
}
