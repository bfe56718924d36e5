package canvas

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"net/http"

	"samkit.dev/internal/bundle"
)

//go:embed client.js
var clientSource []byte

// A client is the script that goes first into every page.
type client struct {
	name   string // its path element, which changes with its contents
	ready  *prepared
	opaque bool
}

func newClient(opaque bool) (*client, error) {
	code, err := bundle.Minify(clientSource)
	if err != nil {
		return nil, fmt.Errorf("canvas: the page's script: %w", err)
	}
	sum := sha256.Sum256(code)
	c := &client{name: "~client-" + hex.EncodeToString(sum[:6]) + ".js", opaque: opaque}
	c.ready = newPrepared(c.name, "text/javascript; charset=utf-8", code, hex.EncodeToString(sum[:]))
	return c, nil
}

// tag is the element that loads the script in a page that shows a revision.
func (c *client) tag(rel, revision string) string {
	mode := ""
	if c.opaque {
		mode = ` crossorigin data-opaque`
	}
	return `<script src="` + rel + c.name + `"` + mode + ` data-v="` + revision + `"></script>`
}

func (v *visit) clientScript() {
	if !v.reads() {
		return
	}
	v.begin()["Cache-Control"] = valForever
	v.send(v.h.client.ready, http.StatusOK)
}
