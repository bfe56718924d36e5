package sam_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

// A hostileCase is a package that means harm. The numbers are those of THREATS.md and of
// the corpus of package internal/hostile, whose cases 101 to 117 these are.
type hostileCase struct {
	number string
	name   string
	data   []byte
	entry  string // that the error names; "" if it is the package
	reason string // in the error's text; "" if the package is fine
}

func hostileCases() []hostileCase {
	file := func(name string) rawEntry { return rawEntry{name: name, data: "x"} }
	one := func(name string) []byte { return rawZip(0, file("index.html"), file(name)) }
	moded := func(name string, mode uint32) []byte {
		return rawZip(0, rawEntry{name: name, data: "/etc/passwd", mode: mode})
	}
	zeros := strings.Repeat("\x00", 2<<20)
	good := rawZip(0, file("index.html"), rawEntry{name: "app.js", data: strings.Repeat("good ", 50), deflate: true})
	var many []rawEntry
	for i := range 10_005 {
		many = append(many, rawEntry{name: fmt.Sprint("d", i, "/")})
	}
	state := ".playgrounds-state/"
	manifest := rawEntry{name: ".sam/manifest.json", data: `{"format":1,"name":"x"}`}
	descriptor := func(crc, packed, size uint32) []byte {
		b := binary.LittleEndian.AppendUint32(nil, 0x08074b50)
		for _, v := range []uint32{crc, packed, size} {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return b
	}
	const crcX = 0x8cdc1683 // of "x"
	return []hostileCase{
		{"101", "above the root", one("../evil"), "../evil", `has the part ".."`},
		{"102", "absolute", one("/etc/passwd"), "/etc/passwd", "is absolute"},
		{"103", "above the root, from below", one("a/../../x"), "a/../../x", `has the part ".."`},
		{"103b", "a part that is nothing", one("a//x"), "a//x", "has an empty part"},
		{"103c", "the folder itself", one("./x"), "./x", `has the part "."`},
		{"103d", "a folder above the root", rawZip(0, rawEntry{name: "../"}), "..", `has the part ".."`},
		{"104", "backslash", one(`..\evil`), `..\evil`, "holds a backslash"},
		{"105", "drive letter", one("C:/x"), "C:/x", "holds a colon"},
		{"105b", "alternate data stream", one("index.html::$DATA"), "index.html::$DATA", "holds a colon"},
		{"105c", "device of Windows", one("aux.txt"), "aux.txt", "a device on Windows"},
		{"106", "NUL", one("a\x00.js"), "a\x00.js", "holds a NUL"},
		{"106b", "control character", one("a\r\nb"), "a\r\nb", "control character"},
		{"106c", "not UTF-8", one("a\xff"), "a\xff", "not UTF-8"},
		{"106d", "long name", one(strings.Repeat("n/", 600) + "x"), strings.Repeat("n/", 32) + "…", "longer than 1024 bytes"},
		{"106e", "no name", one(""), "", "is empty"},
		{"107", "symbolic link, and a file through it", rawZip(0, rawEntry{name: "a", data: "/etc", mode: 0o120777}, file("a/passwd")), "a", "is a symbolic link"},
		{"107b", "symbolic link alone", moded("a", 0o120777), "a", "is a symbolic link"},
		{"108", "hard link, by an extra field", rawZip(0, rawEntry{name: "a", data: "x", extra: extraField(0x000d, "123456789012/etc/passwd")}), "a", "may be a link or a device"},
		{"108b", "block device", moded("a", 0o060666), "a", "is no regular file"},
		{"108c", "character device", moded("a", 0o020666), "a", "is no regular file"},
		{"108d", "pipe", moded("a", 0o010666), "a", "is no regular file"},
		{"108e", "socket", moded("a", 0o140666), "a", "is no regular file"},
		{"108f", "link, by an extra field of the header alone", rawZip(0, rawEntry{name: "a", data: "x", localMore: extraField(0x756e, "123456789012/etc/passwd")}), "a", "may be a link or a device"},
		{"108g", "folder by its mode", moded("a", 0o040755), "a", "is no regular file"},
		{"109", "twice the same name", rawZip(0, file("a"), file("a")), "a", "is taken"},
		{"109b", "twice, but for case", rawZip(0, file("a"), file("A")), "A", "only by case"},
		{"109c", "twice, but for normalisation", rawZip(0, file("\u00e9"), file("e\u0301")), "e\u0301", "only by case or normalisation"},
		{"109d", "folders that differ by case", rawZip(0, file("a/x"), file("A/y")), "A/y", "only by case"},
		{"109e", "twice the same folder", rawZip(0, rawEntry{name: "a/"}, rawEntry{name: "a/"}), "a", "is there twice"},
		{"109f", "another name in the header", rawZip(0, rawEntry{name: "a", localName: "b", data: "x"}), "a", "has another name in its header"},
		{"109g", "another name in Unicode", rawZip(0, rawEntry{name: "a", data: "x", extra: extraField(0x7075, "\x01????../b")}), "a", "has another name as well"},
		{"109h", "twice the manifest, but for case", rawZip(0, manifest, rawEntry{name: ".SAM/manifest.json", data: "{}"}), ".SAM/manifest.json", "only by case"},
		{"110", "a file that is a folder", rawZip(0, file("a"), file("a/b")), "a/b", "needs \"a\" to be a folder"},
		{"110b", "a folder that is a file", rawZip(0, file("a/b"), file("a")), "a", "is a folder"},
		{"110c", "a folder of its own that is a file", rawZip(0, file("a"), rawEntry{name: "a/"}), "a", "is taken"},
		{"110d", "a folder that holds something", rawZip(0, rawEntry{name: "a/", data: "x"}), "a", "is a folder that holds 1 bytes"},
		{"111", "bomb of 1029:1", rawZip(0, rawEntry{name: "zeros", data: zeros, deflate: true}), "zeros", "more than 200 times its size"},
		{"111b", "bomb that says it is small", rawZip(0, rawEntry{name: "zeros", data: zeros, deflate: true, size: 1000}), "zeros", "holds more than the 1000 bytes"},
		{"111c", "bomb in what is skipped", rawZip(0, manifest, rawEntry{name: state + "kv", data: zeros, deflate: true}), state + "kv", "more than 200 times its size"},
		{"112", "entries that share bytes", rawZip(0, rawEntry{name: "a", data: "x"}, rawEntry{name: "b", data: "x", at: 1}), "", "overlaps another entry"},
		{"112b", "an entry inside of another", nestedEntry(), "a", "overlaps another entry"},
		{"112c", "a package in a package is a file", rawZip(0, rawEntry{name: "inner.sam", data: string(good)}), "", ""},
		{"113", "too many entries", rawZip(0, many...), "", "more than 10000"},
		{"113b", "65,536 times as many as said", rawZip(1<<16-1, file("a")), "", "uses ZIP64"},
		{"113c", "more than said", rawZip(1, file("a"), file("b")), "", "more entries than it says"},
		{"113d", "fewer than said", rawZip(3, file("a"), file("b")), "", "ends early"},
		{"114", "said to be larger", rawZip(0, rawEntry{name: "a", data: strings.Repeat("y", 99), deflate: true, size: 100}), "a", "holds fewer than the 100 bytes"},
		{"114b", "said to be smaller", rawZip(0, rawEntry{name: "a", data: strings.Repeat("y", 99), deflate: true, size: 98}), "a", "holds more than the 98 bytes"},
		{"114c", "stored, of another size", rawZip(0, rawEntry{name: "a", data: "yyy", size: 2}), "a", "is stored"},
		{"114d", "another size in the header", rawZip(0, rawEntry{name: "a", data: "yyy", localSize: 2}), "a", "other sizes in its header"},
		{"114e", "ZIP64 in an extra field", rawZip(0, rawEntry{name: "a", data: "x", extra: extraField(0x0001, "12345678")}), "a", "uses ZIP64"},
		{"114f", "ZIP64 for a size", rawZip(0, rawEntry{name: "a", data: "x", size: 1<<32 - 1}), "a", "uses ZIP64"},
		{"114g", "larger than the archive", rawZip(0, rawEntry{name: "a", data: "x", packed: 1 << 30, size: 1 << 30}), "a", "overlaps another entry, or the directory"},
		{"114h", "other sizes behind it", rawZip(0, rawEntry{name: "a", data: "x", flags: 8, behind: descriptor(crcX, 1, 2)}), "a", "other sizes behind it"},
		{"114i", "nothing behind it", rawZip(0, rawEntry{name: "a", data: "x", flags: 8}), "a", "followed by bytes that belong to no entry"},
		{"114j", "sizes behind it", rawZip(0, rawEntry{name: "a", data: "x", flags: 8, behind: descriptor(crcX, 1, 1)}), "", ""},
		{"115", "CRC", rawZip(0, rawEntry{name: "a", data: "x", crc: 1}), "a", "its CRC is 8cdc1683, not 00000001"},
		{"115r", "CRC of a large file", rawZip(0, rawEntry{name: "a", data: noise(1, 100<<10), crc: 1}), "a", "is damaged"},
		{"115b", "cut short", good[:len(good)-1], "", "does not end as a ZIP archive does"},
		{"115c", "half of it", good[:len(good)/2], "", "does not end as a ZIP archive does"},
		{"115d", "something before", append([]byte("#!/bin/sh\n"), good...), "", "something was put before it"},
		{"115e", "something behind", append(slices.Clone(good), "more"...), "", "does not end as a ZIP archive does"},
		{"115f", "two archives", append(slices.Clone(good), good...), "", "something was put before it"},
		{"115g", "two directories", twoDirectories(), "b", "follows bytes that belong to no entry"},
		{"115h", "something between", rawZip(0, rawEntry{name: "a", data: "x", behind: []byte("hidden")}, file("b")), "a", "followed by bytes that belong to no entry"},
		{"115i", "something within, behind the end of the stream", rawZip(0, withinStream()), "a", "followed by bytes that belong to no entry"},
		{"115j", "no stream of deflate", rawZip(0, rawEntry{name: "a", data: "\xff\xff\xff", method: 8}), "a", "does not unpack"},
		{"115k", "a stream that stops", rawZip(0, rawEntry{name: "a", data: "\x00", method: 8}), "a", "does not unpack"},
		{"115l", "encrypted", rawZip(0, rawEntry{name: "a", data: "x", flags: 1}), "a", "is encrypted"},
		{"115m", "another method", rawZip(0, rawEntry{name: "a", data: "x", method: 12}), "a", "is packed by method 12"},
		{"115n", "a comment that is a directory", withComment(good), "", "does not end as a ZIP archive does"},
		{"115o", "nothing", nil, "", "is no ZIP archive"},
		{"115p", "damaged extra fields", rawZip(0, rawEntry{name: "a", data: "x", extra: []byte{0x55, 0x54, 9, 0, 1}}), "a", "damaged extra fields"},
		{"115q", "unknown extra field", rawZip(0, rawEntry{name: "a", data: "x", extra: extraField(0x9901, "1234567")}), "a", "extra field 0x9901"},
		{"116", "a manifest that asks for grants", rawZip(0, rawEntry{name: ".sam/manifest.json", data: `{"format":1,"name":"x","wants":["host.secrets"],"grants":["*"]}`}), "", ""},
		{"116b", "a format of the future", rawZip(0, rawEntry{name: ".sam/manifest.json", data: `{"format":2}`}), ".sam/manifest.json", "is of format 2"},
		{"116c", "no manifest", rawZip(0, rawEntry{name: ".sam/manifest.json", data: `[]`}), ".sam/manifest.json", "is not what it should be"},
		{"116d", "a large manifest", rawZip(0, rawEntry{name: ".sam/manifest.json", data: strings.Repeat(" ", 65<<10)}), ".sam/manifest.json", "is larger than"},
		{"116e", "something else of the package's own", rawZip(0, manifest, file(".sam/autorun")), ".sam/autorun", "keep for themselves"},
		{"116f", "state without a manifest", rawZip(0, file(state+"kv")), "", "holds state and no"},
		{"116g", "a blob that is none", rawZip(0, manifest, file(state+"blobs/../x")), state + "blobs/../x", `has the part ".."`},
		{"116h", "secrets that nobody asked for", rawZip(0, manifest, rawEntry{name: state + "secrets", data: "\x01A\x01B"}), "", ""},
		{"116i", "a secret that none can be", rawZip(0, manifest, rawEntry{name: state + "secrets", data: "\x03a.b\x01B"}), state + "secrets", "names a secret that none can be"},
		{"116j", "the package's own, but for case", rawZip(0, manifest, file(".Playgrounds-State/kv")), ".Playgrounds-State/kv", "keep for themselves"},
		{"117", "set-user-ID", rawZip(0, rawEntry{name: "a", data: "x", mode: 0o104755}), "", ""},
		{"117b", "set-group-ID and sticky", rawZip(0, rawEntry{name: "a/", mode: 0o043777}, rawEntry{name: "a/b", data: "x", mode: 0o102777}), "", ""},
	}
}

// nestedEntry is an archive whose second entry lies in the contents of the first.
func nestedEntry() []byte {
	inner := rawZip(0, rawEntry{name: "b", data: "x"})
	local := string(inner[:bytes.Index(inner, []byte("PK\x01\x02"))])
	return rawZip(0, rawEntry{name: "a", data: local}, rawEntry{name: "b", data: "x", at: 1 + 30 + 1})
}

// twoDirectories is an archive with another whole one between its first entry and its second.
func twoDirectories() []byte {
	hidden := rawZip(0, rawEntry{name: "hidden", data: "x"})
	out := rawZip(0, rawEntry{name: "b", data: "x"})
	at := bytes.Index(out, []byte("PK\x01\x02"))
	shifted := append(slices.Clone(hidden), out...)
	le := binary.LittleEndian
	dir := len(hidden) + at
	le.PutUint32(shifted[dir+42:], uint32(len(hidden)))
	le.PutUint32(shifted[len(shifted)-6:], uint32(dir))
	return shifted
}

// withinStream is an entry whose packed bytes go on after the end of what they unpack to.
func withinStream() rawEntry {
	return rawEntry{name: "a", data: "\x01\x01\x00\xfe\xffxMORE", method: 8, size: 1, crc: 0x8cdc1683}
}

// withComment is an archive whose comment is the end of another one.
func withComment(good []byte) []byte {
	out := slices.Clone(good)
	end := slices.Clone(out[len(out)-22:])
	end[20] = 7
	out[len(out)-2] = 22 + 7
	return append(append(out, end...), "comment"...)
}

// TestHostilePackages imports each of them, and looks that nothing came of what is refused,
// and nothing but its files of the others.
func TestHostilePackages(t *testing.T) {
	s := sam.NewMemStore()
	w := sam.NewWorkspace(s, "o", nil)
	ctx := t.Context()
	for _, c := range hostileCases() {
		t.Run(c.number+" "+c.name, func(t *testing.T) {
			p, err := w.Import(ctx, "app", bytes.NewReader(c.data), int64(len(c.data)), sam.Parts{})
			if c.reason == "" {
				if err != nil {
					t.Fatal(err)
				}
				if names, err := p.Secrets().Names(ctx); err != nil || len(names) > 0 {
					t.Errorf("secrets: %q, %v", names, err)
				}
				if n := stateKeys(t, p); n > 0 {
					t.Errorf("%d keys of state", n)
				}
				fs.WalkDir(p.FS(ctx), ".", func(name string, d fs.DirEntry, err error) error {
					if info, err := d.Info(); err != nil || info.Mode()&^(fs.ModeDir|0o555) != 0 {
						t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
					}
					if err != nil || strings.HasPrefix(name, ".sam") || strings.HasPrefix(name, ".playgrounds") {
						t.Errorf("%s: %v", name, err)
					}
					return nil
				})
				if err := w.Delete(ctx, "app"); err != nil {
					t.Error(err)
				}
				return
			}
			var refused *sam.PackageError
			if !errors.As(err, &refused) || !errors.Is(err, fs.ErrInvalid) {
				t.Fatalf("got %v, want a PackageError", err)
			}
			if c.entry != "" && refused.Entry != c.entry || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("entry %q: %v\nwant entry %q: %s", refused.Entry, err, c.entry, c.reason)
			}
			wantNothing(t, s)
		})
	}
}

