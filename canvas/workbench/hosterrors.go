package workbench

import (
	"errors"
	"io/fs"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// toHost words an error of package sam for sandboxed code. What it doesn't know
// stays as it is, and becomes Internal on its way.
func toHost(err error) error {
	var he *host.Error
	var conflict *sam.ConflictError
	var name *sam.NameError
	var pkg *sam.PackageError
	var limit *sam.LimitError
	switch {
	case err == nil || errors.As(err, &he):
		return err
	case errors.As(err, &conflict):
		return &host.Error{Code: host.Conflict, Message: conflict.Error(), Hint: "Read the file again, and write with its hash.", Details: asJSON(map[string]string{"name": conflict.Name, "hash": conflict.Hash}), Err: err}
	case errors.As(err, &name):
		return &host.Error{Code: host.Invalid, Message: name.Error(), Err: err}
	case errors.As(err, &pkg):
		return &host.Error{Code: host.Invalid, Message: pkg.Error(), Err: err}
	case errors.As(err, &limit):
		return &host.Error{Code: host.Exhausted, Message: limit.Error(), Details: asJSON(map[string]any{"limit": limit.Limit, "value": limit.Max}), Err: err}
	case errors.Is(err, sam.ErrConflict):
		return &host.Error{Code: host.Conflict, Message: "Somebody else changed it meanwhile.", Retry: true, Err: err}
	case errors.Is(err, fs.ErrExist):
		return &host.Error{Code: host.Conflict, Message: "There is one of that name already.", Err: err}
	case errors.Is(err, ErrClosed):
		return &host.Error{Code: host.Unavailable, Message: "The workbench closes.", Retry: true, Err: err}
	case errors.Is(err, fs.ErrNotExist):
		return &host.Error{Code: host.NotFound, Message: "There is no such file or project.", Err: err}
	}
	return err
}

// isGone reports whether an error says that something is missing.
func isGone(err error) bool {
	var he *host.Error
	return errors.As(err, &he) && he.Code == host.NotFound
}
