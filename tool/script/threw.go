package script

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"samkit.dev/internal/workers"
)

// frame is a line of a stack with a place in the script.
var frame = regexp.MustCompile(`^\s*at (.*?)\(?script:(\d+):(\d+)\)?$`)

// place takes the calls in the script from a stack in V8's form. The source begins on the second line of what
// the stack counts.
func (r *Result) place(stack string) {
	var lines []string
	for l := range strings.SplitSeq(stack, "\n") {
		m := frame.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		line, _ := strconv.Atoi(m[2]) // digits, by the pattern
		column, _ := strconv.Atoi(m[3])
		if line < 2 {
			continue
		}
		if len(lines) == 0 {
			r.Line, r.Column = line-1, column
		}
		place := fmt.Sprintf("script:%d:%d", line-1, column)
		if name := strings.TrimSpace(m[1]); name != "" && name != "<anonymous>" && !strings.HasPrefix(name, "module.exports") {
			place = name + " (" + place + ")"
		}
		if lines = append(lines, place); len(lines) == maxFrames {
			break
		}
	}
	r.Stack = strings.Join(lines, "\n")
}

// maxFrames is how many calls a Stack has.
const maxFrames = 20

// at says where the script threw, after what.
func (r *Result) at() string {
	if r.Line == 0 {
		return ""
	}
	return fmt.Sprintf(" (at %d:%d)", r.Line, r.Column)
}

// why says what ended a script, and what its author may do about it.
func (r *Runner) why(e *workers.Error) string {
	switch e.Code {
	case "limit_wall":
		return fmt.Sprintf("The script was ended at its deadline (budget): it ran longer than %v. Do less in one run, and keep what is done in a file.", r.opts.Timeout)
	case "limit_cpu":
		return "The script was ended (budget): it computed for longer than it may. Look for a loop that does not end, or do less in one run."
	case "limit_memory":
		return "The script was ended (budget): it needed more memory than it may have. Handle files and lists piece by piece."
	case "limit_console":
		return "The script was ended (budget): it printed more than it may. Print less, or write it to a file."
	case "limit_calls":
		return "The script was ended (budget): it made more calls than it may in one run. Ask for more at once, or do less in one run."
	case "no_response":
		return "The script waits for a promise that nothing can settle (budget). Await what rtcAgent's functions return, or rtcAgent.system.delay(ms)."
	}
	return e.Message
}
