package sqlshim

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"samkit.dev/sam"
)

const holdEnv = "SQLSHIM_HOLD" // a directory whose database the program keeps open until its input ends

func holdFile(dir string) error {
	db, err := Open(context.Background(), sam.State{}, "DB", &Options{Dir: dir})
	if err != nil {
		return err
	}
	if _, err := db.Exec(context.Background(), "CREATE TABLE IF NOT EXISTS t(v)\nINSERT INTO t VALUES('first')"); err != nil {
		return err
	}
	os.Stdout.WriteString("ready\n")
	os.Stdin.Read(make([]byte, 1))
	return db.Close()
}

// TestTwoProcesses has a file that another process owns: to open it is an
// error at once, which changes nothing, until the other one ends or is killed.
func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, kill := range []bool{false, true} {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), holdEnv+"="+dir)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 6)); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		db, err := Open(context.Background(), sam.State{}, "DB", &Options{Dir: dir, Timeout: time.Second})
		var e *Error
		if !errors.As(err, &e) || e.Code != "SQLITE_BUSY" || strings.Contains(e.Error(), dir) {
			t.Errorf("a second owner: %v", err)
		}
		if err == nil {
			db.Close()
		}
		if d := time.Since(began); d > 3*time.Second {
			t.Errorf("a second owner waited %v", d)
		}
		if kill {
			cmd.Process.Kill()
		}
		in.Close()
		cmd.Wait()
	}
	db := open(t, sam.State{}, &Options{Dir: dir})
	if n := count(t, db, "t"); n != 2 {
		t.Errorf("%d rows", n)
	}
	sound(t, db)
}
