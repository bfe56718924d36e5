//go:build amd64 || arm64

package box

import (
	"crypto/rand"
	"errors"
	"net"
	"os"
	"path/filepath"
	"time"

	"samkit.dev/internal/confine"
)

// decoys are what the probe tries to reach: made for it, so that a box that does not hold harms nothing.
type decoys struct {
	dir       string
	workspace string
	probe     confine.Probe
	udp       net.PacketConn
	closers   []func() error
}

func newDecoys() (d *decoys, err error) {
	d = &decoys{}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	if d.dir, err = os.MkdirTemp("", "samkit-probe-"); err != nil {
		return d, err
	}
	if d.dir, err = filepath.EvalSymlinks(d.dir); err != nil {
		return d, err
	}
	d.workspace = filepath.Join(d.dir, "workspace")
	outside := filepath.Join(d.dir, "outside")
	hooks := filepath.Join(d.workspace, ".git", "hooks")
	file := filepath.Join(outside, "file")
	if err = errors.Join(os.Chmod(d.dir, 0o755), os.MkdirAll(hooks, 0o755), os.Mkdir(outside, 0o755),
		os.WriteFile(file, []byte("secret"), 0o644),
		os.WriteFile(filepath.Join(d.workspace, "denied"), []byte("secret"), 0o644)); err != nil {
		return d, err
	}
	d.probe = confine.Probe{
		File: file, Dir: outside, Socket: filepath.Join(outside, "s"), Abstract: "samkit-probe-" + rand.Text(),
		PID: os.Getpid(), Hook: filepath.Join(hooks, "pre-commit"), Denied: filepath.Join(d.workspace, "denied"),
	}
	for _, name := range []string{d.probe.Socket, "@" + d.probe.Abstract} {
		l, err := net.Listen("unix", name)
		if err != nil {
			return d, err
		}
		d.closers = append(d.closers, l.Close)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return d, err
	}
	d.closers = append(d.closers, tcp.Close)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return d, err
	}
	d.closers = append(d.closers, udp.Close)
	d.udp = udp
	d.probe.TCP, d.probe.UDP = tcp.Addr().(*net.TCPAddr).Port, udp.LocalAddr().(*net.UDPAddr).Port
	return d, nil
}

func (d *decoys) close() {
	for _, c := range d.closers {
		_ = c()
	}
	if d.dir != "" {
		_ = os.RemoveAll(d.dir)
	}
}

// arrived reports whether a datagram did. On a loopback it is there when it has been sent.
func (d *decoys) arrived() bool {
	_ = d.udp.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	n, _, err := d.udp.ReadFrom(make([]byte, 16))
	return err == nil && n > 0
}

// judge says what became of each attempt, now that what was guarded was put back.
func (d *decoys) judge(attempts []confine.Attempt, bare bool) []Thing {
	var things []Thing
	for _, a := range about {
		t := Thing{Name: a.name, About: a.text, Detail: "not tried"}
		if a.name == "tree" {
			// Each supervisor sees to it, or says that it can't: see confine.
			t.Held, t.Detail = Held, "the kernel ends a namespace of processes"
			if bare {
				t.Held, t.Detail = Undone, "its supervisor ends them, unless they are faster"
			}
		}
		for _, attempt := range attempts {
			if attempt.Name != a.name {
				continue
			}
			t.Detail = attempt.Detail
			if !attempt.Open {
				t.Held = Held
				continue
			}
			switch t.Detail = "it worked"; a.name {
			case "hooks":
				if _, err := os.Lstat(d.probe.Hook); errors.Is(err, os.ErrNotExist) {
					t.Held = Undone
				}
			case "udp":
				if !d.arrived() {
					t.Held, t.Detail = Held, "it was sent on a network of its own"
				}
			}
		}
		things = append(things, t)
	}
	return things
}
