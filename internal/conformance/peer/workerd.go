package peer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// Workerd is js/serve.mjs as a Runtime: a process of Node that starts a workerd for each
// call of Start.
type Workerd struct {
	cmd *exec.Cmd
	log *tail

	mu    sync.Mutex
	in    io.WriteCloser
	n     int
	asked map[int]chan started
	ended error // set when no more answers come
}

// started is a line of answer.
type started struct {
	ID    int
	URLs  map[string]string
	Sizes map[string]int
	Error string
}

// OpenWorkerd installs what is missing and starts Node. The caller closes it.
func OpenWorkerd(ctx context.Context) (*Workerd, error) {
	dir, err := Install(ctx)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("node", filepath.Join(dir, "serve.mjs"))
	cmd.WaitDelay = 5 * time.Second
	w := &Workerd{cmd: cmd, log: &tail{}, asked: map[int]chan started{}}
	cmd.Stderr = w.log
	if w.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go w.read(out)
	return w, nil
}

// read hands out answers until there are no more.
func (w *Workerd) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var s started
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			break
		}
		w.mu.Lock()
		if c := w.asked[s.ID]; c != nil {
			c <- s
			delete(w.asked, s.ID)
		}
		w.mu.Unlock()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = fmt.Errorf("serve.mjs ended: %s", w.log)
	for _, c := range w.asked {
		c <- started{Error: w.ended.Error()}
	}
	clear(w.asked)
}

// Start runs the workers in one workerd.
func (w *Workerd) Start(ctx context.Context, workers ...Worker) ([]*Server, error) {
	type worker struct {
		Name  string            `json:"name"`
		Entry string            `json:"entry"`
		Files map[string]string `json:"files"`
		KV    []string          `json:"kv"`
		D1    []string          `json:"d1"`
		Vars  map[string]string `json:"vars"`
		Flags []string          `json:"flags"`
		Date  string            `json:"date"`
		Env   string            `json:"env"`
	}
	var list []worker
	for _, one := range workers {
		one = one.withDefaults()
		vars := one.Vars
		if vars == nil {
			vars = map[string]string{}
		}
		env := "development"
		if one.Production {
			env = "production"
		}
		list = append(list, worker{one.Name, one.Entry, one.Files, []string{"KV"}, []string{"DB"}, vars, append([]string{}, one.Flags...), Date, env})
	}
	c := make(chan started, 1)
	w.mu.Lock()
	w.n++
	id := w.n
	err := w.ended
	if err == nil {
		w.asked[id] = c
		err = w.say(map[string]any{"id": id, "workers": list})
	}
	w.mu.Unlock()
	if err != nil {
		return nil, err
	}
	stop := sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.say(map[string]any{"stop": id})
	})
	select {
	case <-ctx.Done():
		stop()
		return nil, ctx.Err()
	case s := <-c:
		if s.Error != "" {
			return nil, errors.New(s.Error)
		}
		var servers []*Server
		for _, one := range list {
			servers = append(servers, &Server{URL: s.URLs[one.Name], Bundle: s.Sizes[one.Name], close: stop})
		}
		return servers, nil
	}
}

// say writes a line; w.mu is held.
func (w *Workerd) say(v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = w.in.Write(append(line, '\n'))
	}
	return err
}

// Close ends all workers and Node.
func (w *Workerd) Close() error {
	w.mu.Lock()
	w.in.Close()
	w.mu.Unlock()
	late := time.AfterFunc(20*time.Second, func() { w.cmd.Process.Kill() })
	defer late.Stop()
	return w.cmd.Wait()
}

// A tail keeps the last of what is written to it.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if over := len(t.b) - 1<<14; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
	if os.Getenv("PEER_LOG") != "" {
		os.Stderr.Write(p)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.b)
}
