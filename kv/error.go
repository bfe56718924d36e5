package kv

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// An Error is an argument that Workers KV refuses.
type Error struct {
	Verb   string // "GET", "GET_BULK", "PUT" or "DELETE"
	Status int    // the HTTP status that the service would answer, or 0 if the client refuses: a TypeError in JavaScript
	Text   string
}

// Error returns the message that JavaScript sees.
func (e *Error) Error() string {
	if e.Status == 0 {
		return e.Text
	}
	return "KV " + e.Verb + " failed: " + strconv.Itoa(e.Status) + " " + e.Text
}

// grace is how many seconds may pass between ExpireAfter and Put.
const grace = 10

// ExpireAfter returns the time for [Entry.Expires] of an expirationTtl in
// seconds, or the [*Error] of one under a minute.
func ExpireAfter(seconds int64) (time.Time, error) {
	switch {
	case seconds <= 0:
		return time.Time{}, putError(fmt.Sprintf("Invalid expiration_ttl of %d. Please specify integer greater than 0.", seconds))
	case seconds < MinTTL:
		return time.Time{}, putError(fmt.Sprintf("Invalid expiration_ttl of %d. Expiration TTL must be at least %d.", seconds, MinTTL))
	}
	now := time.Now().Unix()
	if seconds > maxUnix-now {
		return time.Unix(maxUnix, 0), nil
	}
	return time.Unix(now+seconds, 0), nil
}

// ExpireAt returns the time for [Entry.Expires] of an expiration in seconds
// since 1970, or the [*Error] of one less than a minute ahead.
func ExpireAt(unix int64) (time.Time, error) {
	if err := checkExpires(unix, time.Now().Unix()); err != nil {
		return time.Time{}, err
	}
	return time.Unix(min(unix, maxUnix), 0), nil
}

// maxUnix is the end of the year 9999, after which time.Time does not marshal.
const maxUnix = 253402300799

func checkExpires(unix, now int64) error {
	switch {
	case unix <= now:
		return putError(fmt.Sprintf("Invalid expiration of %d. Please specify integer greater than the current number of seconds since the UNIX epoch.", unix))
	case unix < now+MinTTL:
		return putError(fmt.Sprintf("Invalid expiration of %d. Expiration times must be at least %d seconds in the future.", unix, MinTTL))
	}
	return nil
}

func unixCeil(t time.Time) int64 {
	unix := t.Unix()
	if t.Nanosecond() > 0 {
		unix++
	}
	return min(unix, maxUnix)
}

func putError(text string) error { return &Error{Verb: "PUT", Status: 400, Text: text} }

func checkKey(verb, key string) error {
	switch key {
	case "":
		return &Error{Verb: verb, Text: "Key name cannot be empty."}
	case ".", "..":
		return &Error{Verb: verb, Text: `"` + key + `" is not allowed as a key name.`}
	}
	return checkName(verb, key)
}

// checkName checks what holds for prefixes too.
func checkName(verb, name string) error {
	if len(name) > MaxKey {
		return &Error{Verb: verb, Status: 414, Text: fmt.Sprintf("UTF-8 encoded length of %d exceeds key length limit of %d.", len(name), MaxKey)}
	}
	if !utf8.ValidString(name) {
		return &Error{Verb: verb, Status: 400, Text: "Could not URL-decode key name"}
	}
	return nil
}

func checkMetadata(m json.RawMessage) error {
	if len(m) > MaxMetadata {
		return &Error{Verb: "PUT", Status: 413, Text: fmt.Sprintf("Metadata length of %d exceeds limit of %d.", len(m), MaxMetadata)}
	}
	if len(m) > 0 && !json.Valid(m) {
		return putError("Metadata is not valid JSON.")
	}
	return nil
}
