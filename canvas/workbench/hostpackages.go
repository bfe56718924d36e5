package workbench

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// maxExport is how many bytes a package has that goes through a call: in base64 it fits into host.MaxResult.
const maxExport = 20 << 20

// definePackages registers projects.export and import.
func definePackages(c *host.Capability) {
	host.Register(c, "export", "Returns a project as a .sam package in base64, with state its KV and databases; never its secrets.", exportProject, host.Reads)
	host.Register(c, "import", "Makes a project of a .sam package. What it wants to be granted is a request, and grants nothing. The agent may delete it.", importProject)
}

type exportIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
	State   bool          `json:"state,omitempty"`
}

type exportOut struct {
	Package string `json:"package"` // in base64
	Size    int    `json:"size"`    // in bytes, before that
}

func exportProject(ctx context.Context, in exportIn) (exportOut, error) {
	_, p, err := onProject(ctx, in.Project)
	if err != nil {
		return exportOut{}, err
	}
	var w packageWriter
	err = p.Export(ctx, &w, stateParts(in.State))
	if errors.Is(err, errExport) {
		return exportOut{}, errExport
	}
	if err != nil {
		return exportOut{}, toHost(err)
	}
	return exportOut{base64.StdEncoding.EncodeToString(w.b.Bytes()), w.b.Len()}, nil
}

// A packageWriter takes a package of at most maxExport bytes.
type packageWriter struct{ b bytes.Buffer }

var errExport = &host.Error{
	Code: host.Exhausted, Message: fmt.Sprintf("The package has more than %d bytes.", maxExport), Hint: "Ask the person to export it.",
	Details: fmt.Appendf(nil, `{"limit":"package_bytes","value":%d}`, maxExport),
}

func (w *packageWriter) Write(p []byte) (int, error) {
	if w.b.Len()+len(p) > maxExport {
		return 0, errExport
	}
	return w.b.Write(p)
}

type importIn struct {
	Name    sam.ProjectID `json:"name" jsonschema:"a-z, 0-9 and -"`
	Package string        `json:"package" jsonschema:"in base64"`
	State   bool          `json:"state,omitempty"`
}

type importOut struct {
	projectInfo
	Wants []string `json:"wants,omitempty"` // to be granted, in the package's words
}

func importProject(ctx context.Context, in importIn) (importOut, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return importOut{}, err
	}
	data, err := base64.StdEncoding.DecodeString(in.Package)
	if err != nil {
		return importOut{}, &host.Error{Code: host.Invalid, Message: "The package is not base64."}
	}
	pkg, err := sam.OpenPackage(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return importOut{}, toHost(err)
	}
	i, err := s.makeProject(ctx, func() (*sam.Project, error) {
		return s.b.ws.Import(ctx, in.Name, bytes.NewReader(data), int64(len(data)), stateParts(in.State))
	})
	return importOut{i, pkg.Wants}, err
}
