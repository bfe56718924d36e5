package modules

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"
)

// What is committed is what the manifest says, and was made by the recipes that are
// committed with it. That the recipes give these bytes, .ci/run checks by building.
func TestManifest(t *testing.T) {
	m, err := ReadManifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		data, err := Read(name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		if got := hex.EncodeToString(sum[:]); got != m[name].Hash || len(data) != m[name].Size {
			t.Errorf("%s is %d bytes, %s; the manifest has %d, %s", name, len(data), got, m[name].Size, m[name].Hash)
		}
		recipe, err := RecipeHash(os.DirFS("../../build"), name)
		if err != nil {
			t.Fatal(err)
		}
		if recipe != m[name].Recipe {
			t.Errorf("the recipe of %s has changed: go run ./wasi/build %s", name, name)
		}
	}
	if len(m) != len(Names()) {
		t.Errorf("the manifest has %d modules; there are recipes for %d", len(m), len(Names()))
	}
}

func TestCut(t *testing.T) {
	head := []byte("\x00asm\x01\x00\x00\x00")
	module := string(head) + "\x01\x02ab" + "\x00\x05\x01xyzw" + "\x00\x06\x03libhi" + "\x0a\x00"
	rest, contents := Cut([]byte(module), "lib")
	if want := string(head) + "\x01\x02ab" + "\x00\x05\x01xyzw" + "\x0a\x00"; string(rest) != want || string(contents) != "hi" {
		t.Errorf("%q, %q", rest, contents)
	}
	if rest, contents := Cut([]byte(module), "none"); string(rest) != module || contents != nil {
		t.Errorf("%q, %q", rest, contents)
	}
	// What is no module stays as it is.
	for i := range module {
		torn := append([]byte(module[:i]), 0xff, 0xff)
		if rest, contents := Cut(torn, "nothing"); string(rest) != string(torn) || contents != nil {
			t.Errorf("%q: %q, %q", torn, rest, contents)
		}
	}
}
