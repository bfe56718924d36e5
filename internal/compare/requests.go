package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// A figure is what one run of wrk gave.
type figure struct {
	cpu      float64 // µs a request, of the server's processes together
	rate     float64 // requests a second
	p50, p99 time.Duration
}

// requests measures and prints a table for each work.
func (b *bench) requests(ctx context.Context) error {
	for _, w := range works {
		if !chosen(b.cases, w.name) {
			continue
		}
		figures := map[string][]figure{}
		for range b.rounds {
			for _, s := range servers {
				if !chosen(b.servers, s.name) || !chosen(s.works, w.name) {
					continue
				}
				f, err := b.measure(ctx, s, w)
				if err != nil {
					return fmt.Errorf("%s on %s: %w", w.name, s.name, err)
				}
				fmt.Fprintf(os.Stderr, "%s on %s: %.1f µs\n", w.name, s.name, f.cpu)
				figures[s.name] = append(figures[s.name], f)
			}
		}
		fmt.Printf("\n## %s\n\n| server | CPU µs/request | (all rounds) | requests/s | p50 | p99 |\n|---|---|---|---|---|---|\n", w.name)
		for _, s := range servers {
			if all := figures[s.name]; all != nil {
				fmt.Println(row(s.name, all))
			}
		}
	}
	return nil
}

func row(name string, all []figure) string {
	var cpu, rate []float64
	var p50, p99 []time.Duration
	rounds := ""
	for _, f := range all {
		cpu, rate, p50, p99 = append(cpu, f.cpu), append(rate, f.rate), append(p50, f.p50), append(p99, f.p99)
		rounds += fmt.Sprintf(" %.1f", f.cpu)
	}
	return fmt.Sprintf("| %s | %.1f |%s | %.0f | %v | %v |", name, median(cpu), rounds, median(rate), median(p50), median(p99))
}

func (b *bench) measure(ctx context.Context, s server, w work) (figure, error) {
	p, _, err := b.start(ctx, s, w)
	if err != nil {
		return figure{}, err
	}
	defer p.stop()
	if _, err := b.wrk(ctx, p.url+w.path, 2*time.Second); err != nil { // warms it
		return figure{}, err
	}
	before, err := treeCPU(p.cmd.Process.Pid)
	if err != nil {
		return figure{}, err
	}
	out, err := b.wrk(ctx, p.url+w.path, b.duration)
	if err != nil {
		return figure{}, err
	}
	after, err := treeCPU(p.cmd.Process.Pid)
	if err != nil {
		return figure{}, err
	}
	f, n, err := parseWrk(out)
	if err == nil {
		f.cpu = float64((after - before).Microseconds()) / float64(n)
	}
	return f, err
}

func (b *bench) wrk(ctx context.Context, url string, d time.Duration) (string, error) {
	out, err := exec.CommandContext(ctx, "taskset", "-c", strconv.Itoa(b.settings.wrk), "wrk", "-t1", "-c"+strconv.Itoa(b.connections),
		"-d"+strconv.Itoa(int(d.Seconds()))+"s", "--latency", url).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("wrk: %w\n%s", err, out)
	}
	return string(out), nil
}

var (
	wrkTotal = regexp.MustCompile(`(\d+) requests in`)
	wrkRate  = regexp.MustCompile(`Requests/sec:\s+([\d.]+)`)
	wrkP50   = regexp.MustCompile(`(?m)^\s+50%\s+([\d.]+)(us|ms|s)`)
	wrkP99   = regexp.MustCompile(`(?m)^\s+99%\s+([\d.]+)(us|ms|s)`)
	wrkBad   = regexp.MustCompile(`(?m)^\s*(Non-2xx.*|Socket errors.*)$`)
)

// parseWrk reads what wrk prints. Answers that are errors make it an error.
func parseWrk(out string) (figure, int, error) {
	total, rate, p50, p99 := wrkTotal.FindStringSubmatch(out), wrkRate.FindStringSubmatch(out), wrkP50.FindStringSubmatch(out), wrkP99.FindStringSubmatch(out)
	if bad := wrkBad.FindStringSubmatch(out); bad != nil {
		return figure{}, 0, fmt.Errorf("wrk: %s", bad[1])
	}
	if total == nil || rate == nil || p50 == nil || p99 == nil {
		return figure{}, 0, fmt.Errorf("wrk printed\n%s", out)
	}
	n, err := strconv.Atoi(total[1])
	if err != nil || n == 0 {
		return figure{}, 0, fmt.Errorf("wrk: %s requests", total[1])
	}
	var f figure
	if f.rate, err = strconv.ParseFloat(rate[1], 64); err != nil {
		return f, 0, err
	}
	if f.p50, err = time.ParseDuration(p50[1] + p50[2]); err != nil {
		return f, 0, err
	}
	f.p99, err = time.ParseDuration(p99[1] + p99[2])
	return f, n, err
}
