package appconfig

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Cron is a cron trigger as Workers have it: five fields (minute, hour, day
// of the month, month, day of the week) in UTC.
//
//   - every value
//     5          one, a three-letter name such as MON or aug in the last two fields
//     1-5        a range; one that ends before it starts goes around
//     */10  5/10 every tenth, from the field's first or from 5 on
//     1,15       a list of these
//     L  L-2     the last day of the month, or the second before it
//     15W  LW    the weekday, Monday to Friday, nearest to the 15th or to the last day, in the same month
//     6L  friL   the last Friday of the month
//     2#1        the first Monday of the month
//
// Days of the week count from 1, Sunday. Where both day fields say something
// other than *, a day has to match one of them.
type Cron struct {
	Text    string // as written
	minutes uint64 // bit n: the value n
	hours   uint64
	months  uint64
	days    monthDays
	week    weekDays
}

// monthDays is the field of the day of the month.
type monthDays struct {
	every   bool
	set     uint64
	last    bool // the days from the end, before
	before  int
	weekday bool // the weekday nearest to the one day of set, or to the last
	day     int  // of weekday, without last
}

// weekDays is the field of the day of the week.
type weekDays struct {
	every bool
	set   uint64 // bit 0: Sunday
	nth   int    // of the month's days of the one kind in set; -1 is the last, 0 any
}

var (
	monthNames = names("jan feb mar apr may jun jul aug sep oct nov dec")
	dayNames   = names("sun mon tue wed thu fri sat")
)

// names numbers words from 1.
func names(words string) map[string]int {
	m := map[string]int{}
	for i, w := range strings.Fields(words) {
		m[w] = i + 1
	}
	return m
}

// ParseCron reads a cron trigger.
func ParseCron(text string) (Cron, error) {
	c := Cron{Text: text}
	f := strings.Fields(text)
	if len(f) != 5 || len(text) > 200 {
		return c, fmt.Errorf("the cron trigger %q does not have five fields: minute, hour, day of the month, month, day of the week", clip(text))
	}
	wrong := func(field string, err error) (Cron, error) {
		return c, fmt.Errorf("the cron trigger %q: %s: %w", text, field, err)
	}
	var err error
	if c.minutes, err = parseSet(f[0], 0, 59, nil); err != nil {
		return wrong("minute", err)
	}
	if c.hours, err = parseSet(f[1], 0, 23, nil); err != nil {
		return wrong("hour", err)
	}
	if c.days, err = parseMonthDays(f[2]); err != nil {
		return wrong("day of the month", err)
	}
	if c.months, err = parseSet(f[3], 1, 12, monthNames); err != nil {
		return wrong("month", err)
	}
	if c.week, err = parseWeekDays(f[4]); err != nil {
		return wrong("day of the week", err)
	}
	return c, nil
}

func clip(s string) string {
	if len(s) > 100 {
		return s[:100] + "…"
	}
	return s
}

// Matches reports whether the minute of t, in UTC, is one of the trigger's.
func (c *Cron) Matches(t time.Time) bool {
	t = t.UTC()
	if c.minutes>>t.Minute()&1 == 0 || c.hours>>t.Hour()&1 == 0 || c.months>>int(t.Month())&1 == 0 {
		return false
	}
	switch {
	case c.days.every:
		return c.week.matches(t)
	case c.week.every:
		return c.days.matches(t)
	}
	return c.days.matches(t) || c.week.matches(t)
}

// lastDay is the number of days in t's month.
func lastDay(t time.Time) int { return time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day() }

func (d *monthDays) matches(t time.Time) bool {
	if d.every {
		return true
	}
	if !d.last && !d.weekday {
		return d.set>>t.Day()&1 == 1
	}
	last, day := lastDay(t), d.day
	if d.last {
		day = last - d.before
	}
	if day < 1 || day > last {
		return false
	}
	if d.weekday {
		day = nearestWeekday(t, day, last)
	}
	return t.Day() == day
}

// nearestWeekday is the day of t's month, Monday to Friday, that is nearest to day.
func nearestWeekday(t time.Time, day, last int) int {
	switch time.Date(t.Year(), t.Month(), day, 0, 0, 0, 0, time.UTC).Weekday() {
	case time.Saturday:
		if day == 1 {
			return 3
		}
		return day - 1
	case time.Sunday:
		if day == last {
			return day - 2
		}
		return day + 1
	}
	return day
}

func (w *weekDays) matches(t time.Time) bool {
	switch {
	case w.every:
		return true
	case w.set>>int(t.Weekday())&1 == 0:
		return false
	case w.nth > 0:
		return (t.Day()-1)/7+1 == w.nth
	case w.nth < 0:
		return t.Day()+7 > lastDay(t)
	}
	return true
}

func parseMonthDays(s string) (d monthDays, err error) {
	up := strings.ToUpper(s)
	if d.every = up == "*"; d.every {
		return d, nil
	}
	if rest, ok := strings.CutSuffix(up, "W"); ok {
		d.weekday = true
		if up = rest; !strings.HasPrefix(up, "L") {
			d.day, err = number(up, 1, 31, nil)
			return d, err
		}
	}
	if rest, ok := strings.CutPrefix(up, "L"); ok {
		d.last = true
		if rest != "" {
			if rest, ok = strings.CutPrefix(rest, "-"); !ok {
				return d, fmt.Errorf("%q is not understood", s)
			}
			d.before, err = number(rest, 1, 30, nil)
		}
		return d, err
	}
	d.set, err = parseSet(s, 1, 31, nil)
	return d, err
}

func parseWeekDays(s string) (w weekDays, err error) {
	if w.every = s == "*"; w.every {
		return w, nil
	}
	day, nth, found := strings.Cut(s, "#")
	switch {
	case found:
		if w.nth, err = number(nth, 1, 5, nil); err != nil {
			return w, err
		}
	case strings.EqualFold(s, "L"): // the last day of the week
		day = "sat"
	case len(s) > 1 && strings.HasSuffix(strings.ToUpper(s), "L"):
		day, w.nth = s[:len(s)-1], -1
	}
	if w.nth != 0 && strings.ContainsAny(day, ",-/*") {
		return w, errors.New("only a single day goes with L and #")
	}
	set, err := parseSet(day, 1, 7, dayNames)
	w.set = set >> 1 // they count from 1, Sunday, and time.Weekday from 0
	return w, err
}

// parseSet reads a list of values, ranges and steps.
func parseSet(s string, low, high int, names map[string]int) (set uint64, err error) {
	for _, part := range strings.Split(s, ",") {
		span, text, stepped := strings.Cut(part, "/")
		step := 1
		if stepped {
			if step, err = number(text, 1, high, nil); err != nil {
				return 0, err
			}
		}
		from, to := low, high
		if span != "*" {
			first, second, ranged := strings.Cut(span, "-")
			if from, err = number(first, low, high, names); err != nil {
				return 0, err
			}
			switch {
			case ranged:
				if to, err = number(second, low, high, names); err != nil {
					return 0, err
				}
			case !stepped:
				to = from
			}
		}
		if to < from { // it goes around
			to += high - low + 1
		}
		for v := from; v <= to; v += step {
			set |= 1 << (low + (v-low)%(high-low+1))
		}
	}
	return set, nil
}

func number(s string, low, high int, names map[string]int) (int, error) {
	if n, ok := names[strings.ToLower(s)]; ok {
		return n, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || len(s) > 2 || s[0] == '+' || s[0] == '-' {
		return 0, fmt.Errorf("%q is not understood", clip(s))
	}
	if n < low || n > high {
		return 0, fmt.Errorf("%d is not from %d to %d", n, low, high)
	}
	return n, nil
}
