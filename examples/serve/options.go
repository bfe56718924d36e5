package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"samkit.dev/canvas"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
)

// options are what the command line says.
type options struct {
	addr, data, prefix, folder string
	dev                        bool
	origin                     canvas.Origin
	isolation                  engine.Isolation
	asked                      bool // for the isolation
	secrets, vars              map[string]string
	fetch                      []string // hosts that functions.js may reach
}

const usage = `usage: serve [flags] FOLDER

Serves FOLDER: its files, and its functions.js or the Worker that its wrangler file
names. Of node_modules it takes what the sources import. Names that start with a dot
are left out; a .dev.vars beside a wrangler file is read as secrets at the start.

`

func parse(args []string) (options, error) {
	o := options{secrets: map[string]string{}, vars: map[string]string{}}
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&o.addr, "addr", "127.0.0.1:8080", "`address` to listen on; port 0 takes a free one")
	flags.StringVar(&o.data, "data", "", "`folder` to keep the app's data in (default: in memory, gone at the end)")
	flags.BoolVar(&o.dev, "dev", false, "show errors with their stacks in the browser")
	flags.Func("origin", "the browser's boundary around the app: `opaque`, own, with cookies and storage at a host below localhost, or trusted, with those of the address (default opaque)", func(s string) error {
		for _, origin := range []canvas.Origin{canvas.Opaque, canvas.Own, canvas.Trusted} {
			if s == origin.String() {
				o.origin = origin
				return nil
			}
		}
		return fmt.Errorf("it is opaque, own or trusted")
	})
	flags.TextVar(&o.isolation, "isolation", engine.Sandboxed, "how functions.js is kept apart: `sandboxed`, process or inprocess")
	flags.StringVar(&o.prefix, "prefix", "/", "`path` to serve the app below")
	flags.Func("secret", "`NAME=VALUE`, which functions.js reads as env.NAME; kept sealed (may be repeated)", pair(o.secrets))
	flags.Func("var", "`NAME=VALUE`, which functions.js reads as env.NAME (may be repeated)", pair(o.vars))
	flags.Func("fetch", "`HOST,…` that functions.js may fetch: api.example.com, *.example.com, http://example.com, 127.0.0.1:8081, or * (may be repeated)", func(s string) error {
		o.fetch = append(o.fetch, strings.Split(s, ",")...)
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	flags.Visit(func(f *flag.Flag) { o.asked = o.asked || f.Name == "isolation" })
	switch flags.NArg() {
	case 0:
		return o, fmt.Errorf("name the folder to serve; -help lists the flags")
	case 1:
		o.folder = flags.Arg(0)
	default:
		return o, fmt.Errorf("one folder, please: flags go before it (found %q after it)", flags.Arg(1))
	}
	return o, o.check()
}

// headers are those that the app gets and sets of what a program would keep for itself: this
// one has nobody who logs in. Cookies are shared by all ports of a machine, so they are for
// an app that is trusted.
func (o *options) headers() []string {
	if o.origin == canvas.Trusted {
		return []string{"Authorization", "Cookie", "Set-Cookie", "WWW-Authenticate"}
	}
	return []string{"Authorization"}
}

func (o *options) check() error {
	if !strings.HasPrefix(o.prefix, "/") || strings.ContainsAny(o.prefix, "{}?#% \\") {
		return fmt.Errorf("-prefix %q is no path such as /p/", o.prefix)
	}
	if !strings.HasSuffix(o.prefix, "/") {
		o.prefix += "/"
	}
	if strings.Contains(o.prefix, "//") || strings.Contains(o.prefix, "/./") || strings.Contains(o.prefix, "/../") {
		return fmt.Errorf("-prefix %q is no path such as /p/", o.prefix)
	}
	info, err := os.Stat(o.folder)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return nil
	case strings.EqualFold(filepath.Ext(o.folder), ".sam"):
		return fmt.Errorf("%s is a package: serving one without unpacking it is not supported yet; unpack it into a folder and serve that", o.folder)
	}
	return fmt.Errorf("%s is no folder", o.folder)
}

// pair reads NAME=VALUE into m. A repeated name replaces the value.
func pair(m map[string]string) func(string) error {
	return func(s string) error {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return fmt.Errorf("it has the form NAME=VALUE")
		}
		if err := sam.CheckSecretName(name); err != nil {
			return err
		}
		m[name] = value
		return nil
	}
}
