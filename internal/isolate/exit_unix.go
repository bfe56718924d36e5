//go:build unix

package isolate

import (
	"os"
	"syscall"
)

func classify(st *os.ProcessState) ending {
	if st == nil {
		return endedByKill
	}
	ws, ok := st.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return endedByItself
	}
	switch ws.Signal() {
	case syscall.SIGSYS:
		return endedByFilter
	case syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGILL, syscall.SIGABRT, syscall.SIGFPE, syscall.SIGTRAP, syscall.SIGQUIT:
		return endedByFault
	}
	return endedByKill
}
