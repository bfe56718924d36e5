package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// packages returns the names of the npm packages of which a bundle holds code.
func packages(metafile string) ([]string, error) {
	var meta struct {
		Outputs map[string]struct {
			Inputs map[string]struct {
				BytesInOutput int `json:"bytesInOutput"`
			} `json:"inputs"`
		} `json:"outputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, err
	}
	var names []string
	for _, out := range meta.Outputs {
		for path, in := range out.Inputs {
			i := strings.LastIndex(path, "node_modules/")
			if i < 0 || in.BytesInOutput == 0 {
				continue
			}
			parts := strings.SplitN(path[i+len("node_modules/"):], "/", 3)
			name := parts[0]
			if strings.HasPrefix(name, "@") && len(parts) > 1 {
				name += "/" + parts[1]
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// licences returns the notices of packages; one without a licence is an error.
func licences(modules string, names []string) ([]byte, error) {
	byText := make(map[string][]string) // packages by licence, since most share one
	var texts []string
	for _, name := range names {
		text, err := licence(filepath.Join(modules, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		if byText[text] == nil {
			texts = append(texts, text)
		}
		byText[text] = append(byText[text], name)
	}
	var b bytes.Buffer
	b.WriteString("The page of samkit's playground and the projects it makes hold code of these npm packages.\n")
	for _, text := range texts {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Join(byText[text], ", "), strings.Repeat("-", 72), text)
	}
	return b.Bytes(), nil
}

func licence(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if strings.HasPrefix(name, "LICENSE") || strings.HasPrefix(name, "LICENCE") || strings.HasPrefix(name, "COPYING") {
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			return strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n")), err
		}
	}
	return "", fmt.Errorf("%s has no licence file", dir)
}
