package canvas

import (
	"context"
	"fmt"

	"samkit.dev/host/engine"
	"samkit.dev/internal/workers"
	"samkit.dev/sam"
)

// A fetcher answers requests by functions.js. A *workers.Pool is one.
type fetcher interface {
	Fetch(ctx context.Context, app *workers.App, req *workers.Request) (*workers.Response, error)
}

var _ fetcher = (*workers.Pool)(nil)

// New returns a handler for one app at its root. It fails if the app does not
// build, with a [*BuildError]. The caller closes it.
func New(app App, opts *Options) (*Handler, error) {
	if app.Project == nil {
		return nil, fmt.Errorf("canvas: App.Project is nil")
	}
	if err := checkApp(&app); err != nil {
		return nil, err
	}
	h, err := newHandler(func(context.Context, Visitor, sam.ProjectID) (*App, error) { return &app, nil }, opts, nil)
	if err != nil {
		return nil, err
	}
	s := h.siteOf(&app)
	defer s.leave()
	if err := s.build(context.Background(), app.Snapshot); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// NewSite returns a handler for many apps; the first element of the path is
// the project. The caller closes it.
func NewSite(find Finder, opts *Options) (*Handler, error) {
	if find == nil {
		return nil, fmt.Errorf("canvas: NewSite needs a Finder")
	}
	h, err := newHandler(find, opts, nil)
	if err != nil {
		return nil, err
	}
	h.site = true
	return h, nil
}

// start gives the handler what runs functions.js.
func (h *Handler) start() error {
	eng := h.opts.Engine
	if eng == nil {
		var err error
		if eng, err = engine.New(&engine.Options{Logger: h.opts.Logger}); err != nil {
			return fmt.Errorf("canvas: %w", err)
		}
		h.engine = eng
	}
	h.fetch = eng.Pool()
	return nil
}
