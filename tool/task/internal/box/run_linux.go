//go:build amd64 || arm64

package box

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"samkit.dev/internal/confine"
	"samkit.dev/internal/seccomp"
)

const (
	// proxyPort is where a strong command finds the proxy, on the loopback of its own.
	proxyPort = 3128
	// startTimeout bounds the time until a command is about to start.
	startTimeout = 30 * time.Second
	// endTimeout bounds how long a supervisor takes to end what a light command started.
	endTimeout = 10 * time.Second
)

// system are the machine's paths that any program may need: programs, libraries, and of /etc what
// is neither secret nor somebody's configuration. Names of users and hosts are there for a light command only; a strong one has its own.
var system = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/alternatives", "/etc/localtime", "/etc/timezone",
	"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ssl/cert.pem", "/etc/pki", "/etc/ca-certificates", "/etc/ca-certificates.conf",
	"/etc/protocols", "/etc/services", "/etc/mime.types", "/etc/os-release", "/etc/debian_version", "/etc/fonts", "/etc/java-17-openjdk",
	"/sys/devices/system/cpu",
}

var systemLight = []string{"/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/sys/kernel/mm/transparent_hugepage"}

// A supervised is a supervisor that runs, and what the program holds of it.
type supervised struct {
	proc    *os.Process
	link    *net.UnixConn
	whole   bool // it is the first of a namespace of processes
	answers *json.Decoder
	exited  chan struct{}

	stage  confine.Stage
	id     identity
	mounts []byte // of the machine, when it was started
}

// spec says to the supervisor what the job is.
func (b *Box) spec(j *job) (*confine.Spec, error) {
	s := &confine.Spec{
		Stage: confine.Stage{Strong: b.kind == Strong, Own: b.kind == Light && !b.bare, System: slices.Concat(system, b.opts.System), TempSize: j.limits.Temp},
		Path:  j.path, Argv: j.argv, Dir: j.dir, Root: j.root, Writable: j.writable, ReadOnly: j.readOnly, Hidden: j.hidden,
		Processes: j.limits.Processes, Memory: j.limits.Memory, FileSize: j.limits.FileSize,
	}
	if b.kind == Strong {
		return s, nil
	}
	s.System = append(s.System, systemLight...)
	var err error
	if s.Temp, err = j.makeTemp(); err != nil {
		return nil, err
	}
	s.Mask = filepath.Join(s.Temp, "mask")
	if os.Geteuid() == 0 {
		// Root gives way to whom the workspace belongs.
		uid, gid, err := owner(j.root)
		if err != nil {
			return nil, err
		}
		s.RunAs, s.RunAsGroup = uid, gid
		for _, dir := range []string{s.Temp, filepath.Join(s.Temp, "home"), filepath.Join(s.Temp, "tmp")} {
			if err := os.Chown(dir, uid, gid); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// makeTemp makes a light command's home and temporary directory.
func (j *job) makeTemp() (string, error) {
	temp, err := os.MkdirTemp("", "samkit-box-")
	if err != nil {
		return "", err
	}
	j.temp = temp
	real, err := filepath.EvalSymlinks(temp)
	return real, errors.Join(err, os.Mkdir(filepath.Join(temp, "home"), 0o700), os.Mkdir(filepath.Join(temp, "tmp"), 0o700),
		os.Mkdir(filepath.Join(temp, "mask"), 0o755), os.Mkdir(filepath.Join(temp, "mask", "dir"), 0), os.WriteFile(filepath.Join(temp, "mask", "file"), nil, 0))
}

func owner(path string) (uid, gid int, err error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", path, err)
	}
	return int(st.Uid), int(st.Gid), nil
}

// run runs the job and waits until nothing of it is left.
func (b *Box) run(ctx context.Context, j *job) (*Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s, err := b.spec(j)
	if err != nil {
		return nil, err
	}
	p, err := b.openProxy(j, s)
	if err != nil {
		return nil, err
	}
	if p != nil {
		defer p.close()
	}
	streams, err := newStreams(j, cancel)
	if err != nil {
		return nil, err
	}
	defer streams.close()
	v, listener, err := b.supervisor(ctx, s, streams)
	if err != nil {
		return nil, err
	}
	defer v.end()
	if listener != nil {
		p := startProxy(listener, j.guard, "", &j.refused)
		defer p.close()
	}
	streams.begin()
	stop := j.watchDisk(cancel)
	end, err := v.wait(ctx)
	stop()
	v.end()
	return result(ctx, end, errors.Join(err, streams.finish()))
}

// openProxy opens a light command's proxy, and tells a strong one's supervisor to.
func (b *Box) openProxy(j *job, s *confine.Spec) (*proxy, error) {
	home, temp, address := "/tmp/home", "/tmp", ""
	if !s.Strong {
		home, temp = filepath.Join(s.Temp, "home"), filepath.Join(s.Temp, "tmp")
	}
	var p *proxy
	switch {
	case !j.network():
	case s.Strong:
		s.Proxy = proxyPort
		address = fmt.Sprintf("http://127.0.0.1:%d", proxyPort)
	default:
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		secret := rand.Text() // others on this machine reach the loopback
		s.Proxy = l.Addr().(*net.TCPAddr).Port
		address = fmt.Sprintf("http://box:%s@127.0.0.1:%d", secret, s.Proxy)
		p = startProxy(l, j.guard, secret, &j.refused)
	}
	s.Env = j.environment(home, temp, address)
	return p, nil
}

// errOver is why a job was ended by what this process watches.
type errOver struct{ Reason }

func (e errOver) Error() string { return "the limit of " + string(e.Reason) + " was passed" }

// result says how it ended.
func result(ctx context.Context, end confine.End, err error) (*Result, error) {
	var over errOver
	r := &Result{Code: end.Code}
	switch {
	case errors.As(context.Cause(ctx), &over):
		r.Killed = over.Reason
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), errWriter):
		r.Killed = reason(ctx)
	case end.Over != "":
		r.Killed = Reason(end.Over)
	case end.Err != "":
		return nil, errors.New(end.Err)
	case err != nil:
		return nil, err
	}
	if r.Killed != "" {
		r.Code = 128 + int(syscall.SIGKILL)
	}
	return r, nil
}

