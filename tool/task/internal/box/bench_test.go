package box_test

import (
	"io"
	"os/exec"
	"slices"
	"testing"
	"time"

	"samkit.dev/tool/task/internal/box"
)

// benchmark runs a command again and again, with a pause before each as those have that somebody thinks between. The median is what
// one takes.
func benchmark(b *testing.B, kind box.Kind, pause time.Duration, network []string) {
	bx := open(b, kind, nil)
	c := &box.Command{Root: workspace(b), Writable: all, Network: network, Argv: []string{"true"}, Stdout: io.Discard, Stderr: io.Discard}
	var took []time.Duration
	for b.Loop() {
		time.Sleep(pause)
		began := time.Now()
		if res, err := bx.Run(b.Context(), c); err != nil || res.Code != 0 {
			b.Fatal(res, err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
}

const thought = 50 * time.Millisecond

func BenchmarkLight(b *testing.B)        { benchmark(b, box.Light, 0, nil) }
func BenchmarkLightPaused(b *testing.B)  { benchmark(b, box.Light, thought, nil) }
func BenchmarkStrong(b *testing.B)       { benchmark(b, box.Strong, 0, nil) }
func BenchmarkStrongPaused(b *testing.B) { benchmark(b, box.Strong, thought, nil) }
func BenchmarkStrongNetwork(b *testing.B) {
	benchmark(b, box.Strong, thought, []string{"registry.example.com"})
}

// BenchmarkPlain is the same command with nothing around it, to compare with.
func BenchmarkPlain(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("/usr/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "median-ms")
}
