package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// A WasmModule is a WebAssembly module that a bundle imports.
type WasmModule struct {
	Name   string // what Code has for it: the SHA-256 of Binary in hex
	Binary []byte
}

// loadWasm makes the module that stands for a .wasm file: its default export is a
// WebAssembly.Module, as on Workers, that the runtime makes of the file when the
// importing module is evaluated.
func (b *bundler) loadWasm(name string) (api.OnLoadResult, error) {
	data, err := b.load(name)
	if err != nil {
		return loadProblem(err)
	}
	if len(data) < 8 || string(data[:4]) != "\x00asm" {
		return loadProblem(failure(name, "The file is no WebAssembly module", ""))
	}
	sum := sha256.Sum256(data)
	id := hex.EncodeToString(sum[:])
	b.mu.Lock()
	b.wasm[id] = data
	b.mu.Unlock()
	r := source(fmt.Sprintf("export default /* @__PURE__ */ globalThis.__samkit_wasm(%q);", id), api.LoaderJS)
	return r, nil
}

// wasmModules returns the modules that code names still, sorted.
func (b *bundler) wasmModules(code []byte) []WasmModule {
	var list []WasmModule
	for id, data := range b.wasm {
		if bytes.Contains(code, []byte(id)) {
			list = append(list, WasmModule{id, data})
		}
	}
	slices.SortFunc(list, func(a, b WasmModule) int { return strings.Compare(a.Name, b.Name) })
	return list
}
