// Package taskref is the task that package tool/task was made for, run for real: upgrade a dependency of a
// Node project, run its tests, keep the upgrade if they pass, and leave no trace of it if they do not.
//
// The registry is a server of the test, and what it serves is as friendly or as hostile as the test wants. Node and npm are the
// machine's. It is a module of its own since whoever tests samkit need not have them:
//
//	cd internal/taskref && go test ./...
package taskref
