package main

import (
	"context"
	"log/slog"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/sam"
)

// clock runs what the cron triggers of all projects ask for, every minute,
// until ctx ends. What goes wrong in a project is on its console.
func clock(ctx context.Context, ws *sam.Workspace, apps *canvas.Handler) {
	for {
		at := time.Now().Truncate(time.Minute).Add(time.Minute)
		select {
		case <-time.After(time.Until(at)):
		case <-ctx.Done():
			return
		}
		for p, err := range ws.Projects(ctx) {
			if err != nil {
				slog.Warn("the projects' cron triggers wait for the next minute", "err", err)
				break
			}
			apps.RunCrons(ctx, canvas.Visitor{}, p.ID, at)
		}
	}
}