// wantNothing looks that a store has no project and no key of one.
func wantNothing(t testing.TB, s sam.Store) {
	t.Helper()
	for name, err := range s.Spaces(context.Background(), "", "") {
		t.Errorf("there is a space %q, %v", name, err)
	}
}

// stateKeys counts the keys of KV and databases.
func stateKeys(t testing.TB, p *sam.Project) (n int) {
	t.Helper()
	for _, prefix := range []string{"kv/", "db/"} {
		for _, err := range p.State().Space.List(t.Context(), prefix, "") {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
	}
	return n
}

// FuzzImport looks that no package makes the reader panic, and that what it takes is what
// archive/zip takes it for.
func FuzzImport(f *testing.F) {
	for _, c := range hostileCases() {
		if len(c.data) < 1<<16 {
			f.Add(c.data)
		}
	}
	for _, name := range goldenPackages {
		f.Add(golden(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := sam.NewMemStore()
		limits := sam.Limits{FileBytes: 1 << 20, ProjectBytes: 4 << 20, StateBytes: 1 << 20}
		w := sam.NewWorkspace(s, "o", &sam.Options{Limits: limits, SecretKey: testKey})
		parts := sam.Parts{}
		if pkg, err := sam.OpenPackage(bytes.NewReader(data), int64(len(data))); err == nil {
			parts = pkg.Parts
		}
		p, err := w.Import(t.Context(), "app", bytes.NewReader(data), int64(len(data)), parts)
		if err != nil {
			wantNothing(t, s)
			return
		}
		sameAsZip(t, p, data)
		exported := export(t, p, parts)
		again, err := w.Import(t.Context(), "again", bytes.NewReader(exported), int64(len(exported)), parts)
		if err != nil {
			t.Fatal(err)
		}
		sameFiles(t, p, again)
		if a, b := stateKeys(t, p), stateKeys(t, again); a != b {
			t.Errorf("%d keys became %d", a, b)
		}
	})
}

// sameAsZip compares a project to what archive/zip finds in its package.
func sameAsZip(t testing.TB, p *sam.Project, data []byte) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		t.Fatalf("archive/zip: %v", err)
	}
	want := map[string]string{}
	for _, e := range z.File {
		if strings.HasSuffix(e.Name, "/") || strings.HasPrefix(e.Name, ".sam/") || strings.HasPrefix(e.Name, ".playgrounds-state/") {
			continue
		}
		r, err := e.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("archive/zip: %s: %v", e.Name, err)
		}
		want[e.Name] = string(b)
	}
	for f, err := range p.Files(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.ReadFile(t.Context(), f.Name)
		if err != nil || string(got) != want[f.Name] {
			t.Errorf("%q: %d bytes, %v; archive/zip has %d", f.Name, len(got), err, len(want[f.Name]))
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("archive/zip has %d files more", len(want))
	}
}

