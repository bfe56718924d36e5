package jsrt

import (
	"reflect"
	"sync"
)

// exported has the indices of the fields of struct types that walks over trees follow: those that are exported, but for lists
// of declarations, whose nodes are those of statements. Walks ask at every node, and reflection makes a description of each field to answer.
var exported sync.Map // reflect.Type to []int

func exportedFields(t reflect.Type) []int {
	if known, ok := exported.Load(t); ok {
		return known.([]int)
	}
	var list []int
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && f.Name != "DeclarationList" {
			list = append(list, i)
		}
	}
	exported.Store(t, list)
	return list
}
