package wasi

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// applets is the commands that toybox is.
var applets = strings.Fields(`
	ascii base32 base64 basename bc cal cat chmod cksum clear cmp comm count cp cpio crc32 cut date dd diff dirname dos2unix du
	echo egrep expand expr factor false fgrep file fmt fold grep gunzip gzip hd head hexdump iconv ln ls md5sum mkdir mktemp mv nl od
	paste patch printenv printf pwd readlink realpath rev rm rmdir sed seq sha1sum sha256sum sha512sum sleep sort split stat strings
	tac tail tar tee test touch tr true truncate uniq unix2dos unlink uudecode uuencode uuidgen wc xxd yes zcat`)

// commandTable is the commands that the options leave.
func commandTable(o *Options) map[string]command {
	all := map[string]command{}
	for _, name := range applets {
		all[name] = helpful(name, ofModule("toybox", nil))
	}
	all["awk"] = helpful("awk", ofModule("awk", nil))
	all["sqlite3"] = ofModule("sqlite3", nil)
	all["jq"] = ofModule("jq", nil)
	all["python3"] = ofModule("python", nil)
	all["python"] = all["python3"]
	for name, cmd := range builtins() {
		all[name] = helpful(name, cmd)
	}
	for name, code := range o.Modules {
		all[name] = ofModule(name, slices.Clone(code))
	}
	for name, f := range o.Builtins {
		all[name] = ofBuiltin(f)
	}
	if o.Allow == nil {
		return all
	}
	allowed := map[string]command{}
	for _, name := range o.Allow {
		if cmd := all[name]; cmd != nil {
			allowed[name] = cmd
		}
	}
	return allowed
}

func ofModule(name string, code []byte) command {
	return func(ctx context.Context, p *proc) error { return p.r.engine.run(ctx, p, name, code) }
}

func ofBuiltin(f Builtin) command {
	return func(ctx context.Context, p *proc) error {
		err := f(ctx, &Cmd{
			Files: treeFiles{p.tree}, Args: slices.Clone(p.args), Dir: strings.TrimPrefix(strings.TrimPrefix(p.dir, projectDir), "/"),
			Env: slices.Clone(p.env), Stdin: p.stdin, Stdout: p.stdout, Stderr: p.stderr,
		})
		var exit *ExitError
		if err == nil || errors.As(err, &exit) {
			return err
		}
		return p.fail(1, "%v", err)
	}
}
