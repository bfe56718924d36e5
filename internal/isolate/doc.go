// Package isolate starts, bounds, kills and counts worker processes, and
// carries bytes to and from them. It knows nothing of what they run.
//
// A worker is this program executed again, or a command that calls [Main].
// The parent owns a [Spawner]; the worker's side of the link is a [Link]:
//
//	func main() {
//		isolate.Main(serve) // does not return in a worker
//		s := isolate.NewSpawner(nil)
//		defer s.Close()
//		p, err := s.Start(ctx, &isolate.Options{Memory: 128 << 20})
//		...
//		p.Run(func(typ byte, call uint32, payload []byte) error { ... })
//		p.Send(ctx, func(b []byte) []byte {
//			b, at := isolate.Begin(b, 1, call)
//			return isolate.End(isolate.AppendString(b, "hello"), at)
//		})
//	}
//
// # Levels
//
// At level [Sandboxed] a worker can compute, read and write its link, and
// nothing else: a system-call filter refuses files, sockets, processes and
// executable memory (see filter_linux.go for the list and its reasons). At
// level [Process] it can be killed and its memory is limited, on every system.
//
// # Lifetimes
//
// A worker ends when it is killed, when it misbehaves on the link, when it
// passes its memory limit, and when the parent ends, however that ends. Closing
// the Spawner kills its workers and waits for them.
package isolate