// FuzzImportEntries is FuzzImport of archives whose structure is right, more often than not.
func FuzzImportEntries(f *testing.F) {
	for _, c := range []string{"a", "a/", "A", "a/b", "../x", ".sam/manifest.json", "\u00e9"} {
		f.Add("a", c, []byte("contents"), uint32(0), uint16(0), []byte(nil), false)
	}
	f.Add("a", "b", make([]byte, 1000), uint32(0o104755), uint16(0x808), extraField(0x5455, "\x01abcd"), true)
	f.Fuzz(func(t *testing.T, name1, name2 string, data []byte, mode uint32, flags uint16, extra []byte, deflate bool) {
		if len(name1)+len(name2)+len(extra) > 1<<14 {
			return
		}
		e := rawEntry{name: name2, data: string(data), mode: mode, flags: flags, extra: extra, deflate: deflate}
		pkg := rawZip(0, rawEntry{name: name1, data: "first"}, e)
		s := sam.NewMemStore()
		p, err := sam.NewWorkspace(s, "o", nil).Import(t.Context(), "app", bytes.NewReader(pkg), int64(len(pkg)), sam.Parts{})
		if err != nil {
			wantNothing(t, s)
			return
		}
		sameAsZip(t, p, pkg)
	})
}

// TestHostileState imports databases and values of KV that nobody but an attacker would
// write. They may be damaged; they may not end the program.
func TestHostileState(t *testing.T) {
	ctx := t.Context()
	w := sam.NewWorkspace(sam.NewMemStore(), "o", &sam.Options{SecretKey: testKey})
	p := create(t, w, "app", nil)
	fillState(t, p)
	parts := sam.Parts{KV: true, DB: true}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		id := sam.ProjectID(fmt.Sprint("p", i))
		q, err := w.Clone(ctx, "app", id, parts)
		if err != nil {
			t.Fatal(err)
		}
		space := q.State().Space
		for _, prefix := range []string{"kv/", "db/"} {
			for e, err := range space.List(ctx, prefix, "") {
				if err != nil {
					t.Fatal(err)
				}
				value, _, err := space.Get(ctx, e.Key)
				if err != nil {
					t.Fatal(err)
				}
				for range random.IntN(5) {
					value[random.IntN(min(len(value), 200))] = byte(random.Uint32())
				}
				if _, err := space.Commit(ctx, sam.Op{Key: e.Key, Value: value[:len(value)-random.IntN(2)*random.IntN(len(value))], If: sam.Any}); err != nil {
					t.Fatal(err)
				}
			}
		}
		q = importPackage(t, w, id+"-new", export(t, q, parts), parts)
		ns := kv.New(q.State(), "KV")
		for _, key := range []string{"small", "large"} {
			ns.Get(ctx, key)
		}
		for range ns.List(ctx, "", "") {
		}
		db, err := sqlshim.Open(ctx, q.State(), "DB", nil)
		if err != nil {
			continue
		}
		for _, sql := range []string{"SELECT * FROM t", "INSERT INTO t VALUES (3, 'three')", "SELECT count(*) FROM sqlite_schema"} {
			db.Query(ctx, sql)
		}
		db.Close()
	}
}
