// Package samkit is the map of the module; it holds no code.
//
//   - sam: projects, their state, and the Store that embedders plug in
//   - host: Go functions offered to sandboxed code
//   - host/engine: worker processes that run JavaScript, shared by all
//   - canvas: an http.Handler for one app, or for many
//   - tool: grants to sandboxed code of functions and files
//   - tool/script: short programs that an AI writes, checked and limited
//   - tool/task: an agent's work in stages under a policy; tool/task/taskjs: such tasks in TypeScript
//   - canvas/workbench: the projects of one person; canvas/playground: its web page
//   - sam/github: projects from public repositories
//   - wasi: a shell, commands and Python over the files of a project
//   - kv, sqlshim: the data bindings
//
// The smallest program needs engine, sam and canvas. Nothing else is linked
// until it is imported.
package samkit
