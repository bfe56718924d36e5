package task

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	Main()
	serveFaults()
	os.Exit(m.Run())
}
