package wasi

import (
	"bytes"
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental/sysfs"

	"samkit.dev/sam"
)

// A snapshot is the memory of a module that has done what it does in every run: it is kept once and copied into each
// guest. It was taken where there are no arguments, variables, streams, and files but Python's library, and where the clock
// stands still; so there is nothing in it of anybody.
//
// Memory is all of a guest's state: nothing is left on the stack between two calls, and our modules have no tables that change.
type snapshot struct {
	pages uint32 // of 64 KiB
	parts []part // what a fresh guest has otherwise, in order
}

type part struct {
	at   uint32
	data []byte
}

// grain is how much is compared at a time.
const grain = 1 << 10

// prepare runs the prepare of a module, if it has one, and takes the snapshot. One that cannot prepare itself,
// for want of memory, has none: then it tries again in each run, and can tell.
func (e *engine) prepare(module wazero.CompiledModule) (*snapshot, error) {
	if module.ExportedFunctions()["prepare"] == nil {
		return nil, nil
	}
	ctx := context.Background()
	v := &view{t: newTree(ctx, e, nobody{}, []string{"python3"}, 0), ctx: ctx}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions().WithRandSource(rand.Reader).
		WithFSConfig(wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(v, "/"))
	guest, err := e.own.InstantiateModule(ctx, module, config)
	if err != nil {
		return nil, err
	}
	defer guest.Close(ctx)
	fresh := bytes.Clone(contents(guest.Memory()))
	if _, err := guest.ExportedFunction("prepare").Call(ctx); err != nil {
		return nil, nil
	}
	now := contents(guest.Memory())
	s := &snapshot{pages: uint32(len(now) >> 16)}
	fresh = append(fresh, make([]byte, len(now)-len(fresh))...)
	for at := 0; at < len(now); {
		end := at
		for end < len(now) && !bytes.Equal(fresh[end:end+grain], now[end:end+grain]) {
			end += grain
		}
		if end > at {
			s.parts = append(s.parts, part{uint32(at), bytes.Clone(now[at:end])})
		}
		at = end + grain
	}
	return s, nil
}

// nobody is a project without files.
type nobody struct{}

func (nobody) FS(context.Context) fs.FS                 { return embed.FS{} }
func (nobody) Apply(context.Context, ...sam.Edit) error { return fs.ErrPermission }

// kept reports whether a guest can go on from a snapshot: one of Python has seen no options and variables for it.
func (p *proc) kept(name string) bool {
	if name != "python" || len(p.args) == 1 {
		return true
	}
	switch first := p.args[1]; {
	case first == "-c", first == "-m":
		if len(p.args) == 2 {
			return false
		}
	case first == "", first[0] == '-':
		return false
	}
	return !slices.ContainsFunc(p.env, func(kv string) bool { return strings.HasPrefix(kv, "PYTHON") })
}

func contents(m api.Memory) []byte {
	data, _ := m.Read(0, m.Size())
	return data
}

var errSnapshot = errors.New("no memory for its snapshot")

// restore gives a guest that has not run the memory of s.
func (s *snapshot) restore(guest api.Module) error {
	m := guest.Memory()
	if _, ok := m.Grow(s.pages - m.Size()>>16); !ok {
		return errSnapshot
	}
	for _, p := range s.parts {
		if !m.Write(p.at, p.data) {
			return errSnapshot
		}
	}
	return nil
}
