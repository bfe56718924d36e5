package appconfig

import (
	"fmt"
	"strings"
)

// A Route says who answers a path.
type Route uint8

// The routes.
const (
	ToAssets      Route = iota + 1 // files only
	ToFunctions                    // the functions only; where there are none, an error
	ToAssetsFirst                  // a file that exists, else the functions
)

// A rule is a pattern of paths; a star stands for any characters, / included.
type rule struct {
	except  bool
	pattern string
}

// compile checks the patterns of c.
func (c *Config) compile() error {
	err := checkPatterns(c.Serve, "serve")
	if err == nil {
		c.routes, err = rules(c.Routes, "functions.routes")
	}
	if err == nil {
		c.workFirst, err = rules(c.Assets.RunWorkerFirstOn, "assets.run_worker_first")
	}
	if err != nil && len(c.Files) > 0 {
		return &Error{File: c.Files[0], Text: err.Error()}
	}
	return err
}

// Limits of patterns, those of Workers: each is compared with the path of every request.
const (
	maxPatterns = 100
	maxPattern  = 100
)

func checkPatterns(patterns []string, key string) error {
	if len(patterns) > maxPatterns {
		return fmt.Errorf("%s: there are %d patterns; at most %d are allowed", key, len(patterns), maxPatterns)
	}
	for _, p := range patterns {
		if len(p) > maxPattern {
			return fmt.Errorf("%s: the pattern %s has %d bytes; at most %d are allowed", key, quote(p[:20]+"…"), len(p), maxPattern)
		}
	}
	return nil
}

func rules(patterns []string, key string) ([]rule, error) {
	if err := checkPatterns(patterns, key); err != nil {
		return nil, err
	}
	var out []rule
	for _, p := range patterns {
		body, except := strings.CutPrefix(p, "!")
		if body == "*" {
			body = "/*"
		}
		if !strings.HasPrefix(body, "/") {
			return nil, fmt.Errorf("%s: the pattern %s does not begin with / or !/", key, quote(p))
		}
		out = append(out, rule{except, body})
	}
	return out, nil
}

// Route says who answers path, the decoded path of a request in the project,
// which begins with "/". A pattern with ! goes before all others.
func (c *Config) Route(path string) Route {
	if c.Worker {
		return c.workerRoute(path)
	}
	switch except, hit := match(c.routes, path); {
	case except || !hit:
		return ToAssets
	case c.AssetsFirst:
		return ToAssetsFirst
	}
	return ToFunctions
}

// workerRoute does as Workers do: exceptions are assets whatever happens,
// other matches go to the code, and what matches nothing is an asset if there
// is one.
func (c *Config) workerRoute(path string) Route {
	if c.Assets.Directory == "" || c.Assets.RunWorkerFirst {
		return ToFunctions
	}
	switch except, hit := match(c.workFirst, path); {
	case except:
		return ToAssets
	case hit:
		return ToFunctions
	}
	return ToAssetsFirst
}

func match(rules []rule, path string) (except, hit bool) {
	for _, r := range rules {
		if !glob(r.pattern, path) {
			continue
		}
		if r.except {
			return true, false
		}
		hit = true
	}
	return false, hit
}

// glob reports whether s matches pattern as a whole. It goes back to the last
// star only, which is enough, so its time is bounded by len(pattern)*len(s).
func glob(pattern, s string) bool {
	star, resume := -1, 0
	p, i := 0, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, resume = p, i
			p++
		case p < len(pattern) && pattern[p] == s[i]:
			p++
			i++
		case star >= 0:
			resume++
			p, i = star+1, resume
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// Serves reports whether the project lists name, a project path, as an
// exception from the names that are never served.
func (c *Config) Serves(name string) bool {
	for _, p := range c.Serve {
		if glob(strings.TrimPrefix(p, "/"), name) {
			return true
		}
	}
	return false
}
