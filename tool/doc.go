// Package tool grants sandboxed code a part of what a program offers.
//
//	set, err := tool.NewSet(caps, nil, tool.Grant{
//		Project: "notes", Paths: []string{"docs/**"}, Mode: tool.Read,
//		Uses: []string{"crm@1.lookup"},
//	})
//
// A [Grant] is data that a person has seen in words ([Grant.Words]); a [Set] is one
// or more of them at work. It is a [host.Caller] that checks every call in
// the program's own process, and stands behind env.TOOL on a workbench.
//
// # Paths
//
// A pattern is matched with a file's whole name, byte by byte. "*" stands for
// any characters within one part of the path, "**" as a part of its own for any
// number of parts, at the end for at least one, "\*" for a star itself:
//
//	docs/**       what lies in the folder docs, at any depth; not docs2/a
//	docs/*.md     docs/a.md; not docs/old/a.md
//	**/index.html every index.html
//	notes.md      this file
//
// Names are refused, never cleaned: those that [sam.CheckFileName] refuses, and those
// that would be another path once normalised or decoded: "docs/%2e%2e/a", "docs/．．／a".
//
// # Errors
//
// Errors are [*host.Error]. A denied one carries the narrowest grant that would
// do, as data in Grant and in words in Hint.
//
// # Lifetimes
//
// A set ends when it is revoked or its last grant has expired; [Set.Done] tells. Sets
// narrowed from it, and the calls that run, end with it. One whose calls are used up refuses more
// as exhausted.
package tool
