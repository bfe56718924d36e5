// Package seccomp writes and installs filters of system calls, on Linux. What a filter
// allows, and why, is its user's to say: internal/isolate's allows little, internal/confine's refuses some.
package seccomp
