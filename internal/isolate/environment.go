package isolate

// environment is all that a worker gets to see of the parent's: nothing, but
// what makes it a worker. One P keeps trouble with its maker and costs less
// than more would. The collector's headroom buys a third of the time of code
// that allocates, and idle workers can give it back.
func environment(o *Options) []string {
	cfg := config{level: o.Level, memory: o.Memory, compiles: o.Compiles}
	return append([]string{
		marker + "=" + cfg.marker(),
		"GOMAXPROCS=1",
		"GOGC=400",
		"GOTRACEBACK=single",
	}, systemEnvironment()...)
}
