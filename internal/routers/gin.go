package routers

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"samkit.dev/canvas"
)

// Gin mounts h at /tools/app/. A catch-all bears no siblings: other routes go
// beside /tools/app, not below it.
func Gin(h *canvas.Handler) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	r.Use(gin.Recovery())
	r.Any("/tools/app/*path", gin.WrapH(http.StripPrefix("/tools/app", h)))
	return r
}
