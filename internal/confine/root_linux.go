//go:build amd64 || arm64

package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// The root of a strong box is made of mounts in a mount namespace that began as a copy of the machine's:
//
//	/            memory, read-only
//	System       the machine's, read-only
//	Root         at the path that it has on the machine, read-only but for Writable
//	/tmp         memory, of TempSize, with the command's home
//	/dev /proc   devices that are harmless; this process namespace, read-only, because to whom the machine's root
//	             is mapped /proc/sys would be writable otherwise
//
// While it is made, a directory is covered by memory (base) that becomes the root, with the
// machine's root at old below it; at the end new becomes the root, and nothing is left of the others.
const (
	base = "/tmp"
	old  = "/old"
	root = "/new"
	mask = "/mask"
)

// stageRoot makes the root but for the workspace.
func (s *Stage) stageRoot() error {
	if err := s.ownMounts(); err != nil {
		return err
	}
	if err := s.enterBase(); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=1m"); err != nil {
		return fmt.Errorf("mount the root: %w", err)
	}
	for _, step := range []func() error{s.mountSystem, s.mountDevices, s.mountProc, s.mountTemp, s.writeEtc} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stage) ownMounts() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("take the mounts for its own: %w", err)
	}
	return nil
}

// enterRoot puts the workspace into the root and goes there.
func (s *Spec) enterRoot() error {
	if err := os.MkdirAll(root+s.Root, 0o755); err != nil {
		return err
	}
	if err := s.mountWorkspace(old, root, mask); err != nil {
		return err
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, root, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("make the root read-only: %w", err)
	}
	if err := unix.Chdir(root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the machine's root: %w", err)
	}
	return unix.Chdir("/")
}

// coverRoot is for a light command whose supervisor has namespaces: the machine's root becomes read-only, so that
// modes stay as well, which Landlock does not look at.
func (s *Stage) coverRoot() error {
	if err := s.ownMounts(); err != nil {
		return err
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("make the machine read-only: %w", err)
	}
	return mountProc("/proc")
}

// uncoverWorkspace gives a light command its workspace as a strong one has it, and its temporary directory.
func (s *Spec) uncoverWorkspace() error {
	if err := place(s.Temp, s.Temp, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV); err != nil {
		return err
	}
	return s.mountWorkspace("", "", s.Mask)
}

