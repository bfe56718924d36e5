//go:build !unix && !windows

package isolate

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// This system has no processes, or none that can be kept apart.

var errTimeout = os.ErrDeadlineExceeded

func probeProcess() error {
	return fmt.Errorf("isolate: workers on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

func startChild(*Options) (*child, error)      { return nil, probeProcess() }
func killChild(p *os.Process)                  { _ = p.Kill() }
func awaitExit(p *os.Process) *os.ProcessState { st, _ := p.Wait(); return st }
func classify(*os.ProcessState) ending         { return endedByKill }
func hurry(conn)                               {}
func systemEnvironment() []string              { return nil }
func openLink() (*Link, error)                 { return nil, probeProcess() }
func setLimits(config) error                   { return probeProcess() }
func closeInherited() error                    { return nil }
