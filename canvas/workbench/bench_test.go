package workbench

import (
	"errors"
	"io/fs"
	"testing"

	"samkit.dev/canvas"
	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/sam"
)

func TestNewNeedsItsParts(t *testing.T) {
	ws := sam.NewWorkspace(sam.NewMemStore(), "ada", nil)
	if _, err := New(t.Context(), ws, nil, nil); err == nil {
		t.Error("New took no engine")
	}
	if _, err := New(t.Context(), nil, newEngine(t), nil); err == nil {
		t.Error("New took no workspace")
	}
}

func TestWorkIsKept(t *testing.T) {
	f := open(t)
	f.create(t, "notes")
	if err := f.SetWork(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	if got := f.again(t).Work(); got != "notes" {
		t.Errorf("after opening again the work project is %q", got)
	}
	if err := f.SetWork(t.Context(), "nothere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("SetWork of a missing project: %v", err)
	}
	if got := f.Work(); got != "notes" {
		t.Errorf("a refused SetWork changed the work project to %q", got)
	}
	if err := f.Delete(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	if a, b := f.Work(), f.again(t).Work(); a != "" || b != "" {
		t.Errorf("a deleted project is still the work project: %q, %q", a, b)
	}
}

func TestWorkOfADeletedProjectIsVoid(t *testing.T) {
	f := open(t)
	f.create(t, "notes")
	if err := f.SetWork(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	if err := f.Workspace().Delete(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	if got := f.again(t).Work(); got != "" {
		t.Errorf("work project %q", got)
	}
}

func TestRolesThatAreDamagedAreAnError(t *testing.T) {
	f := open(t)
	space := f.store.Space("ada/~bench")
	if _, err := space.Commit(t.Context(), sam.Op{Key: rolesKey, Value: []byte("{"), If: sam.Any}); err != nil {
		t.Fatal(err)
	}
	if _, err := New(t.Context(), f.Workspace(), f.eng, &Options{Roles: space}); err == nil {
		t.Error("New took damaged roles")
	}
}

func TestWithoutRolesTheyAreInMemory(t *testing.T) {
	f := open(t)
	f.create(t, "notes")
	b, err := New(t.Context(), f.Workspace(), f.eng, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.SetWork(t.Context(), "notes"); err != nil || b.Work() != "notes" {
		t.Errorf("work %q, %v", b.Work(), err)
	}
}

func TestApp(t *testing.T) {
	f := open(t)
	f.create(t, "notes")
	app, err := f.App(t.Context(), canvas.Visitor{}, "notes")
	if err != nil {
		t.Fatal(err)
	}
	if app.Project.ID() != "notes" || app.Role != host.App || app.Host != nil || app.Session != "" {
		t.Errorf("app %+v", app)
	}
	app.Console.Add(console.Entry{Text: "hello"})
	buf, err := f.Console(t.Context(), "notes")
	if err != nil {
		t.Fatal(err)
	}
	if buf != app.Console {
		t.Error("the app prints elsewhere than the bench reads")
	}

	if _, err := f.App(t.Context(), canvas.Visitor{}, "nothere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing project: %v", err)
	}
	var denied *host.Error
	if _, err := f.App(t.Context(), canvas.Visitor{Session: "old"}, "notes"); !errors.As(err, &denied) || denied.Code != host.Denied {
		t.Errorf("a visitor with an ended session: %v", err)
	}
	if _, err := f.Console(t.Context(), "nothere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("console of a missing project: %v", err)
	}
}

func TestADeletedProjectTakesItsConsoleAlong(t *testing.T) {
	f := open(t)
	f.create(t, "notes")
	buf, err := f.Console(t.Context(), "notes")
	if err != nil {
		t.Fatal(err)
	}
	buf.Add(console.Entry{Text: "of the first"})
	if err := f.Delete(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	f.create(t, "notes")
	buf, err = f.Console(t.Context(), "notes")
	if err != nil {
		t.Fatal(err)
	}
	for e := range buf.Since(0) {
		t.Errorf("a new project has printed %q", e.Text)
	}
}

func TestCloseTwice(t *testing.T) {
	f := open(t)
	if err := errors.Join(f.Close(), f.Close()); err != nil {
		t.Error(err)
	}
}
