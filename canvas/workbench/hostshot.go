package workbench

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// A Shot is a picture that an agent wants of an app, as a visitor without rights of its own sees it.
type Shot struct {
	Project       sam.ProjectID
	Path          string // of the page, below the app's root: "", "about?x=1"
	Width, Height int    // of the window, in CSS pixels
}

// What canvas.screenshot takes and returns.
const (
	defaultShotWidth  = 1280
	defaultShotHeight = 800
	maxShotSide       = 4096    // pixels
	maxShotBytes      = 8 << 20 // of a PNG
	maxShotPath       = 2000    // bytes
)

type shotIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
	Path    string        `json:"path,omitempty" jsonschema:"of the page, below the app; the app's first page if left out"`
	Width   int           `json:"width,omitempty" jsonschema:"of the window, in pixels; 1280 if left out"`
	Height  int           `json:"height,omitempty" jsonschema:"800 if left out"`
}

type shotOut struct {
	PNG string `json:"png" jsonschema:"in base64"`
}

// screenshot has the program take a picture.
func screenshot(ctx context.Context, in shotIn) (shotOut, error) {
	s, p, err := onProject(ctx, in.Project)
	if err != nil {
		return shotOut{}, err
	}
	shot := Shot{p.ID(), in.Path, cmp.Or(in.Width, defaultShotWidth), cmp.Or(in.Height, defaultShotHeight)}
	if min(shot.Width, shot.Height) < 1 || max(shot.Width, shot.Height) > maxShotSide {
		return shotOut{}, &host.Error{Code: host.Invalid, Message: fmt.Sprintf("A window has 1 to %d pixels a side.", maxShotSide)}
	}
	if len(shot.Path) > maxShotPath || !belowRoot(shot.Path) {
		return shotOut{}, &host.Error{Code: host.Invalid, Message: fmt.Sprintf("%q is no path below the app.", shorten(shot.Path, 0, 100)), Hint: `Such as "about?page=2", without a slash before it.`}
	}
	png, err := s.b.opts.Screenshot(ctx, shot)
	switch e := (*host.Error)(nil); {
	case errors.As(err, &e):
		return shotOut{}, err
	case err != nil:
		s.b.opts.Logger.ErrorContext(ctx, "workbench: no screenshot", "project", shot.Project, "err", err)
		return shotOut{}, &host.Error{Code: host.Unavailable, Message: "There is no picture to be had now.", Retry: true, Err: err}
	case len(png) > maxShotBytes:
		return shotOut{}, &host.Error{Code: host.Exhausted, Message: fmt.Sprintf("The picture has %d bytes, more than %d.", len(png), maxShotBytes), Hint: "A smaller window makes a smaller one.",
			Details: fmt.Appendf(nil, `{"limit":"screenshot_bytes","value":%d}`, maxShotBytes)}
	}
	return shotOut{base64.StdEncoding.EncodeToString(png)}, nil
}

// belowRoot reports whether path, after a root that ends with a slash, stays below it, whoever resolves it: it
// begins with no slash, of either kind, no scheme and no dots, and goes up nowhere.
func belowRoot(path string) bool {
	name, _, _ := strings.Cut(path, "#")
	name, _, _ = strings.Cut(name, "?")
	if strings.ContainsFunc(path, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '\\' }) || strings.HasPrefix(name, "/") {
		return false
	}
	first, _, _ := strings.Cut(name, "/")
	if strings.Contains(first, ":") {
		return false
	}
	dots := strings.NewReplacer("%2e", ".", "%2E", ".", "%2f", "/", "%2F", "/", "%5c", "/", "%5C", "/").Replace(name)
	for part := range strings.SplitSeq(dots, "/") {
		if part == ".." || part == "." {
			return false
		}
	}
	return true
}
