package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"samkit.dev/sam"
)

// devVars is where wrangler dev finds the secrets of a Worker project.
const devVars = ".dev.vars"

// maxDevVars bounds that file.
const maxDevVars = 1 << 20

// devVars reads the secrets beside a wrangler file. Without one of the two files
// there are none. Like all names that start with a dot, this one is not served.
func (f *folder) devVars() (map[string]string, error) {
	worker := false
	for _, name := range []string{"wrangler.json", "wrangler.jsonc", "wrangler.toml"} {
		_, err := f.root.Stat(name)
		worker = worker || err == nil
	}
	if !worker {
		return nil, nil
	}
	file, err := f.root.Open(devVars)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxDevVars+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxDevVars {
		return nil, fmt.Errorf("%s has more than %d bytes", devVars, maxDevVars)
	}
	values := parseEnv(string(data))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := sam.CheckSecretName(name); err != nil || values[name] == "" {
			f.remark("%s: %s is passed over: a secret has a name of letters, digits and _, and a value", devVars, name)
			delete(values, name)
		}
	}
	return values, nil
}

// keepSecrets gives the app the secrets of the command line and of the folder, of which
// the first go before the second.
func keepSecrets(ctx context.Context, app *sam.Project, dir *folder, given map[string]string) error {
	values, err := dir.devVars()
	if err != nil {
		return err
	}
	if len(values) > 0 {
		fmt.Fprintf(os.Stderr, "secrets of %s: %s\n", devVars, strings.Join(slices.Sorted(maps.Keys(values)), ", "))
	}
	all := map[string]string{}
	maps.Copy(all, values)
	maps.Copy(all, given)
	for name, value := range all {
		if err := app.Secrets().Set(ctx, name, value); err != nil {
			return fmt.Errorf("keep the secret %s: %w", name, err)
		}
	}
	return nil
}

// parseEnv reads lines of NAME=VALUE as dotenv does: "export" may stand before a name,
// a value may stand in quotes and then go over many lines, # begins a comment, and in
// double quotes \n is a line end.
func parseEnv(text string) map[string]string {
	values := map[string]string{}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		line = strings.TrimSpace(line)
		name, value, ok := strings.Cut(line, "=")
		if strings.HasPrefix(line, "#") || !ok {
			continue
		}
		name = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "export "))
		value = strings.TrimSpace(value)
		if value == "" || !strings.ContainsRune("\"'`", rune(value[0])) {
			value, _, _ = strings.Cut(value, "#")
			values[name] = strings.TrimSpace(value)
			continue
		}
		quote := value[:1]
		body := value[1:] + "\n" + text
		end := closing(body, quote[0])
		if end < 0 { // the quote is part of the value
			values[name] = value
			continue
		}
		if end >= len(value) { // it ends on a later line
			_, text, _ = strings.Cut(body[end+1:], "\n")
		}
		if value = body[:end]; quote == `"` {
			value = strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\"`, `"`).Replace(value)
		}
		values[name] = value
	}
	return values
}

// closing finds the quote that ends text, or gives -1.
func closing(text string, quote byte) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == quote:
			return i
		}
	}
	return -1
}
