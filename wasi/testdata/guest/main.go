// Command guest is what a test makes a WASI module of: it does what a hostile or a clumsy command does, and prints what
// came of it.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

func main() {
	canary := os.Getenv("CANARY")
	switch os.Args[1] {
	case "exit":
		n, _ := strconv.Atoi(os.Args[2])
		os.Exit(n)
	case "copy":
		io.Copy(os.Stdout, os.Stdin)
	case "loop":
		for {
		}
	case "sleep":
		time.Sleep(time.Hour)
	case "flood":
		for {
			if _, err := os.Stdout.WriteString("flood\n"); err != nil {
				os.Exit(9)
			}
		}
	case "grow":
		var all [][]byte
		for {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = 1
			}
			all = append(all, b)
		}
	case "recurse":
		fmt.Println(recurse(1 << 30))
	case "fault":
		var p *int
		fmt.Println(*p)
	case "links":
		for _, to := range []string{"../../../../../.." + canary, canary, "../outside", "/tmp", "a.txt"} {
			os.Remove("link")
			report("symlink", os.Symlink(to, "link"))
			report("hard link", os.Link(to, "hard"))
			report("write through", os.WriteFile("link", []byte("x"), 0o644))
			report("create through", os.WriteFile("link/x", []byte("x"), 0o644))
			os.Remove("link")
			report("mkdir", os.Mkdir("link", 0o755))
			report("remove", os.Remove("link"))
		}
	case "names":
		for _, name := range []string{canary, "../../../../../.." + canary, "/etc/passwd", "/proc/self/environ", "/dev/fd/3", "..", "../../x", "/project/../../x", "/bin/sh/x"} {
			_, err := os.ReadFile(name)
			report("read", err)
			report("write", os.WriteFile(name, []byte("x"), 0o644))
			report("rename to", os.Rename("a.txt", name))
			report("rename from", os.Rename(name, "got"))
			report("remove", os.Remove(name))
		}
	case "files":
		for i := range 100_000 {
			if _, err := os.Create("/tmp/f" + strconv.Itoa(i)); err != nil {
				fmt.Println("stopped", err)
				return
			}
		}
	case "numbers":
		// Numbers that are closed, of folders, and of nothing.
		for fd := range uintptr(64) {
			f := os.NewFile(fd+3, "")
			if f == nil {
				continue
			}
			_, err := f.Write([]byte("x"))
			report("write", err)
			f.Close()
			_, err = f.Write([]byte("x"))
			report("write to closed", err)
		}
		report("create", os.WriteFile("late.txt", []byte("x"), 0o644))
	case "swap":
		for range 500 {
			os.Remove("swapped")
			os.Symlink(canary, "swapped")
			os.WriteFile("swapped", []byte("x"), 0o644)
			os.Remove("swapped")
			os.Mkdir("swapped", 0o755)
			os.WriteFile("swapped/../../../.."+canary, []byte("x"), 0o644)
		}
	}
}

// report prints what succeeded.
func report(what string, err error) {
	if err == nil {
		fmt.Println(what)
	}
}

func recurse(n int) int {
	if n == 0 {
		return 0
	}
	return recurse(n-1) + 1
}
