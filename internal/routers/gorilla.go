package routers

import (
	"net/http"

	"github.com/gorilla/mux"
	"samkit.dev/canvas"
)

// Gorilla mounts h at /tools/app/. UseEncodedPath keeps mux from redirecting to
// a path that it has cleaned.
func Gorilla(h *canvas.Handler) http.Handler {
	r := mux.NewRouter().UseEncodedPath()
	r.PathPrefix("/tools/app").Handler(http.StripPrefix("/tools/app", h))
	return r
}
