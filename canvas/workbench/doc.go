// Package workbench is what one person works in: the projects of a workspace,
// the one on the canvas, what their apps print, and news of all that changes.
//
//	bench, err := workbench.New(ctx, sam.NewWorkspace(store, "ada", nil), eng, nil)
//	apps, err := canvas.NewSite(bench.App, &canvas.Options{Engine: eng})
//
// [Bench.App] serves every project of the bench as an app that reaches its own
// KV, DB and secrets and nothing else. A program for many people keeps their
// benches in a [Group].
//
// # Lifetimes
//
// Whoever opens closes: store, engine, bench or group, handler, closed in reverse
// order. Closing a bench ends its streams of events; its projects stay in the store.
//
// # Errors
//
// Errors of package sam come through as they are. What a person may not have is a
// denied [*host.Error].
package workbench
