//go:build !unix

package box

import (
	"os"
	"os/exec"
)

const treeDetail = "the process is ended; what it started is not"

func group(*exec.Cmd) {}

func endGroup(*exec.Cmd) {}

func exitCode(st *os.ProcessState) int { return st.ExitCode() }
