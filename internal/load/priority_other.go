//go:build !linux

package main

func lowerPriority(pid, nice int) {}
