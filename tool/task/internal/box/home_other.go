//go:build !linux || !(amd64 || arm64)

package box

import "os"

// makeHome makes a directory of the command's own.
func (j *job) makeHome() (string, error) {
	dir, err := os.MkdirTemp("", "samkit-box-")
	j.temp = dir
	return dir, err
}
