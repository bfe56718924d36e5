package isolate

import "errors"

var (
	// ErrMainNotCalled is returned by Start in a program that would start
	// itself without end.
	ErrMainNotCalled = errors.New("isolate: Main was not called at the top of main (or TestMain)")
	// ErrClosed is returned by what needs a Spawner that was closed.
	ErrClosed = errors.New("isolate: closed")
	// ErrEnded is returned by sending to a worker that has ended, or is about
	// to. Once Done is closed, Err says why.
	ErrEnded = errors.New("isolate: the worker has ended")
	// ErrMemory is the reason of a worker that was ended for its memory.
	ErrMemory = errors.New("memory limit exceeded")
	// ErrBacklog is the reason of a worker that did not read what was posted.
	ErrBacklog = errors.New("too much is waiting to be read by the worker")
	// ErrThreads is the reason of a worker that made threads without end.
	ErrThreads = errors.New("too many threads")
	// ErrNoise is the reason of a worker that wrote too much to its standard error.
	ErrNoise = errors.New("too much output on standard error")
	// ErrLinkClosed is the reason of a worker that closed its link or its
	// standard error and went on running.
	ErrLinkClosed = errors.New("the worker closed its link")
)
