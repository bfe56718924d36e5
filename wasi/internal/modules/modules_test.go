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
