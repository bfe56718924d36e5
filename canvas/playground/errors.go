package playground

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"

	"samkit.dev/canvas/workbench"
	"samkit.dev/host"
	"samkit.dev/sam"
)

func invalid(format string, args ...any) error {
	return &host.Error{Code: host.Invalid, Message: fmt.Sprintf(format, args...)}
}

func notFound(message string) error { return &host.Error{Code: host.NotFound, Message: message} }

// statuses has the status that goes with each code.
var statuses = map[host.Code]int{
	host.Invalid: http.StatusBadRequest, host.NotFound: http.StatusNotFound, host.Conflict: http.StatusConflict,
	host.Denied: http.StatusForbidden, host.Exhausted: http.StatusRequestEntityTooLarge,
	host.Unavailable: http.StatusServiceUnavailable, host.Timeout: http.StatusGatewayTimeout,
	host.Internal: http.StatusInternalServerError,
}

// explain turns an error into what the page is told.
func explain(r *http.Request, err error) *host.Error {
	var conflict *sam.ConflictError
	var limit *sam.LimitError
	var body *http.MaxBytesError
	var name *sam.NameError
	var pkg *sam.PackageError
	var known *host.Error
	switch {
	case errors.As(err, &known):
	case errors.As(err, &pkg):
		return &host.Error{Code: host.Invalid, Message: packageError(pkg), Err: err}
	case errors.As(err, &name):
		code := host.Invalid
		if name.Other != "" {
			code = host.Conflict
		}
		return &host.Error{Code: code, Message: fmt.Sprintf("The name %s %s.", strconv.Quote(name.Name), name.Reason), Err: err}
	case errors.As(err, &conflict):
		return &host.Error{Code: host.Conflict, Message: conflict.Name + " has changed since.", Err: err}
	case errors.As(err, &limit):
		return &host.Error{Code: host.Exhausted, Message: fmt.Sprintf("That is over the project's limit of %d (%s).", limit.Max, limit.Limit), Err: err}
	case errors.As(err, &body):
		return &host.Error{Code: host.Exhausted, Message: fmt.Sprintf("The request is longer than %d bytes.", body.Limit), Err: err}
	case errors.Is(err, sam.ErrNoSecretKey):
		return &host.Error{Code: host.Unavailable, Message: "This program keeps no secrets: it was given no key to seal them with.", Err: err}
	case errors.Is(err, fs.ErrNotExist):
		return &host.Error{Code: host.NotFound, Message: "There is no such project or file.", Err: err}
	case errors.Is(err, fs.ErrExist):
		return &host.Error{Code: host.Conflict, Message: "The name is taken.", Err: err}
	case errors.Is(err, fs.ErrInvalid):
		return &host.Error{Code: host.Invalid, Message: err.Error(), Err: err}
	case errors.Is(err, workbench.ErrClosed):
		return &host.Error{Code: host.Unavailable, Message: "The playground is shutting down.", Retry: true, Err: err}
	}
	return host.AsError(r.Context(), err)
}

// fail answers a request with an error; what the page is not told goes to the log.
func (p *page) fail(w http.ResponseWriter, r *http.Request, err error) {
	e := explain(r, err)
	if e.Code == host.Internal && r.Context().Err() == nil {
		p.log.Error("playground: request failed", "method", r.Method, "path", r.URL.Path, "err", err)
	}
	status, ok := statuses[e.Code]
	if !ok {
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(e)
}

// bodyError is the error of a body that could not be read as JSON.
func bodyError(err error) error {
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		return err
	}
	return invalid("The request is not the JSON that was expected: %v.", err)
}