func (j *job) watchDisk(cancel context.CancelCauseFunc) (stop func()) {
	done, joined := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(joined)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if j.full.over() {
					cancel(errOver{Disk})
					return
				}
			}
		}
	}()
	return func() { close(done); <-joined }
}

// supervisor returns one that is about to start the command, and the listener of a strong one's proxy: the spare one if there is one
// that will do. What a spare could not do a new one may.
func (b *Box) supervisor(ctx context.Context, s *confine.Spec, streams *streams) (*supervised, net.Listener, error) {
	id, err := identify(s)
	if err != nil {
		return nil, nil, err
	}
	if v := b.takeSpare(s.Stage, id); v != nil {
		if l, err := v.give(ctx, s, streams.theirs()); err == nil {
			b.makeSpare(s.Stage, id)
			return v, l, nil
		} else if v.end(); ctx.Err() != nil {
			return nil, nil, err
		}
	}
	v, l, err := b.newSupervisor(ctx, s, streams)
	if err == nil {
		b.makeSpare(s.Stage, id)
	}
	return v, l, err
}

func (b *Box) newSupervisor(ctx context.Context, s *confine.Spec, streams *streams) (*supervised, net.Listener, error) {
	id, err := identify(s)
	if err != nil {
		return nil, nil, err
	}
	v, err := startSupervisor(s.Stage, id, streams.theirs())
	if err != nil {
		return nil, nil, err
	}
	l, err := v.give(ctx, s, streams.theirs())
	if err != nil {
		defer v.end()
		return nil, nil, streams.explain(err)
	}
	return v, l, nil
}

