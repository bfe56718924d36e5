package canvas

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"unicode/utf16"

	"samkit.dev/kv"
)

// maxStorage is what localStorage holds of one visitor on the server, in UTF-16
// units of keys and values as browsers count them; maxStorageBody bounds one change
// of it, in bytes.
const (
	maxStorage     = 256 << 10
	maxStorageBody = 2 << 20
	maxFramed      = 1 << 20 // units, with the page that frames an app
)

// storageSpace is the KV namespace of a project that holds its visitors'
// localStorage. Functions.js has no binding of that name unless it asks for one.
const storageSpace = "~localStorage"

// A stored is what a page's localStorage holds, in order, as the page gets it.
type stored struct {
	Max   int         `json:"max"`
	Items [][2]string `json:"items"`
}

// A storageChange is what a page did to it: after clearing all, if it did, a
// nil value means that the key is gone.
type storageChange struct {
	Clear bool         `json:"clear"`
	Items [][2]*string `json:"items"`
}

// stores reports whether the project keeps localStorage on the server, for who
// is asking: somebody, where the program has people, else everybody alike.
func (v *visit) stores(gen *generation) bool {
	return gen.config.Storage == "server" && (v.who.Principal != "" || !v.h.asksWho())
}

func (v *visit) storageKey() string {
	sum := sha256.Sum256([]byte(v.who.Principal))
	return hex.EncodeToString(sum[:16])
}

func (v *visit) readStorage(ctx context.Context) (*stored, error) {
	s := &stored{Max: maxStorage, Items: [][2]string{}}
	e, err := kv.New(v.site.project.State(), storageSpace).Get(ctx, v.storageKey())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return nil, fmt.Errorf("read localStorage: %w", err)
	}
	if err := json.Unmarshal(e.Value, &s.Items); err != nil {
		return nil, fmt.Errorf("read localStorage: %w", err)
	}
	return s, nil
}

// tag is the script that goes first into a page for this visitor.
func (v *visit) tag(gen *generation, rel string) (string, error) {
	tag := v.h.client.tag(rel, gen.id)
	if !v.stores(gen) {
		return tag, nil
	}
	s, err := v.readStorage(v.ctx())
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	return strings.Replace(tag, "<script ", `<script data-storage="`+html.EscapeString(string(data))+`" `, 1), nil
}

// storage takes the changes of a page's localStorage.
func (v *visit) storage() {
	if v.r.Method != http.MethodPost {
		v.methodNotAllowed("POST")
		return
	}
	gen, err := v.generation()
	if err != nil || !v.stores(gen) {
		v.notFound()
		return
	}
	body, err := v.smallBody(maxStorageBody)
	var long *http.MaxBytesError
	var c storageChange
	switch {
	case errors.As(err, &long):
		v.storageFull()
		return
	case err != nil || json.Unmarshal(body, &c) != nil:
		v.fail(http.StatusBadRequest, failure{Code: "invalid", Message: "This is no change of localStorage.", data: true})
		return
	}
	full, err := v.changeStorage(&c)
	switch {
	case full:
		v.storageFull()
		return
	case err != nil:
		v.broken("keeping localStorage", err)
		return
	}
	v.begin()["Cache-Control"] = valNoStore
	v.w.WriteHeader(http.StatusNoContent)
}

func (v *visit) storageFull() {
	v.fail(http.StatusRequestEntityTooLarge, failure{
		Code: "exhausted", Message: fmt.Sprintf("localStorage holds at most %d characters on the server.", maxStorage), data: true,
	})
}

// changeStorage applies a change to what is there, which other tabs may have changed.
func (v *visit) changeStorage(c *storageChange) (full bool, err error) {
	v.site.storing.Lock()
	defer v.site.storing.Unlock()
	s, err := v.readStorage(v.ctx())
	if err != nil {
		return false, err
	}
	if c.apply(s); s.size() > maxStorage {
		return true, nil
	}
	data, err := json.Marshal(s.Items)
	if err != nil {
		return false, err
	}
	return false, kv.New(v.site.project.State(), storageSpace).Put(v.ctx(), kv.Entry{Key: v.storageKey(), Value: data})
}

func (c *storageChange) apply(s *stored) {
	if c.Clear {
		s.Items = [][2]string{}
	}
	at := map[string]int{}
	for i, it := range s.Items {
		at[it[0]] = i
	}
	gone := map[string]bool{}
	for _, it := range c.Items {
		if it[0] == nil {
			continue
		}
		key := *it[0]
		i, there := at[key]
		gone[key] = it[1] == nil
		switch {
		case it[1] == nil:
		case there:
			s.Items[i][1] = *it[1]
		default:
			at[key] = len(s.Items)
			s.Items = append(s.Items, [2]string{key, *it[1]})
		}
	}
	s.Items = slices.DeleteFunc(s.Items, func(it [2]string) bool { return gone[it[0]] })
}

func (s *stored) size() int {
	n := 0
	for _, it := range s.Items {
		for _, r := range it[0] + it[1] {
			n += max(1, utf16.RuneLen(r))
		}
	}
	return n
}
