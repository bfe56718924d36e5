package task

import (
	"context"
	"errors"
	"io/fs"

	"samkit.dev/sam"
)

// Project is the ground of a project's files. A run sees them as they were when it began, and what it
// promotes is one commit. There are no links and no permissions.
func Project(p *sam.Project) Ground { return project{p} }

type project struct{ p *sam.Project }

func (g project) begin(ctx context.Context, s *sandbox) error {
	// What failed is still compared with how it was.
	fsys := g.p.FS(context.WithoutCancel(ctx))
	names := map[string]string{}
	s.blobs.source = func(hash string) ([]byte, error) {
		name, there := names[hash]
		if !there {
			return nil, fs.ErrNotExist
		}
		data, err := fs.ReadFile(fsys, name)
		if errors.Is(err, sam.ErrConflict) {
			err = &ConflictError{[]string{name}} // it was changed, and is too large to be kept
		}
		return data, err
	}
	return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || d.IsDir() {
			return err
		}
		if !comparable(name) {
			s.run.Skipped = append(s.run.Skipped, name)
			return nil
		}
		if s.plan.rules.denied(name) {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		f, ok := info.Sys().(sam.File)
		if !ok {
			return errors.New("task: a project's file has no hash")
		}
		names[f.Hash] = name
		e := entry{f.Hash, f.Size, plainMode}
		s.base[name] = e
		s.now.put(name, e)
		return nil
	})
}

// tries is how often promoting looks again when somebody was faster.
const tries = 10

func (g project) promote(ctx context.Context, s *sandbox, names []string, want map[string]entry) ([]string, error) {
	for try := 1; ; try++ {
		var gone, set []sam.Edit // a folder may come where a file was
		var clashes, merged []string
		for _, name := range names {
			now, err := g.now(ctx, name)
			if err != nil {
				return nil, err
			}
			base, target := at(s.base, name), at(want, name)
			v, e, err := s.judge(base, target, now, func() ([]byte, error) { return g.p.ReadFile(ctx, name) })
			if err != nil {
				return nil, err
			}
			ed := sam.Edit{Name: name}
			if now != nil {
				ed.IfHash = now.hash
			}
			switch {
			case v == clash:
				clashes = append(clashes, name)
			case v == write && e == nil:
				ed.Remove = true
				gone = append(gone, ed)
			case v == write:
				if ed.Data, err = s.blobs.get(e.hash); err != nil {
					return nil, err
				}
				if target == nil || e.hash != target.hash {
					merged = append(merged, name)
				}
				set = append(set, ed)
			}
		}
		if len(clashes) > 0 {
			return nil, &ConflictError{clashes}
		}
		if len(gone)+len(set) == 0 {
			return nil, nil
		}
		err := g.p.Apply(ctx, append(gone, set...)...)
		var ne *sam.NameError
		switch {
		case err == nil:
			return merged, nil
		case errors.As(err, &ne) && errors.Is(err, fs.ErrExist):
			return nil, &ConflictError{[]string{ne.Name}}
		case !errors.Is(err, sam.ErrConflict) || try == tries:
			return nil, err
		}
	}
}

func (g project) now(ctx context.Context, name string) (*entry, error) {
	f, err := g.p.Stat(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return &entry{f.Hash, f.Size, plainMode}, err
}

func at(files map[string]entry, name string) *entry {
	if e, there := files[name]; there {
		return &e
	}
	return nil
}
