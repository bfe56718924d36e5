// Package modules holds the commands that are compiled to WebAssembly, and what
// they were made by. wasi/build makes them.
package modules

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

//go:embed manifest *.wasm.zst
var files embed.FS

// Names is the modules there are recipes for, in order.
func Names() []string { return []string{"awk", "jq", "python", "sqlite3", "toybox"} }

// Read returns a module. It costs milliseconds.
func Read(name string) ([]byte, error) {
	data, err := files.ReadFile(name + ".wasm.zst")
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	return dec.DecodeAll(data, nil)
}

// Cut takes the custom section of the name out of a module. contents is nil if there is none.
// Both results share the module's memory.
func Cut(module []byte, name string) (rest, contents []byte) {
	for at := 8; at+1 < len(module); {
		size, n := binary.Uvarint(module[at+1:])
		start := at + 1 + n
		if n <= 0 || size > uint64(len(module)-start) {
			break
		}
		end := start + int(size)
		body := module[start:end]
		if length, m := binary.Uvarint(body); module[at] == 0 && m > 0 && length <= uint64(len(body)-m) && string(body[m:][:length]) == name {
			return append(module[:at:at], module[end:]...), body[m+int(length):]
		}
		at = end
	}
	return module, nil
}

// An Entry is what the manifest says about a module.
type Entry struct {
	Name   string
	Size   int
	Hash   string // SHA-256 of the module
	Recipe string // that made it, as RecipeHash has it
}

// A Manifest has an entry for each module, by name.
type Manifest map[string]Entry

// ReadManifest returns what is linked in.
func ReadManifest() (Manifest, error) {
	data, err := files.ReadFile("manifest")
	if err != nil {
		return nil, err
	}
	return ParseManifest(data)
}

// ParseManifest reads what Encode has written.
func ParseManifest(data []byte) (Manifest, error) {
	m := Manifest{}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) != 4 {
			return nil, fmt.Errorf("modules: manifest: %q", line)
		}
		size, err := strconv.Atoi(f[1])
		if err != nil {
			return nil, fmt.Errorf("modules: manifest: %w", err)
		}
		m[f[0]] = Entry{f[0], size, f[2], f[3]}
	}
	return m, nil
}

// Encode is the manifest as it is committed.
func (m Manifest) Encode() []byte {
	var b bytes.Buffer
	b.WriteString("# module, bytes, SHA-256, SHA-256 of its recipe\n")
	for _, name := range slices.Sorted(maps.Keys(m)) {
		e := m[name]
		fmt.Fprintf(&b, "%s %d %s %s\n", e.Name, e.Size, e.Hash, e.Recipe)
	}
	return b.Bytes()
}

// Packages is the source packages that a recipe in the folder is made from.
func Packages(recipes fs.FS, name string) ([]string, error) {
	return setting(recipes, name, "packages=")
}

// setting is the words after key in a recipe, none if there is no such line.
func setting(recipes fs.FS, name, key string) ([]string, error) {
	text, err := fs.ReadFile(recipes, name+".sh")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if v, ok := strings.CutPrefix(line, key); ok {
			return strings.Fields(strings.Trim(strings.TrimSpace(v), `"`)), nil
		}
	}
	return nil, nil
}

// RecipeHash is a hash of all in the folder of recipes that decides what a module
// is: its recipe, that of the C library, the stand-ins, all or those that it names, and
// the pinned sources.
func RecipeHash(recipes fs.FS, name string) (string, error) {
	names := []string{"common.sh", name + ".sh"}
	packages, err := Packages(recipes, name)
	if err != nil {
		return "", err
	}
	if name != "libc" {
		names = append(names, "libc.sh")
		libc, err := Packages(recipes, "libc")
		if err != nil {
			return "", err
		}
		packages = append(packages, libc...)
		also, err := setting(recipes, name, "also=")
		if err != nil {
			return "", err
		}
		names = append(names, also...)
		ports, err := setting(recipes, name, "port=")
		if err != nil {
			return "", err
		}
		if ports == nil {
			ports = []string{"."}
		}
		for _, p := range ports {
			err = fs.WalkDir(recipes, path.Join("port", p), func(path string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					names = append(names, path)
				}
				return err
			})
			if err != nil {
				return "", err
			}
		}
	}
	h := sha256.New()
	for _, n := range names {
		data, err := fs.ReadFile(recipes, n)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n", n, len(data))
		h.Write(data)
	}
	sources, err := fs.ReadFile(recipes, "sources")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(sources)) {
		if f := strings.Fields(line); len(f) == 4 && slices.Contains(packages, f[0]) {
			h.Write([]byte(line))
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
