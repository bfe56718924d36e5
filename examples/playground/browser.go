package main

import (
	"os"
	"os/exec"
	"runtime"
)

// showInBrowser shows a page in the person's browser, where there is one.
func showInBrowser(page string) {
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.Command("open", page)
	case "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", page)
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return
		}
		cmd = exec.Command("xdg-open", page)
	}
	if cmd.Start() == nil {
		go cmd.Wait() // it ends by itself, at once
	}
}
