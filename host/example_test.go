package host_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"samkit.dev/host"
)

type lookupIn struct {
	ID string `json:"id" jsonschema:"the customer's id"`
}

type lookupOut struct {
	Name    string `json:"name"`
	Balance int64  `json:"balance"`
}

func lookup(ctx context.Context, in lookupIn) (lookupOut, error) {
	if in.ID != "c1" {
		return lookupOut{}, &host.Error{Code: host.NotFound, Message: "There is no customer " + in.ID + "."}
	}
	return lookupOut{Name: "Ada", Balance: 9007199254740993}, nil
}

func newCRM() *host.Capabilities {
	caps := host.New()
	crm := caps.Define("crm", 1)
	host.Register(crm, "lookup", "Finds a customer by id.", lookup, host.Reads)
	return caps
}

func ExampleRegister() {
	caps := newCRM()
	out, err := caps.Call(context.Background(), "crm.lookup", json.RawMessage(`{"id":"c1"}`))
	fmt.Println(string(out), err)
	_, err = caps.Call(context.Background(), "crm.lookup", json.RawMessage(`{"id":"c1","admin":true}`))
	fmt.Println(err)
	// Output:
	// {"name":"Ada","balance":"9007199254740993"} <nil>
	// invalid: crm@1.lookup: unexpected additional properties ["admin"].
}

// In JavaScript: for await (const invoice of await env.HOST.crm.invoices({ customer: "c1" })) { … }
func ExampleRegister_stream() {
	type invoicesIn struct {
		Customer string `json:"customer"`
	}
	type invoice struct {
		Number int `json:"number"`
	}
	caps := host.New()
	host.Register(caps.Define("crm", 1), "invoices", "Lists the invoices of a customer.", func(ctx context.Context, in invoicesIn) (iter.Seq2[invoice, error], error) {
		return func(yield func(invoice, error) bool) {
			for n := 1; ; n++ { // rows of a database
				if n == 3 {
					yield(invoice{}, &host.Error{Code: host.Unavailable, Message: "The database is being moved.", Retry: true})
					return
				}
				if !yield(invoice{n}, nil) {
					return // nobody reads on
				}
			}
		}, nil
	}, host.Reads)

	// What runs code takes the stream, and reads as far as the code does.
	take := func(s *host.Stream) {
		defer s.Body.Close()
		lines := bufio.NewScanner(s.Body)
		for lines.Scan() {
			fmt.Println(lines.Text())
		}
		fmt.Println(lines.Err())
	}
	_, err := caps.Call(host.WithStreams(context.Background(), take), "crm.invoices", json.RawMessage(`{"customer":"c1"}`))
	fmt.Println(err)
	// Output:
	// {"number":1}
	// {"number":2}
	// unavailable: The database is being moved.
	// <nil>
}

func ExampleError() {
	caps := newCRM()
	_, err := caps.Call(context.Background(), "crm.lookup", json.RawMessage(`{"id":"c2"}`))
	var e *host.Error
	if errors.As(err, &e) && e.Code == host.NotFound {
		seen, _ := json.Marshal(e)
		fmt.Println(string(seen))
	}
	// Output: {"code":"not_found","message":"There is no customer c2."}
}

func ExampleCapabilities_Define() {
	caps := host.New()
	for v := 1; v <= 2; v++ {
		crm := caps.Define("crm", v)
		host.Register(crm, "version", "Tells the version.", func(context.Context, struct{}) (int, error) { return v, nil })
	}
	for _, name := range []string{"crm.version", "crm@2.version"} {
		out, _ := caps.Call(context.Background(), name, nil)
		fmt.Println(name, string(out))
	}
	// Output:
	// crm.version 1
	// crm@2.version 2
}

func ExampleCapability_Add() {
	caps := host.New()
	tree := caps.Define("tree", 1)
	tree.Add(host.Func{
		Name:  "depth",
		Doc:   "Returns how deep a tree is.",
		Input: json.RawMessage(`{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/node"}}},"additionalProperties":false}}}`),
	}, func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		type node struct{ Kids []*node }
		var root node
		if err := json.Unmarshal(args, &root); err != nil {
			return nil, err
		}
		depth, level := 0, []*node{&root}
		for ; len(level) > 0; depth++ {
			var next []*node
			for _, n := range level {
				next = append(next, n.Kids...)
			}
			level = next
		}
		return json.Marshal(depth)
	})
	out, err := caps.Call(context.Background(), "tree.depth", json.RawMessage(`{"kids":[{},{"kids":[{}]}]}`))
	fmt.Println(string(out), err)
	// Output: 3 <nil>
}

