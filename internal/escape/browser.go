package escape

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A browser opens tabs.
type browser interface {
	// open opens a tab with cookies and storage of its own.
	open(ctx context.Context, url string) (tab, error)
	version() string
	close()
}

// A tab is a top-level page and whatever pages it opens.
type tab interface {
	visit(ctx context.Context, url string) error
	click(ctx context.Context) error           // into the middle, as a person does
	where(ctx context.Context) (string, error) // the URL that the tab shows, or errClosed
	close(ctx context.Context) error
}

// errClosed tells that a page closed its tab.
var errClosed = errors.New("the tab is closed")

// A kind is a sort of browser.
type kind struct {
	name     string
	page     string   // what its version begins with
	variable string   // that names the program to run
	programs []string // to look for
	start    func(ctx context.Context, program, dir string, n *network) (browser, error)
}

var kinds = []kind{
	{"Chromium", "Chrome", "CHROMIUM", []string{"chromium", "chromium-browser", "google-chrome", "chrome"}, startChromium},
	{"Firefox", "Firefox", "FIREFOX", []string{"firefox-esr", "firefox"}, startFirefox},
}

// find returns the program of a browser, or "" if there is none.
func (k kind) find() string {
	if path := os.Getenv(k.variable); path != "" {
		return path
	}
	for _, name := range k.programs {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// launch starts a browser with an empty profile. A start may fail on a busy machine, so it is tried again.
func (k kind) launch(ctx context.Context, program string, n *network) (b browser, err error) {
	for range 3 {
		dir, derr := os.MkdirTemp("", "escape")
		if derr != nil {
			return nil, derr
		}
		sctx, cancel := context.WithTimeout(ctx, time.Minute)
		b, err = k.start(sctx, program, dir, n)
		cancel()
		if err == nil {
			return b, nil
		}
		err = fmt.Errorf("%s did not start: %w", k.name, err)
		os.RemoveAll(dir)
	}
	return nil, err
}

// A process is a browser's.
type process struct {
	cmd *exec.Cmd
	dir string // its profile, removed with it
	end chan struct{}
}

// spawn starts a browser and returns the address of its protocol, which it prints.
func spawn(ctx context.Context, dir, program string, args ...string) (*process, string, error) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.Contains(strings.ToLower(v), "_proxy=") }),
		"HOME="+dir, "MOZ_CRASHREPORTER_DISABLE=1", "MOZ_DISABLE_AUTO_SAFE_MODE=1")
	out, err := cmd.StderrPipe()
	if err != nil {
		return nil, "", err
	}
	p := &process{cmd: cmd, dir: dir, end: make(chan struct{})}
	found, started := make(chan string, 1), make(chan error)
	go func() { // ends with the browser
		defer close(p.end)
		runtime.LockOSThread() // as long as the browser lives: it ends with the thread that started it
		ownGroup(cmd)
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if m := address.FindString(lines.Text()); m != "" {
				select {
				case found <- m:
				default:
				}
			}
		}
		cmd.Wait()
	}()
	if err := <-started; err != nil {
		return nil, "", err
	}
	select {
	case url := <-found:
		return p, url, nil
	case <-p.end:
		err = errors.New("it ended")
	case <-ctx.Done():
		err = ctx.Err()
	}
	p.close()
	return nil, "", err
}

var address = regexp.MustCompile(`ws://127\.0\.0\.1:\d+\S*`)

// close ends the browser and waits for it.
func (p *process) close() {
	killGroup(p.cmd)
	<-p.end
	for range 20 { // its children may still write
		if os.RemoveAll(p.dir) == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}
