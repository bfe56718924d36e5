package sam

import (
	"reflect"
	"runtime"
	"sync"
	"weak"
)

// A gate lets commits of a project's state pass, or keeps them out while the
// state is copied or put back: commits hold it for reading. All handles of a
// project in this process share one.
type gate struct{ sync.RWMutex }

type gateKey struct {
	store Store
	space string
}

// gates has the gates in use. Those that nobody holds any more leave it.
var gates struct {
	mu    sync.Mutex // guards byKey
	byKey map[gateKey]weak.Pointer[gate]
}

// gate returns the project's gate. Most projects never need one.
func (p *Project) gate() *gate {
	if g := p.entry.Load(); g != nil {
		return g
	}
	p.entry.CompareAndSwap(nil, gateOf(p.ws.store, p.name)) // all who come first have the same, while p has it
	return p.entry.Load()
}

// gateOf returns the gate of a space.
func gateOf(s Store, space string) *gate {
	if !reflect.ValueOf(s).Comparable() {
		return &gate{} // a Store that is a value can't be told from others
	}
	key := gateKey{s, space}
	gates.mu.Lock()
	defer gates.mu.Unlock()
	if g := gates.byKey[key].Value(); g != nil {
		return g
	}
	if gates.byKey == nil {
		gates.byKey = map[gateKey]weak.Pointer[gate]{}
	}
	g := &gate{}
	gates.byKey[key] = weak.Make(g)
	runtime.AddCleanup(g, func(key gateKey) {
		gates.mu.Lock()
		defer gates.mu.Unlock()
		if gates.byKey[key].Value() == nil { // else there is another one by now
			delete(gates.byKey, key)
		}
	}, key)
	return g
}
