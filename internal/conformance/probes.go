package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"samkit.dev/internal/conformance/peer"
)

// An outcome is what a probe saw, or what was seen of a handler, as text that is equal
// where the behaviour is.
type outcome struct {
	probe string // AREA/FILE/NAME
	saw   string
}

// areas are the directories of probes, one worker each.
var areas = []string{"kv", "d1", "web", "handlers"}

// moduleArea is that of modules.json: sources of which each is a worker.
const moduleArea = "modules"

// observe runs all probes in one runtime.
func observe(ctx context.Context, r peer.Runtime) ([]outcome, error) {
	var all []outcome
	for _, area := range areas {
		w, err := areaWorker(area)
		if err != nil {
			return nil, err
		}
		servers, err := r.Start(ctx, w)
		if err != nil {
			return nil, err
		}
		some, err := observeArea(ctx, servers[0], area)
		servers[0].Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", area, err)
		}
		all = append(all, some...)
	}
	some, err := observeModules(ctx, r)
	return append(all, some...), err
}

// observeBoth runs all probes in both, at the same time.
func observeBoth(ctx context.Context, both *peer.Both) (samkit, workerd []outcome, err error) {
	done := make(chan error, 1)
	go func() {
		var err error
		workerd, err = observe(ctx, both.Workerd)
		done <- err
	}()
	samkit, err = observe(ctx, both.Samkit)
	if e := <-done; e != nil {
		return nil, nil, fmt.Errorf("workerd: %w", e)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("samkit: %w", err)
	}
	return samkit, workerd, nil
}

// vars are those of all workers.
var vars = map[string]string{"NAME": "a variable"}

// areaWorker is the worker of all probes of an area.
func areaWorker(area string) (peer.Worker, error) {
	files := map[string]string{}
	var main strings.Builder
	main.WriteString("import { runner } from \"./run.js\";\n")
	paths, err := filepath.Glob("probes/" + area + "/*.js")
	if err != nil {
		return peer.Worker{}, err
	}
	if len(paths) == 0 {
		return peer.Worker{}, fmt.Errorf("no probes in probes/%s", area)
	}
	var names []string
	for i, path := range append(paths, "probes/see.js", "probes/run.js") {
		source, err := os.ReadFile(path)
		if err != nil {
			return peer.Worker{}, err
		}
		rel := strings.TrimPrefix(filepath.ToSlash(path), "probes/")
		files[rel] = string(source)
		if i < len(paths) {
			fmt.Fprintf(&main, "import p%d from \"./%s\";\n", i, rel)
			names = append(names, fmt.Sprintf("%q: p%d", strings.TrimSuffix(filepath.Base(path), ".js"), i))
		}
	}
	fmt.Fprintf(&main, "export default runner({ %s });\n", strings.Join(names, ", "))
	files["worker.js"] = main.String()
	return peer.Worker{Name: area, Files: files, Vars: vars}, nil
}

// observeArea asks for each probe that the worker lists.
func observeArea(ctx context.Context, s *peer.Server, area string) ([]outcome, error) {
	listed, err := s.Get(ctx, "/")
	if err != nil {
		return nil, err
	}
	var probes []struct {
		File, Name string
		Steps      int
	}
	if err := json.Unmarshal(listed.Body, &probes); err != nil {
		return nil, fmt.Errorf("%v: %w", listed, err)
	}
	var all []outcome
	for _, p := range probes {
		path := "/probe?" + url.Values{"file": {p.File}, "name": {p.Name}}.Encode()
		o := outcome{probe: area + "/" + p.File + "/" + p.Name}
		if area == "handlers" {
			o.saw, err = observeHandler(ctx, s, path, p.Steps)
		} else {
			var a peer.Answer
			if a, err = s.Get(ctx, path); err == nil {
				o.saw = string(a.Body)
				if a.Status != 200 {
					o.saw = a.String()
				}
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.probe, err)
		}
		all = append(all, o)
	}
	return all, nil
}

// observeHandler asks a handler for each of its steps, with nothing in its bindings.
func observeHandler(ctx context.Context, s *peer.Server, path string, steps int) (string, error) {
	if _, err := s.Get(ctx, path+"&step=clear"); err != nil {
		return "", err
	}
	var saw []string
	for step := range steps {
		a, err := s.Get(ctx, path+"&step="+strconv.Itoa(step))
		if err != nil {
			saw = append(saw, "the connection breaks")
			continue
		}
		saw = append(saw, visible(a))
	}
	return strings.Join(saw, "; then "), nil
}

// ownHeaders are those of an answer that are the handler's business.
var ownHeaders = []string{"Content-Type", "Location", "X-Own", "Etag"}

// visible describes an answer. One that the runtime gives in place of the handler's is
// its status: the words are no part of Workers.
func visible(a peer.Answer) string {
	var own struct{ Error, ID string }
	if string(a.Body) == "Internal Server Error" || json.Unmarshal(a.Body, &own) == nil && own.Error != "" && own.ID != "" {
		return fmt.Sprintf("%d by the runtime", a.Status)
	}
	var b strings.Builder
	b.WriteString(strconv.Itoa(a.Status))
	for _, name := range ownHeaders {
		if v := a.Header.Values(name); len(v) > 0 {
			fmt.Fprintf(&b, " %s=%q", strings.ToLower(name), v)
		}
	}
	fmt.Fprintf(&b, " %q", a.Body)
	return b.String()
}

// observeModules starts each source of modules.json and asks it twice for "/".
func observeModules(ctx context.Context, r peer.Runtime) ([]outcome, error) {
	data, err := os.ReadFile("probes/modules.json")
	if err != nil {
		return nil, err
	}
	sources := map[string]string{}
	if err := json.Unmarshal(data, &sources); err != nil {
		return nil, fmt.Errorf("probes/modules.json: %w", err)
	}
	var all []outcome
	for _, name := range sorted(sources) {
		o := outcome{probe: moduleArea + "/" + name, saw: "refused"}
		servers, err := r.Start(ctx, peer.Worker{Files: map[string]string{"worker.js": sources[name]}, Vars: vars})
		if err == nil {
			o.saw = observeModule(ctx, servers[0])
			servers[0].Close()
		}
		all = append(all, o)
	}
	return all, nil
}

// observeModule counts a module that starts and then answers nothing but errors as
// refused: samkit builds with the first request, and workerd ends itself over some.
func observeModule(ctx context.Context, s *peer.Server) string {
	first, err := s.Get(ctx, "/")
	if err != nil {
		return "refused"
	}
	second, err := s.Get(ctx, "/")
	if err != nil {
		return "refused"
	}
	one, two := visible(first), visible(second)
	if one == two && one == "500 by the runtime" {
		return "refused"
	}
	if one == two {
		return one
	}
	return one + "; then " + two
}
