package routers

import (
	"net/http"

	"samkit.dev/canvas"
)

// NetHTTP mounts h at /tools/app/.
func NetHTTP(h *canvas.Handler) http.Handler {
	mux := http.NewServeMux()
	canvas.Mount(mux, "/tools/app/", h)
	return mux
}
