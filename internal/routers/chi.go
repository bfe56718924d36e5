package routers

import (
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"samkit.dev/canvas"
)

// Chi mounts h at /tools/app/. Mount leaves the prefix where it is, so it is
// stripped; middleware that compresses or limits time may stand in front.
func Chi(h *canvas.Handler) http.Handler {
	r := chi.NewRouter()
	r.Use(middleware.Recoverer, middleware.Compress(5))
	r.Mount("/tools/app", http.StripPrefix("/tools/app", h))
	return r
}
