package workers

import (
	"bytes"
	"compress/flate"
	"io"
	"strconv"
	"strings"
	"sync"

	"samkit.dev/internal/bundle"
	"samkit.dev/internal/jsrt"
)

// positions turns places in a bundled script into places in the files as written.
type positions struct {
	once sync.Once
	m    *bundle.Map // nil if there is no usable map

	packing sync.Once
	packed  []byte
}

// original rewrites every place in a text that names the bundled script.
func (a *App) original(text string) string {
	if !strings.Contains(text, chunkName) {
		return text
	}
	s := a.Script
	s.positions.once.Do(func() {
		if len(s.Map) > 0 {
			s.positions.m, _ = bundle.ParseMap(s.Map) // a broken map leaves generated positions
		}
	})
	return original(text, s.positions.m)
}

// smallMap is up to how many bytes a map is not worth packing: what packs takes a megabyte for itself, and a script
// that runs once has a map of its own.
const smallMap = 16 << 10

// packedMap is the map as a runner gets it: nothing, unless the code reads stacks. One that begins as JSON does is not packed.
func (s *Script) packedMap() []byte {
	s.positions.packing.Do(func() {
		if len(s.Map) == 0 || !jsrt.ReadsStack(s.Code) && !jsrt.ReadsStack([]byte(s.After)) {
			return
		}
		if len(s.Map) <= smallMap && s.Map[0] == '{' {
			s.positions.packed = s.Map
			return
		}
		var b bytes.Buffer
		b.WriteByte(0)
		w, err := flate.NewWriter(&b, flate.BestSpeed)
		if err != nil {
			return // of a wrong level only
		}
		if _, err = w.Write(s.Map); err == nil && w.Close() == nil {
			s.positions.packed = b.Bytes()
		}
	})
	return s.positions.packed
}

// unpackMap reads what packedMap made, or returns nil.
func unpackMap(packed string) *bundle.Map {
	if packed == "" {
		return nil
	}
	data := []byte(packed)
	if packed[0] != '{' {
		var err error
		if data, err = io.ReadAll(flate.NewReader(strings.NewReader(packed[1:]))); err != nil {
			return nil
		}
	}
	m, err := bundle.ParseMap(data)
	if err != nil {
		return nil
	}
	return m
}

func original(text string, m *bundle.Map) string {
	var out strings.Builder
	for {
		before, after, ok := strings.Cut(text, chunkName+":")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		line, col, rest, ok := position(after)
		if file, l, c, found := m.Original(line, col); ok && found {
			out.WriteString(file + ":" + strconv.Itoa(l) + ":" + strconv.Itoa(c))
			text = rest
			continue
		}
		out.WriteString("functions.js:")
		text = after
	}
}

// firstPosition returns the place of the innermost frame of a stack.
func firstPosition(stack string) string {
	line, _, _ := strings.Cut(stack, "\n")
	if i := strings.LastIndexByte(line, '('); i >= 0 {
		return strings.TrimSuffix(line[i+1:], ")")
	}
	return strings.TrimPrefix(strings.TrimSpace(line), "at ")
}
