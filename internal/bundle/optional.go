package bundle

import (
	"errors"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// A package may do without another one: try { x = require("canvas") } catch {}, or
// import("canvas").catch(…). Only esbuild
// knows which calls stand in a try, and leaves those of what is not found to fail at
// run time. It is asked for that by an answer that says nothing, upon which it looks
// nowhere: it is given no directory. So a build that such calls made fail is
// tried once more, in which they get this answer.

// optional notes a call of require or import() whose module there is not, and reports whether
// it is to be left to esbuild.
func (b *bundler) optional(a api.OnResolveArgs) bool {
	if a.Kind != api.ResolveJSRequireCall && a.Kind != api.ResolveJSDynamicImport || strings.HasPrefix(a.Path, ".") || strings.HasPrefix(a.Path, "/") || strings.HasPrefix(a.Path, "#") || isURL(a.Path) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tried = true
	return b.lenient
}

// again builds once more if that may help. Otherwise it returns what the first build
// gave, less what the code is ready for.
func (b *bundler) again(first *Output, err error) (*Output, error) {
	if err == nil || !b.tried || b.ctx.Err() != nil {
		return first, err
	}
	b.reset()
	b.lenient = true
	out, still := b.functions()
	if still == nil {
		return out, nil
	}
	var before, after *Error
	if !errors.As(err, &before) || !errors.As(still, &after) {
		return first, err
	}
	type place struct {
		file string
		line int
	}
	wrong := map[place]bool{}
	for _, d := range after.Diagnostics {
		wrong[place{d.File, d.Line}] = true
	}
	kept := slices.DeleteFunc(slices.Clone(before.Diagnostics), func(d Diagnostic) bool { return !wrong[place{d.File, d.Line}] })
	if len(kept) == 0 {
		return first, err
	}
	return nil, &Error{kept}
}
