package sam

import (
	"fmt"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds of a file's name, in bytes.
const (
	maxName = 1024
	maxPart = 255
)

// A NameError says why a name is refused. It matches fs.ErrInvalid, and
// fs.ErrExist if another file stands in the way.
type NameError struct {
	Name   string
	Reason string // follows the name in a sentence: "holds a backslash"
	Other  string // the file that stands in the way, or ""
}

func (e *NameError) Error() string {
	name := e.Name
	if len(name) > 200 {
		name = name[:200] + "…"
	}
	return fmt.Sprintf("sam: name %q %s", name, e.Reason)
}

// Is reports whether target is fs.ErrInvalid, or fs.ErrExist if Other is set.
func (e *NameError) Is(target error) bool {
	return target == fs.ErrInvalid || target == fs.ErrExist && e.Other != ""
}

// CheckFileName returns a [*NameError] that says why no project may hold a file
// of this name, or nil. The rules make a project fit on any file system; they
// refuse, nothing is cleaned.
func CheckFileName(name string) error {
	if reason := badName(name); reason != "" {
		return &NameError{Name: name, Reason: reason}
	}
	return nil
}

func badName(name string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > maxName:
		return fmt.Sprintf("is longer than %d bytes", maxName)
	case !utf8.ValidString(name):
		return "is not UTF-8"
	case name[0] == '/':
		return "is absolute"
	case name[0] == '~':
		return `starts with "~", which the canvas keeps for itself`
	}
	for part := range strings.SplitSeq(name, "/") {
		if reason := badPart(part); reason != "" {
			return reason
		}
	}
	return ""
}

// badPart says why an element of a path is refused, or "".
func badPart(part string) string {
	switch {
	case part == "":
		return "has an empty part"
	case part == "." || part == "..":
		return fmt.Sprintf("has the part %q", part)
	case len(part) > maxPart:
		return fmt.Sprintf("has a part longer than %d bytes", maxPart)
	}
	for _, r := range part {
		switch {
		case r == '\\':
			return "holds a backslash"
		case r == ':':
			return "holds a colon"
		case r == 0:
			return "holds a NUL"
		case unicode.IsControl(r):
			return fmt.Sprintf("holds the control character %U", r)
		}
	}
	switch part[len(part)-1] {
	case '.':
		return "has a part that ends in a dot"
	case ' ':
		return "has a part that ends in a space"
	}
	if isDevice(part) {
		return fmt.Sprintf("has the part %q, a device on Windows", part)
	}
	return ""
}

// isDevice reports whether Windows takes a file name for a device: it looks only
// at what stands before the first dot, without the spaces there.
func isDevice(part string) bool {
	base, _, _ := strings.Cut(part, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	port, ok := strings.CutPrefix(base, "COM")
	if !ok {
		port, ok = strings.CutPrefix(base, "LPT")
	}
	return ok && len(port) > 0 && strings.Contains("0 1 2 3 4 5 6 7 8 9 ¹ ² ³", port) && utf8.RuneCountInString(port) == 1
}

// FoldName maps names that some file system takes for the same, because they
// differ only by case or by Unicode normalisation, to one string.
func FoldName(name string) string {
	if isASCII(name) {
		return strings.ToLower(name)
	}
	// Folding may undo the normalisation and the reverse, hence twice.
	return norm.NFC.String(strings.Map(foldRune, norm.NFD.String(strings.Map(foldRune, norm.NFC.String(name)))))
}

// composed returns a name in Unicode's composed form.
func composed(name string) string { return norm.NFC.String(name) }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldRune returns one rune for all that differ only by case.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}
	least := r
	for s := unicode.SimpleFold(r); s != r; s = unicode.SimpleFold(s) {
		least = min(least, s)
	}
	if least >= 'A' && least <= 'Z' {
		return least + 'a' - 'A'
	}
	return least
}

// A ProjectID names a project in its workspace: a DNS label of 1 to 63
// characters a-z, 0-9 and "-", not starting or ending with "-".
type ProjectID string

// Check returns a [*NameError] if id is no DNS label.
func (id ProjectID) Check() error {
	reason := ""
	switch {
	case id == "":
		reason = "is empty"
	case len(id) > 63:
		reason = "is longer than 63 characters"
	case id[0] == '-' || id[len(id)-1] == '-':
		reason = `starts or ends with "-"`
	case strings.Trim(string(id), "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		reason = `holds something else than a-z, 0-9 and "-"`
	default:
		for i := range len(id) {
			if c := id[i]; c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
				reason = `holds something else than a-z, 0-9 and "-"`
			}
		}
	}
	if reason == "" {
		return nil
	}
	return &NameError{Name: string(id), Reason: reason}
}

// A nameSet is the names of a project's files, to find what stands in the way
// of a new one.
type nameSet struct {
	byFold map[string]nameUse
}

type nameUse struct {
	spelled string
	files   int  // at or below it
	dir     bool // it is a folder
}

func newNameSet(files map[string]*fileRecord) *nameSet {
	s := &nameSet{make(map[string]nameUse, len(files))}
	for name := range files {
		s.add(name)
	}
	return s
}

// prefixes yields the folders that a name lies in, then the name.
func prefixes(name string, yield func(prefix string, dir bool) bool) bool {
	for i := range len(name) {
		if name[i] == '/' && !yield(name[:i], true) {
			return false
		}
	}
	return yield(name, false)
}

func (s *nameSet) add(name string) {
	prefixes(name, func(p string, dir bool) bool {
		fold := FoldName(p)
		u := s.byFold[fold]
		if u.files == 0 {
			u = nameUse{spelled: p, dir: dir}
		}
		u.files++
		s.byFold[fold] = u
		return true
	})
}

func (s *nameSet) remove(name string) {
	prefixes(name, func(p string, dir bool) bool {
		fold := FoldName(p)
		u := s.byFold[fold]
		if u.files--; u.files <= 0 {
			delete(s.byFold, fold)
		} else {
			s.byFold[fold] = u
		}
		return true
	})
}

// check returns a NameError if a file that is not there may not be made.
func (s *nameSet) check(name string) error {
	if err := CheckFileName(name); err != nil {
		return err
	}
	var err error
	prefixes(name, func(p string, dir bool) bool {
		u, ok := s.byFold[FoldName(p)]
		switch {
		case !ok:
			return false // nothing lies below it either
		case u.spelled != p:
			err = &NameError{name, fmt.Sprintf("differs from %q only by case or normalisation", u.spelled), u.spelled}
		case dir && !u.dir:
			err = &NameError{name, fmt.Sprintf("needs %q to be a folder, which is a file", p), p}
		case !dir && u.dir:
			err = &NameError{name, "is a folder", p}
		case !dir:
			err = &NameError{name, "is taken", p}
		}
		return err == nil
	})
	return err
}
