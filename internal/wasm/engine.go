package wasm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"weak"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Options configures an [Engine]. Nil is the zero Options.
type Options struct {
	// Interpret runs modules in an interpreter, 10 to 50 times slower. It is for
	// processes that must not make memory executable; a platform without a
	// compiler does so by itself.
	Interpret bool
	// Interruptible lets Store.Interrupt stop running code, at a cost in every
	// loop and call. Without it only the end of the process stops a loop.
	Interruptible bool
}

// An Engine keeps machine code, so that a module that is compiled again, in this
// store or another, is only read. It is safe for concurrent use.
type Engine struct {
	cache         wazero.CompilationCache
	config        wazero.RuntimeConfig
	interruptible bool
}

// features are those of V8 by default that the compiler has; not exceptions and typed
// references, whose references the collector does not see.
const features = api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall | experimental.CoreFeaturesExtendedConst

// NewEngine returns an engine. It costs little until a module is compiled.
func NewEngine(opts *Options) *Engine {
	var o Options
	if opts != nil {
		o = *opts
	}
	config := wazero.NewRuntimeConfig()
	if o.Interpret {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	cache := wazero.NewCompilationCache()
	config = config.WithCompilationCache(cache).WithCoreFeatures(features).WithDebugInfoEnabled(false).WithCloseOnContextDone(o.Interruptible)
	return &Engine{cache: cache, config: config, interruptible: o.Interruptible}
}

// Close gives machine code back. No store of the engine may run any more.
func (e *Engine) Close() error { return e.cache.Close(context.Background()) }

// A Store is one world of modules and instances. It belongs to one goroutine at a
// time.
type Store struct {
	engine *Engine
	rt     wazero.Runtime
	ctx    context.Context // of all code that runs; it ends when the store is interrupted
	stop   context.CancelFunc
	limit  int64
	used   *atomic.Int64 // bytes of memories and tables

	depth             int // of calls into code
	args              []uint64
	types             map[string]*typeInfo
	unknown           []*typeInfo // whose number in the store is not known
	byID              map[uint32]*typeInfo
	byRef             map[refKey]*Func // that came out of calls
	found             uint32
	seen, interpreted bool // where functions run
	holders           []weak.Pointer[holder]
	helpers           map[string]wazero.CompiledModule // of tables
	pinned            map[*Instance]bool
	modules           map[[32]byte]weak.Pointer[Module]
}

// A holder is something that can hold references to values of the host.
type holder struct {
	tables  []*Table
	globals []*Global
}

// NewStore returns a store whose memories and tables may have limit bytes
// together; 0 means 4 GiB.
func (e *Engine) NewStore(limit int64) *Store {
	if limit <= 0 {
		limit = 4 << 30
	}
	s := &Store{
		engine: e, rt: wazero.NewRuntimeWithConfig(context.Background(), e.config), limit: limit, used: &atomic.Int64{},
		types: map[string]*typeInfo{}, byID: map[uint32]*typeInfo{}, byRef: map[refKey]*Func{}, helpers: map[string]wazero.CompiledModule{}, pinned: map[*Instance]bool{}, modules: map[[32]byte]weak.Pointer[Module]{},
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// Interrupt makes code that runs, and code that is called from then on, end with
// [ErrInterrupted], if the engine is interruptible. It may be called from any goroutine.
func (s *Store) Interrupt() { s.stop() }

// Running reports whether code of the store is being run.
func (s *Store) Running() bool { return s.depth > 0 }

// ErrInterrupted is how code ends that was interrupted.
var ErrInterrupted = errors.New("wasm: interrupted")

// ErrMemory reports that the store's limit leaves no room.
//
//lint:ignore ST1005 JavaScript sees it in V8's words.
var ErrMemory = errors.New("Out of memory: Cannot allocate Wasm memory for new instance")

// reserve takes bytes from what the store may use. What instances left behind is
// collected first, if there is not enough.
func (s *Store) reserve(n int64) bool {
	if s.take(n) {
		return true
	}
	if n > s.limit {
		return false
	}
	for range 2 {
		runtime.GC()
		for range 20 { // clean-ups follow it, in goroutines of their own
			if s.take(n) {
				return true
			}
			time.Sleep(50 * time.Microsecond)
		}
	}
	return false
}

func (s *Store) take(n int64) bool {
	if s.used.Add(n) <= s.limit {
		return true
	}
	s.used.Add(-n)
	return false
}

// A Module is a compiled module.
type Module struct {
	Imports []Import
	Exports []Export
	Custom  []CustomSection

	store    *Store
	code     wazero.CompiledModule
	sizes    int64 // bytes of memories and tables at the start
	memory   *Limits
	tables   []TableType
	globals  []GlobalType
	imported [4]uint32
	types    []FuncType
	funcs    []uint32
	leaks    bool // references to its functions may go where nobody counts them
}

// A CompileError is a binary that is no valid module.
type CompileError struct{ Text string }

func (e *CompileError) Error() string { return "wasm: " + e.Text }

// Compile compiles a module. The error is a [*CompileError].
func (s *Store) Compile(binary []byte) (*Module, error) {
	if len(binary) > maxBinary {
		return nil, &CompileError{fmt.Sprintf("size %d > maximum module size %d", len(binary), maxBinary)}
	}
	sum := sha256.Sum256(binary)
	if m := s.modules[sum].Value(); m != nil {
		return m, nil
	}
	p, err := parse(binary)
	if err != nil {
		return nil, &CompileError{err.Error()}
	}
	code, err := s.rt.CompileModule(s.ctx, p.rewrite(s.engine.interruptible))
	if err != nil {
		return nil, &CompileError{err.Error()}
	}
	m := &Module{
		Imports: p.imports, Exports: p.exports, Custom: p.custom,
		store: s, code: code, tables: p.tables, globals: p.globals, imported: p.imported, types: p.types, funcs: p.funcs,
	}
	for _, t := range p.tables[p.imported[TableKind]:] {
		m.sizes += tableBytes(t.Min)
	}
	if len(p.memories) > int(p.imported[MemoryKind]) {
		m.memory = &p.memories[p.imported[MemoryKind]]
	}
	m.leaks = m.mayLeak()
	s.learn(p.types)
	runtime.AddCleanup(m, func(code wazero.CompiledModule) { code.Close(context.Background()) }, code)
	s.modules[sum] = weak.Make(m)
	if len(s.modules) > 256 {
		for k, w := range s.modules {
			if w.Value() == nil {
				delete(s.modules, k)
			}
		}
	}
	return m, nil
}

// mayLeak reports whether references to functions of an instance can come to
// places that do not keep it. Those of the tables it shares do.
func (m *Module) mayLeak() bool {
	carries := func(d *Desc) bool {
		return d.Kind == FuncKind && d.Func.mentions(FuncRef) || d.Kind == GlobalKind && d.Global.Val == FuncRef
	}
	for i := range m.Imports {
		if carries(&m.Imports[i].Desc) {
			return true
		}
	}
	for i := range m.Exports {
		if carries(&m.Exports[i].Desc) {
			return true
		}
	}
	return false
}

func tableBytes(n uint32) int64 { return int64(n) * 8 }

// small compiles a module of our own.
func (s *Store) small(w *builder) (wazero.CompiledModule, error) {
	code, err := s.rt.CompileModule(s.ctx, w.binary())
	if err != nil {
		return nil, fmt.Errorf("wasm: a module for linking: %w", err)
	}
	return code, nil
}

// start instantiates a compiled module; what it imports comes from resolve.
func (s *Store) start(code wazero.CompiledModule, resolve experimental.ImportResolver, mem *linear) (api.Module, error) {
	ctx := s.ctx
	if resolve != nil {
		ctx = experimental.WithImportResolver(ctx, resolve)
	}
	if mem != nil {
		ctx = experimental.WithMemoryAllocator(ctx, mem)
	}
	return s.rt.InstantiateModule(ctx, code, wazero.NewModuleConfig().WithName("").WithStartFunctions())
}