// startSupervisor executes this program again, in namespaces unless the box is a bare one.
func startSupervisor(s confine.Stage, id identity, files [3]*os.File) (*supervised, error) {
	if !confine.MainCalled() {
		return nil, ErrMainNotCalled
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("socketpair: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "link"), os.NewFile(uintptr(fds[1]), "link")
	defer theirs.Close()
	defer ours.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		return nil, err
	}
	attr := &syscall.SysProcAttr{Setsid: true}
	if s.Strong || s.Own {
		namespaces(attr, s, id)
	}
	proc, err := os.StartProcess("/proc/self/exe", []string{"samkit-box"}, &os.ProcAttr{
		Dir: "/",
		// One thread that runs Go is enough to wait, and an empty environment is all that is inherited.
		Env:   []string{confine.Marker + "=1", "GOMAXPROCS=2", "GOGC=off", "GOTRACEBACK=single"},
		Files: []*os.File{files[0], files[1], files[2], confine.LinkFD: theirs},
		Sys:   attr,
	})
	if err != nil {
		conn.Close()
		if attr.Cloneflags != 0 && (errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EINVAL)) {
			err = fmt.Errorf("the system refuses namespaces to this program: %w", err)
		}
		return nil, err
	}
	v := &supervised{proc: proc, link: conn.(*net.UnixConn), whole: attr.Cloneflags != 0, exited: make(chan struct{}), stage: s, id: id}
	go func() {
		defer close(v.exited)
		_, _ = proc.Wait()
	}()
	if err := v.say(s, nil); err != nil {
		v.end()
		return nil, fmt.Errorf("its supervisor ended: %w", err)
	}
	return v, nil
}

// say sends one message, with descriptors if there are any.
func (v *supervised) say(what any, rights []byte) error {
	data, err := json.Marshal(what)
	if err != nil {
		return err
	}
	// The descriptors come with the first bytes.
	if _, _, err := v.link.WriteMsgUnix(binary.BigEndian.AppendUint32(nil, uint32(len(data))), rights, nil); err != nil {
		return err
	}
	_, err = v.link.Write(data)
	return err
}

// An identity is who a command with a namespace of users is on the machine.
type identity struct{ uid, gid int }

// identify says who that is: this program's user, or where that is root whom the workspace belongs to.
func identify(s *confine.Spec) (identity, error) {
	uid, gid := os.Geteuid(), os.Getegid()
	if uid == 0 && s.Strong {
		var err error
		if uid, gid, err = owner(s.Root); err != nil {
			return identity{}, err
		}
	}
	return identity{uid, gid}, nil
}

// namespaces asks for a supervisor's. A strong one is confine.UID there; a light one is who it is, and root needs no namespace of
// users. It has the capabilities to make mounts, which end with the namespaces.
func namespaces(attr *syscall.SysProcAttr, s confine.Stage, id identity) {
	isRoot := os.Geteuid() == 0
	inside, insideGroup := id.uid, id.gid
	attr.Cloneflags = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC
	if s.Strong {
		inside, insideGroup = confine.UID, confine.UID
		attr.Cloneflags |= unix.CLONE_NEWNET | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
	} else if isRoot {
		return
	}
	attr.Cloneflags |= unix.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: inside, HostID: id.uid, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: insideGroup, HostID: id.gid, Size: 1}}
	attr.GidMappingsEnableSetgroups = isRoot
	attr.Credential = &syscall.Credential{Uid: uint32(inside), Gid: uint32(insideGroup), NoSetGroups: !isRoot}
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_SYS_CHROOT, unix.CAP_KILL}
}