// enterBase makes memory the root, with the machine's below.
func (s *Stage) enterBase() error {
	if err := unix.Mount("tmpfs", base, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=1m"); err != nil {
		return fmt.Errorf("mount memory: %w", err)
	}
	for _, dir := range []string{old, root} {
		if err := os.Mkdir(base+dir, 0o755); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(base+mask+"/dir", 0o700); err != nil {
		return err
	}
	if err := errors.Join(os.WriteFile(base+mask+"/file", nil, 0), os.Chmod(base+mask+"/dir", 0)); err != nil {
		return err
	}
	if err := unix.PivotRoot(base, base+old); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	return unix.Chdir("/")
}

// mountSystem shows the machine's paths, and its links as links.
func (s *Stage) mountSystem() error {
	for _, path := range s.System {
		info, err := os.Lstat(old + path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(old + path)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Dir(root+path), 0o755); err != nil {
				return err
			}
			if err := os.Symlink(target, root+path); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			continue
		}
		if err := bind(old+path, root+path, info.IsDir(), unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stage) mountDevices() error {
	for _, name := range devices {
		if err := bind(old+"/dev/"+name, root+"/dev/"+name, false, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC); err != nil {
			return err
		}
	}
	for name, target := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"} {
		if err := os.Symlink(target, root+"/dev/"+name); err != nil {
			return err
		}
	}
	return s.mountMemory("/dev/shm")
}

// mountProc shows this process namespace. Where the machine's /proc is partly covered, as in a container, the kernel allows only
// the part about processes.
func (s *Stage) mountProc() error {
	if err := os.Mkdir(root+"/proc", 0o555); err != nil {
		return err
	}
	return mountProc(root + "/proc")
}

func mountProc(path string) error {
	const flags = unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	err := unix.Mount("proc", path, "proc", flags, "")
	if err != nil && unix.Mount("proc", path, "proc", flags, "subset=pid") != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	return nil
}

func (s *Stage) mountTemp() error {
	if err := s.mountMemory("/tmp"); err != nil {
		return err
	}
	return os.Mkdir(root+"/tmp/home", 0o700)
}

func (s *Stage) mountMemory(path string) error {
	if err := os.MkdirAll(root+path, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", root+path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, fmt.Sprintf("mode=1777,size=%d,nr_inodes=65536", s.TempSize)); err != nil {
		return fmt.Errorf("mount %s: %w", path, err)
	}
	return nil
}

// writeEtc says who the command is. Names of hosts are the proxy's to resolve.
func (s *Stage) writeEtc() error {
	if err := os.MkdirAll(root+"/etc", 0o755); err != nil {
		return err
	}
	files := map[string]string{
		"passwd":        fmt.Sprintf("box:x:%d:%d:box:/tmp/home:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n", UID, UID),
		"group":         fmt.Sprintf("box:x:%d:\nnogroup:x:65534:\n", UID),
		"hosts":         "127.0.0.1 localhost\n::1 localhost\n",
		"nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
	}
	for name, text := range files {
		if err := os.WriteFile(root+"/etc/"+name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// mountWorkspace mounts the workspace, then what of it may be written, then what of that may not, and at last
// what of all is not to be seen: below from is the machine's root, below to the command's, and in mask lie a file and a directory to cover others with.
// Links are not followed: whoever ran there before could have made them.
func (s *Spec) mountWorkspace(from, to, mask string) error {
	const plain = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	if err := place(from+s.Root, to+s.Root, plain|unix.MOUNT_ATTR_RDONLY); err != nil {
		return err
	}
	writable := slices.SortedFunc(slices.Values(s.Writable), func(a, b string) int { return len(a) - len(b) })
	for _, path := range writable {
		if err := place(from+path, to+path, plain); err != nil {
			return err
		}
	}
	for _, path := range s.ReadOnly {
		if err := place(from+path, to+path, plain|unix.MOUNT_ATTR_RDONLY); err != nil {
			return err
		}
	}
	for _, path := range s.Hidden {
		info, err := os.Lstat(to + path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // below one that is hidden
		}
		if errors.Is(err, fs.ErrPermission) && s.hiddenAbove(path) {
			continue
		}
		if err != nil {
			return err
		}
		what := mask + "/file"
		if info.IsDir() {
			what = mask + "/dir"
		}
		if err := place(what, to+path, plain|unix.MOUNT_ATTR_RDONLY); err != nil {
			return err
		}
	}
	return nil
}

func (s *Spec) hiddenAbove(path string) bool {
	return slices.ContainsFunc(s.Hidden, func(h string) bool { return strings.HasPrefix(path, h+"/") })
}

// bind mounts one of the machine's paths at a new place.
func bind(from, to string, dir bool, attr uint64) error {
	var err error
	if dir {
		err = os.MkdirAll(to, 0o755)
	} else if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
		err = os.WriteFile(to, nil, 0o444)
	}
	if err != nil {
		return err
	}
	return place(from, to, attr)
}

// place mounts what is at one path over what is at another. Neither path leads through links.
func place(from, to string, attr uint64) error {
	fail := func(err error) error {
		return fmt.Errorf("mount %s: %w", strings.TrimPrefix(from, old), err)
	}
	source, err := openPath(from, false)
	if err != nil {
		return fail(err)
	}
	defer unix.Close(source)
	target, err := openPath(to, false)
	if err != nil {
		return fail(err)
	}
	defer unix.Close(target)
	tree, err := unix.OpenTree(source, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
	if err != nil {
		return fail(err)
	}
	defer unix.Close(tree)
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attr, Attr_clr: unix.MOUNT_ATTR_RDONLY &^ attr}); err != nil {
		return fail(err)
	}
	if err := unix.MoveMount(tree, "", target, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH); err != nil {
		return fail(err)
	}
	return nil
}