func ExampleCallFrom() {
	caps := host.New()
	host.Register(caps.Define("who", 1), "am_i", "Names the caller.", func(ctx context.Context, _ struct{}) (string, error) {
		call, _ := host.CallFrom(ctx)
		return call.Principal + " by " + call.Project + ", " + call.Role.String(), nil
	})
	ctx := host.WithCall(context.Background(), host.Call{ID: "1", Principal: "ada", Project: "notes", Role: host.App})
	out, _ := caps.Call(ctx, "who.am_i", nil)
	fmt.Println(string(out))
	// Output: "ada by notes, app"
}

func ExampleCapabilities_Funcs() {
	for f := range newCRM().Funcs() {
		fmt.Println(f.Capability, f.Version, f.Name, f.Reads, string(f.Input))
	}
	// Output: crm 1 lookup true {"type":"object","properties":{"id":{"type":"string","description":"the customer's id"}},"required":["id"],"additionalProperties":false}
}

func ExampleAsError() {
	err := fmt.Errorf("dial tcp 10.0.0.7:5432: connection refused")
	fmt.Println(host.AsError(context.Background(), err))
	// Output: internal: The function failed. The reason is in the log of the program.
}

func ExampleTypeScript() {
	fmt.Print(host.TypeScript("HOST", newCRM()))
	// Output:
	// export interface HOST {
	//   readonly crm: HOST_crm_1;
	//   readonly "crm@1": HOST_crm_1;
	// }
	//
	// export interface HOST_crm_1 {
	//   /** Finds a customer by id. */
	//   lookup(args: {
	//     /** the customer's id */
	//     id: string;
	//   }): Promise<{
	//     name: string;
	//     /** an integer; beyond 9007199254740991 as a string of decimal digits */
	//     balance: number | string;
	//   }>;
	// }
	//
	// export interface HostError extends Error {
	//   readonly code: "internal" | "invalid" | "not_found" | "conflict" | "denied" | "exhausted" | "unavailable" | "timeout" | (string & {});
	//   readonly hint?: string;
	//   readonly grant?: unknown;
	//   readonly details?: unknown;
	//   readonly retryable?: boolean;
	// }
}

func ExampleMarkdown() {
	fmt.Print(host.Markdown(newCRM()))
	// Output:
	// # crm (version 1)
	//
	// ## crm.lookup
	//
	// Finds a customer by id.
	//
	// ```ts
	// lookup(args: {
	//   /** the customer's id */
	//   id: string;
	// }): Promise<{
	//   name: string;
	//   /** an integer; beyond 9007199254740991 as a string of decimal digits */
	//   balance: number | string;
	// }>
	// ```
}

func ExampleCapabilities_Get() {
	caps := newCRM()
	fmt.Println(caps.Get("crm", 0), caps.Get("crm", 2) == nil)
	// Output: crm@1 true
}

func ExampleCapability_Call() {
	crm := newCRM().Get("crm", 1)
	out, err := crm.Call(context.Background(), "lookup", json.RawMessage(`{"id":"c1"}`))
	fmt.Println(string(out), err)
	// Output: {"name":"Ada","balance":"9007199254740993"} <nil>
}

func ExampleHashArgs() {
	fmt.Println(host.HashArgs(json.RawMessage(`{"id":"c1"}`))[:12])
	// Output: 45fb0254ec0f
}

func ExampleIndex() {
	caps := host.New()
	crm := caps.Define("crm", 1)
	type lookupIn struct {
		ID string `json:"id"`
	}
	host.Register(crm, "lookup", "Finds a customer by id.", func(ctx context.Context, in lookupIn) (string, error) { return "Ada", nil }, host.Reads)
	host.Register(crm, "list", "Lists the open invoices.", func(ctx context.Context, in struct{}) ([]string, error) { return nil, nil }, host.Reads)

	index := host.NewIndex(caps)
	for _, m := range index.Search("search for a client", 1) {
		fmt.Println(m.Name)
		fmt.Println(index.Describe(m.Name))
	}
	// Output:
	// crm.lookup
	// ## crm.lookup
	//
	// Finds a customer by id.
	//
	// ```ts
	// lookup(args: {
	//   id: string;
	// }): Promise<string>
	// ```
}
