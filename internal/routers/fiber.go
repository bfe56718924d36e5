package routers

import (
	"net/http"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/adaptor"
	"samkit.dev/canvas"
)

// Fiber mounts h at /tools/app/. Fiber reads a body whole before a handler sees it,
// and refuses those over 4 MiB unless BodyLimit says otherwise. It does not tell
// when a client goes: a stream ends with the next write after that.
func Fiber(h *canvas.Handler) *fiber.App {
	app := fiber.New(fiber.Config{BodyLimit: 32 << 20})
	app.Use("/tools/app", adaptor.HTTPHandler(http.StripPrefix("/tools/app", h)))
	return app
}
