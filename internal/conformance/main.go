// Conformance runs the same probes in samkit and in workerd and writes docs/conformance.md
// of what is equal and what is not.
//
//	go run .              writes the page
//	go run . -show WORD   prints the differences of probes that hold WORD
//
// It needs Node and npm.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"samkit.dev/host/engine"
	"samkit.dev/internal/conformance/peer"
)

func main() {
	engine.Main()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	show := flags.String("show", "", "print differences of probes that hold this `word` and write nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	both, err := peer.Open(ctx, engine.InProcess)
	if err != nil {
		return err
	}
	defer both.Close()
	samkit, workerd, err := observeBoth(ctx, both)
	if err != nil {
		return err
	}
	found, err := compare(samkit, workerd)
	if err != nil {
		return err
	}
	if *show != "" {
		fmt.Printf("%d probes, %d differ\n", len(workerd), len(found))
		for _, d := range found {
			if strings.Contains(d.Probe, *show) {
				fmt.Printf("%s\n  samkit  %.1500s\n  workerd %.1500s\n", d.Probe, d.Samkit, d.Workerd)
			}
		}
		return nil
	}
	known, err := accepted()
	if err != nil {
		return err
	}
	if err := unexpected(found, known); err != nil {
		return err
	}
	tests, err := shares(ctx, both)
	if err != nil {
		return err
	}
	text, err := page(workerd, found, known, tests)
	if err != nil {
		return err
	}
	return os.WriteFile(pagePath, []byte(text), 0o644)
}
