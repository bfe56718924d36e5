package box_test

import (
	"io"
	"os/exec"
	"testing"

	"samkit.dev/tool/task/internal/box"
)

func benchmark(b *testing.B, kind box.Kind, network []string) {
	bx := open(b, kind, nil)
	c := &box.Command{Root: workspace(b), Writable: all, Network: network, Argv: []string{"true"}, Stdout: io.Discard, Stderr: io.Discard}
	for b.Loop() {
		if res, err := bx.Run(b.Context(), c); err != nil || res.Code != 0 {
			b.Fatal(res, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/command")
}

func BenchmarkLight(b *testing.B)         { benchmark(b, box.Light, nil) }
func BenchmarkStrong(b *testing.B)        { benchmark(b, box.Strong, nil) }
func BenchmarkStrongNetwork(b *testing.B) { benchmark(b, box.Strong, []string{"registry.example.com"}) }

// BenchmarkPlain is the same command with nothing around it, to compare with.
func BenchmarkPlain(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("/usr/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/command")
}
