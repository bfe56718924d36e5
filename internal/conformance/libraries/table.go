package libraries

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A row is a line of the table.
type row struct {
	use
	bundle int // bytes
}

const intro = `# Libraries

<!-- Written by: cd internal/conformance && go test ./libraries -update -->

What npm packages do in functions.js. Each is used in a Worker as people use it, with real
work rather than a load of the module; the Worker runs in samkit and in workerd, and the
answers are the same: the status, every byte of the body, and of the headers Content-Type,
Content-Disposition, Location, ETag, Allow and X-Trail. Other headers are not compared: canvas keeps
many of them from apps. samkit runs the Workers in process and at canvas.Trusted, a few of
them sandboxed as well, with a minute of CPU time instead of 10 seconds. They are in
internal/conformance/libraries/uses. Size is that of the Worker with all it imports, bundled as wrangler
does and not minified.

| library | version | what is used | result | size |
|---|---|---|---|---|
`

// table is docs/libraries.md. Versions are those of the lock file.
func table(rows []row, lock []byte) (string, error) {
	var l struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal(lock, &l); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(intro)
	for _, r := range rows {
		version := l.Packages["node_modules/"+r.library].Version
		if version == "" {
			return "", fmt.Errorf("%s is not in the lock file", r.library)
		}
		result := "same as workerd"
		if len(r.worker.Flags) > 0 {
			result += ", with " + strings.Join(r.worker.Flags, ", ")
		}
		about := strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(r.about)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d kB |\n", r.library, version, about, result, (r.bundle+999)/1000)
	}
	fmt.Fprintf(&b, "\n%d libraries.\n", len(rows))
	return b.String(), nil
}
