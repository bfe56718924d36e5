// Package routers mounts samkit's handler in the routers that people use. Each file is
// what a program has to write; the tests prove that pages, redirects, uploads and streams
// come through. It is a module of its own, so that samkit depends on none of them.
package routers
