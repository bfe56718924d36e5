package taskref

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A registry serves the versions of one package as npm's does.
type registry struct {
	*httptest.Server
	name     string
	tarballs map[string][]byte            // by version
	scripts  map[string]map[string]string // by version

	mu    sync.Mutex // guards asked
	asked []string   // paths
}

// serveRegistry serves a package: of each version its files, of which package.json is made.
func serveRegistry(t *testing.T, name string, versions map[string]map[string]string) *registry {
	t.Helper()
	r := &registry{name: name, tarballs: map[string][]byte{}, scripts: map[string]map[string]string{}}
	for version, files := range versions {
		scripts := map[string]string{}
		if files["attack.js"] != "" {
			scripts["postinstall"] = "node attack.js"
		}
		manifest, err := json.Marshal(map[string]any{"name": name, "version": version, "main": "index.js", "scripts": scripts})
		if err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		zip := gzip.NewWriter(&packed)
		archive := tar.NewWriter(zip)
		add := func(file, text string) {
			err := archive.WriteHeader(&tar.Header{Name: "package/" + file, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg})
			if err == nil {
				_, err = archive.Write([]byte(text))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		add("package.json", string(manifest))
		for file, text := range files {
			add(file, text)
		}
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		if err := zip.Close(); err != nil {
			t.Fatal(err)
		}
		r.tarballs[version], r.scripts[version] = packed.Bytes(), scripts
	}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// host is the entry of a policy that grants the registry.
func (r *registry) host() string { return strings.TrimPrefix(r.URL, "http://") }

func (r *registry) tarball(version string) string {
	return r.URL + "/" + r.name + "/-/" + r.name + "-" + version + ".tgz"
}

func (r *registry) integrity(version string) string {
	sum := sha512.Sum512(r.tarballs[version])
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

func (r *registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.asked = append(r.asked, req.URL.Path)
	r.mu.Unlock()
	if req.URL.Path == "/"+r.name {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(r.packument())
		return
	}
	version, ok := strings.CutPrefix(path.Base(req.URL.Path), r.name+"-")
	data := r.tarballs[strings.TrimSuffix(version, ".tgz")]
	if !ok || data == nil {
		http.NotFound(w, req)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Write(data)
}

// packument is what the registry says of the package.
func (r *registry) packument() any {
	versions := map[string]any{}
	for version, data := range r.tarballs {
		sum := sha1.Sum(data)
		versions[version] = map[string]any{
			"name": r.name, "version": version, "main": "index.js",
			"scripts": r.scripts[version], "hasInstallScript": len(r.scripts[version]) > 0,
			"dist": map[string]string{"tarball": r.tarball(version), "shasum": hex.EncodeToString(sum[:]), "integrity": r.integrity(version)},
		}
	}
	return map[string]any{"name": r.name, "dist-tags": map[string]string{"latest": "1.0.0"}, "versions": versions}
}

// served reports whether a version was fetched.
func (r *registry) served(version string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.asked, strings.TrimPrefix(r.tarball(version), r.URL))
}
