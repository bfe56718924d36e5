//go:build amd64 || arm64

package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"unsafe"

	"golang.org/x/sys/unix"
)

// LandlockVersion is the kernel's, from 1 (Linux 5.13); 0 without Landlock.
func LandlockVersion() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

const (
	readAccess = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	// No rule grants making devices and sockets.
	writeAccess = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	// What there is to grant for a file that is no directory.
	fileAccess = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// A ruleset is what a version of Landlock can hold, and the file that stands for it.
type ruleset struct {
	fd int
	fs uint64
}

// landlock restricts the calling thread to the files of the spec, to the proxy's port, and to signals among its own.
func (s *Spec) landlock() error {
	version := LandlockVersion()
	if version == 0 {
		return nil // the probe says so
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: 1<<13 - 1}
	size := unsafe.Offsetof(attr.Handled_access_net)
	if version >= 2 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 4 {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size = unsafe.Offsetof(attr.Scoped)
	}
	if version >= 5 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size = unsafe.Offsetof(attr.Quiet_access_fs)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	rs := ruleset{int(fd), attr.Handled_access_fs}
	defer unix.Close(rs.fd)
	if err := s.rules(rs, version); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: restrict: %w", errno)
	}
	return nil
}

func (s *Spec) rules(rs ruleset, version int) error {
	for _, path := range s.System {
		if err := rs.allow(path, readAccess, true); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, name := range devices {
		if err := rs.allow("/dev/"+name, unix.LANDLOCK_ACCESS_FS_READ_FILE|unix.LANDLOCK_ACCESS_FS_WRITE_FILE|unix.LANDLOCK_ACCESS_FS_IOCTL_DEV, true); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := rs.allow("/proc", readAccess, true); err != nil {
		return err
	}
	if err := rs.allow(s.Root, readAccess, false); err != nil {
		return err
	}
	for _, path := range append([]string{s.Temp}, s.Writable...) {
		if path == "" {
			continue
		}
		if err := rs.allow(path, readAccess|writeAccess, false); err != nil {
			return err
		}
	}
	if version >= 4 && s.Proxy != 0 {
		rule := struct{ access, port uint64 }{unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, uint64(s.Proxy)}
		const netPort = 2 // LANDLOCK_RULE_NET_PORT
		if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rs.fd), netPort, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
			return fmt.Errorf("port %d: %w", s.Proxy, errno)
		}
	}
	return nil
}

// allow grants access to a path and what is below it. Only the machine's own paths may be links: a
// workspace's could have been changed by whoever ran there before.
func (rs ruleset) allow(path string, access uint64, links bool) error {
	fd, err := openPath(path, links)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= fileAccess
	}
	// The structure is packed: twelve bytes.
	var rule unix.LandlockPathBeneathAttr
	rule.Allowed_access, rule.Parent_fd = access&rs.fs, int32(fd)
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rs.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("%s: %w", path, errno)
	}
	return nil
}

// openPath returns a descriptor that stands for a file without opening it.
func openPath(path string, links bool) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC}
	if !links {
		how.Resolve = unix.RESOLVE_NO_SYMLINKS
	}
	return unix.Openat2(unix.AT_FDCWD, path, &how)
}

// devices are what a command finds in /dev, beside the links to its own descriptors.
var devices = []string{"null", "zero", "full", "random", "urandom"}
