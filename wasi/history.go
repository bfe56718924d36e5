package wasi

import (
	"fmt"
	"strconv"
	"strings"
)

// maxHistory is how many lines a shell remembers, and maxHistoryLine how long they may be.
const (
	maxHistory     = 1000
	maxHistoryLine = 4096
)

// A history is the lines that a shell has run.
type history struct {
	lines []string
	gone  int // that were there before those
}

// add remembers a line. As usual, one that begins with a blank is not.
func (h *history) add(line string) {
	line = strings.TrimRight(line, "\n")
	if strings.TrimSpace(line) == "" || line[0] == ' ' || len(line) > maxHistoryLine {
		return
	}
	h.lines = append(h.lines, line)
	if len(h.lines) > maxHistory {
		h.gone++
		h.lines = h.lines[1:]
	}
}

// command is history [N] [-c].
func (h *history) command(p *proc) error {
	opts, rest, err := p.getopt("c")
	if err != nil || len(rest) > 1 {
		return p.usage("[-c] [N]")
	}
	if h == nil {
		return nil // a script has none
	}
	if len(opts) > 0 {
		*h = history{}
		return nil
	}
	first := 0
	if len(rest) == 1 {
		n, err := strconv.Atoi(rest[0])
		if err != nil || n < 0 {
			return p.fail(1, "%s: numeric argument required", rest[0])
		}
		first = max(0, len(h.lines)-n)
	}
	for i := first; i < len(h.lines); i++ {
		if _, err := fmt.Fprintf(p.stdout, "%5d  %s\n", h.gone+i+1, h.lines[i]); err != nil {
			return written(err)
		}
	}
	return nil
}
