package isolate

var attemptsArch = map[string]func() error{}
