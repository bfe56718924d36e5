package taskjs_test

import (
	"os"
	"testing"

	"samkit.dev/host/engine"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

func newEngine(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}
