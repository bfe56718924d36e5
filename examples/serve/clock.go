package main

import (
	"context"
	"time"

	"samkit.dev/canvas"
)

// clock runs what the app's cron triggers ask for, every minute, until ctx
// ends. What goes wrong is on the app's console.
func clock(ctx context.Context, h *canvas.Handler) {
	for {
		at := time.Now().Truncate(time.Minute).Add(time.Minute)
		select {
		case <-time.After(time.Until(at)):
			h.RunCrons(ctx, canvas.Visitor{}, "", at)
		case <-ctx.Done():
			return
		}
	}
}
