package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// deny returns a denied error that asks for the narrowest grant that would do.
func deny(message string, want Grant) *host.Error {
	data, err := json.Marshal(want)
	if err != nil { // a grant made here always encodes
		data = nil
	}
	return &host.Error{Code: host.Denied, Message: message, Hint: "It would need a grant: " + want.Words(), Grant: data}
}

// denyFile is deny for a file.
func denyFile(project sam.ProjectID, name string, mode Mode) *host.Error {
	verb := "read"
	if mode == ReadWrite {
		verb = "change"
	}
	return deny(fmt.Sprintf("The grant does not allow to %s %s of the project %s.", verb, quote(name), word(string(project))),
		Grant{Project: project, Paths: []string{Literal(name)}, Mode: mode})
}

func denyFunc(name string) *host.Error {
	return deny(fmt.Sprintf("The grant does not allow to call %s.", name), Grant{Uses: []string{name}})
}

// ended says why a set, whose context this is, takes no more calls.
func ended(ctx context.Context) *host.Error {
	if e, ok := context.Cause(ctx).(*host.Error); ok {
		return e
	}
	return errRevoked
}

var (
	errRevoked = &host.Error{Code: host.Denied, Message: "The rights to this have been withdrawn.", Hint: "The session was closed or has another role now. Ask for a new one."}
	errExpired = &host.Error{Code: host.Denied, Message: "The grant has expired.", Hint: "Ask for a new one."}
)

// usedUp says that the calls of a grant are used.
func usedUp(max int) *host.Error {
	return &host.Error{
		Code: host.Exhausted, Message: fmt.Sprintf("All %s calls of the grant are used.", thousands(max)), Hint: "Ask for a new grant.",
		Details: fmt.Appendf(nil, `{"limit":"grant_calls","value":%d}`, max),
	}
}

// nameOf is the full name of a function: "crm@1.lookup", or "close".
func nameOf(f host.Func) string {
	if f.Capability == "" {
		return f.Name
	}
	return fmt.Sprintf("%s@%d.%s", f.Capability, f.Version, f.Name)
}