// give sends the spec and the command's ends of its streams, and returns the listener of a strong one's proxy.
func (v *supervised) give(ctx context.Context, s *confine.Spec, files [3]*os.File) (net.Listener, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, errors.New("its supervisor did not get ready in time; does the program call engine.Main or task.Main first?"))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { v.kill() })
	defer stop()
	err := v.say(s, unix.UnixRights(int(files[0].Fd()), int(files[1].Fd()), int(files[2].Fd())))
	var line []byte
	var fd = -1
	if err == nil {
		line, fd, err = v.readReady()
	}
	var ready confine.Ready
	if err == nil {
		if err = json.Unmarshal(line, &ready); err == nil && ready.Err != "" {
			err = errors.New(ready.Err)
		}
	}
	if err != nil {
		if fd >= 0 {
			unix.Close(fd)
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	v.answers = json.NewDecoder(v.link)
	if fd < 0 {
		return nil, nil
	}
	f := os.NewFile(uintptr(fd), "proxy")
	defer f.Close()
	return net.FileListener(f)
}

// readReady reads the first line, and the descriptor that comes with it.
func (v *supervised) readReady() (line []byte, fd int, err error) {
	fd = -1
	buf := make([]byte, 1)
	oob := make([]byte, unix.CmsgSpace(4))
	for len(line) < 64<<10 {
		n, oobn, _, _, err := v.link.ReadMsgUnix(buf, oob)
		if oobn > 0 {
			if messages, err := unix.ParseSocketControlMessage(oob[:oobn]); err == nil && len(messages) == 1 {
				if fds, err := unix.ParseUnixRights(&messages[0]); err == nil && len(fds) == 1 {
					fd = fds[0]
					unix.CloseOnExec(fd)
				}
			}
		}
		if err == nil && n == 0 {
			err = io.EOF
		}
		if err != nil {
			return nil, fd, fmt.Errorf("its supervisor ended: %w", err)
		}
		if buf[0] == '\n' {
			return line, fd, nil
		}
		line = append(line, buf[0])
	}
	return nil, fd, errors.New("its supervisor says too much")
}

// wait waits for the end, which it brings about when ctx ends.
func (v *supervised) wait(ctx context.Context) (confine.End, error) {
	stop := context.AfterFunc(ctx, func() { v.kill() })
	defer stop()
	var end confine.End
	if err := v.answers.Decode(&end); err != nil {
		return end, fmt.Errorf("its supervisor ended before it: %w", err)
	}
	return end, nil
}

// kill ends the supervisor and all that it supervises. The kernel ends a process namespace with
// its first process; in a light box the supervisor ends the others first, when the link closes.
func (v *supervised) kill() {
	if v.whole {
		_ = v.proc.Kill()
		return
	}
	_ = v.link.CloseWrite()
}

// end waits until the supervisor and all that it supervises are gone. It may be called twice.
func (v *supervised) end() {
	v.kill()
	select {
	case <-v.exited:
	case <-time.After(endTimeout):
		_ = syscall.Kill(-v.proc.Pid, syscall.SIGKILL)
		_ = v.proc.Kill()
		<-v.exited
	}
	_ = v.link.Close()
}

// probe opens a box by trying to escape from one.
func (b *Box) probe() (Level, error) {
	level := Level{Kind: b.kind}
	if err := seccomp.Probe(); err != nil {
		return level, err
	}
	level.Means = append(level.Means, "seccomp")
	d, err := newDecoys()
	if err != nil {
		return level, fmt.Errorf("prepare the probe: %w", err)
	}
	defer d.close()
	attempts, err := b.attempt(d)
	if err != nil && b.kind == Light && !b.bare && !errors.Is(err, ErrMainNotCalled) {
		b.bare = true
		attempts, err = b.attempt(d)
	}
	if err != nil {
		return level, err
	}
	if v := confine.LandlockVersion(); b.kind == Light && v > 0 {
		level.Means = append([]string{fmt.Sprintf("landlock %d", v)}, level.Means...)
	}
	if !b.bare {
		level.Means = append(level.Means, "namespaces")
	}
	level.Things = d.judge(attempts, b.bare)
	if open := level.open(); b.kind == Strong && len(open) > 0 {
		return level, fmt.Errorf("the probe got out: %s", open)
	}
	return level, nil
}

// attempt runs the probe as it would a command.
func (b *Box) attempt(d *decoys) ([]confine.Attempt, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	j, err := b.prepare(&Command{Argv: []string{"/probe"}, Root: d.workspace, Writable: []string{"**"}, Deny: []string{"denied"}})
	if err != nil {
		return nil, err
	}
	defer j.close()
	before, err := watchPaths(j.root, nil)
	if err != nil {
		return nil, err
	}
	s, err := b.spec(j)
	if err != nil {
		return nil, err
	}
	s.Probe = &d.probe
	var said bytes.Buffer
	j.err = &said
	streams, err := newStreams(j, func(error) {})
	if err != nil {
		return nil, err
	}
	defer streams.close()
	v, _, err := b.newSupervisor(ctx, s, streams)
	if err != nil {
		return nil, err
	}
	defer v.end()
	streams.begin()
	end, err := v.wait(ctx)
	if err == nil && end.Err != "" {
		err = errors.New(end.Err)
	}
	if err != nil {
		return nil, err
	}
	v.end()
	return end.Attempts, errors.Join(streams.finish(), before.restore(&j.refused))
}
