package routers

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"samkit.dev/canvas"
)

// Echo mounts h at /tools/app/. The pattern ends in "*", not "/*", which would
// give 404 for the path without the slash.
func Echo(h *canvas.Handler) http.Handler {
	e := echo.New()
	e.Use(middleware.Recover(), middleware.Gzip())
	e.Any("/tools/app*", echo.WrapHandler(http.StripPrefix("/tools/app", h)))
	return e
}
