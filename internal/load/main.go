// Load measures what projects on one machine do to each other and to the program that
// hosts them, prints Markdown tables, and fails where a promise is broken.
//
//	go run ./internal/load                    all of it, as promised: about 70 minutes
//	go run ./internal/load neighbour          a neighbour's latency while a project attacks
//	go run ./internal/load -time 5m soak      traffic, good and hostile, on many projects
//	go run ./internal/load many               memory of many projects
//
// The server is a process of its own, and so is what attacks it, so that the clock of
// those who measure is not theirs. It needs Linux, for /proc.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"samkit.dev/host/engine"
)

func main() {
	engine.Main()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// settings are what the command line says, or a test.
type settings struct {
	time     time.Duration // of a phase of neighbour, and of soak; 0 means what is promised
	rounds   int           // of neighbour
	rate     int           // requests of the neighbour a second
	attacks  string        // names, with commas; all if empty
	projects int           // 0 means what is promised
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && roles[args[0]] != nil {
		return roles[args[0]](ctx, args[1:])
	}
	var s settings
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	flags.DurationVar(&s.time, "time", 0, "`time` of each phase of neighbour (0 means 60s) and of soak (0 means 30m)")
	flags.IntVar(&s.rounds, "rounds", 3, "`number` of rounds of neighbour, of which the median counts")
	flags.IntVar(&s.rate, "rate", 50, "`requests` of the neighbour in a second")
	flags.StringVar(&s.attacks, "attacks", "", "`names` of attacks on the neighbour, with commas; all if empty")
	flags.IntVar(&s.projects, "projects", 0, "`number` of projects of soak (0 means 1000) and of many (0 means 10000)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if runtime.GOOS != "linux" {
		return errors.New("it reads /proc, which only Linux has")
	}
	if s.rounds < 1 || s.rate < 1 || s.time < 0 || s.projects < 0 {
		return errors.New("at least one round, one request a second, and no negative numbers")
	}
	parts := flags.Args()
	if len(parts) == 0 {
		parts = []string{"neighbour", "soak", "many"}
	}
	printMachine()
	var broken []string
	for _, part := range parts {
		measure := measures[part]
		if measure == nil {
			return fmt.Errorf("no part %q; there are neighbour, soak and many", part)
		}
		misses, err := measure(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
		broken = append(broken, misses...)
	}
	if len(broken) > 0 {
		return fmt.Errorf("promises broken:\n  %s", strings.Join(broken, "\n  "))
	}
	return nil
}

// measures print a table each, and return the promises that do not hold.
var measures = map[string]func(context.Context, settings) (misses []string, err error){
	"neighbour": neighbour,
	"soak":      soak,
	"many":      many,
}

// roles are what this program runs as for its own measurements.
var roles = map[string]func(context.Context, []string) error{
	"serve-neighbour": serveNeighbour,
	"serve-soak":      serveSoak,
	"attack":          attack,
	"touch":           touch,
}

// printMachine says what the figures are of.
func printMachine() {
	load, _ := os.ReadFile("/proc/loadavg")
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	fmt.Printf("%d cores, Linux %s, load %.14s, %s, %s\n", runtime.NumCPU(), strings.TrimSpace(string(release)), load, runtime.Version(), time.Now().UTC().Format(time.DateOnly))
}

func verdict(ok bool) string {
	if ok {
		return "ok"
	}
	return "**broken**"
}
