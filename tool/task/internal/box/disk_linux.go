package box

import "golang.org/x/sys/unix"

// freeBytes is what the file system of a path has left.
func freeBytes(path string) (int64, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, false
	}
	return int64(st.Bfree) * st.Bsize, true
}
