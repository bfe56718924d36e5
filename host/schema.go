package host

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// A schema is what a Go type tells about its JSON.
type schema struct {
	json  json.RawMessage
	shape *shape
}

func inferSchema(t reflect.Type, input bool) (*schema, error) {
	w := typeWalk{input: input, special: map[reflect.Type]*jsonschema.Schema{}, open: map[reflect.Type]bool{}}
	shape, err := w.walk(t)
	if err != nil {
		return nil, err
	}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: w.special})
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return &schema{data, shape}, nil
}

// resolve checks a schema and makes it ready to validate with.
func resolve(data json.RawMessage) (json.RawMessage, *jsonschema.Resolved, error) {
	if len(data) == 0 {
		data = json.RawMessage("true")
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, nil, fmt.Errorf("not a JSON Schema: %w", err)
	}
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	return data, r, err
}

// A typeWalk visits a type as encoding/json does. It collects schemas for
// types that package jsonschema takes for something else than what
// encoding/json makes of them, and the places of integers.
type typeWalk struct {
	input   bool
	special map[reflect.Type]*jsonschema.Schema
	open    map[reflect.Type]bool // types being walked, to find recursion
}

var (
	timeType   = reflect.TypeFor[time.Time]()
	bigIntType = reflect.TypeFor[big.Int]()

	marshaler       = reflect.TypeFor[json.Marshaler]()
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func (w *typeWalk) walk(t reflect.Type) (*shape, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s, sh := w.known(t); s != nil {
		w.special[t] = s
		return sh, nil
	}
	if t.Name() != "" {
		if w.open[t] {
			return nil, fmt.Errorf("type %v is recursive; describe it with Capability.Add", t)
		}
		w.open[t] = true
		defer delete(w.open, t)
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uintptr:
		return &shape{kind: number}, nil
	case reflect.Interface:
		if w.input && t.NumMethod() > 0 {
			return nil, fmt.Errorf("encoding/json cannot decode into interface %v", t)
		}
		return nil, nil
	case reflect.Slice, reflect.Array:
		elem, err := w.walk(t.Elem())
		return list(elem), err
	case reflect.Map:
		elem, err := w.walk(t.Elem())
		return dictionary(elem), err
	case reflect.Struct:
		return w.structure(t)
	}
	return nil, nil // package jsonschema refuses what is wrong here
}

// known returns the schema of a type with a JSON form of its own.
func (w *typeWalk) known(t reflect.Type) (*jsonschema.Schema, *shape) {
	is := func(i reflect.Type) bool { return t.Implements(i) || reflect.PointerTo(t).Implements(i) }
	switch {
	case t == timeType:
		return &jsonschema.Schema{Type: "string", Format: "date-time"}, nil
	case t == bigIntType:
		return wideSchema(), &shape{kind: wide}
	case t.Kind() == reflect.Interface:
		return nil, nil
	case is(marshaler) || is(unmarshaler):
		// All types rather than {}: of {} package jsonschema makes null alone
		// when there is a pointer to the type.
		return &jsonschema.Schema{Types: []string{"null", "boolean", "number", "string", "array", "object"}}, nil
	case is(textMarshaler) || is(textUnmarshaler):
		return &jsonschema.Schema{Type: "string"}, nil
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !customElem(t.Elem()):
		return &jsonschema.Schema{Types: []string{"null", "string"}, ContentEncoding: "base64"}, nil
	case t.Kind() == reflect.Int64 || t.Kind() == reflect.Uint64:
		return wideSchema(), &shape{kind: wide}
	}
	return nil, nil
}

// customElem reports whether encoding/json takes a slice of t, a byte type,
// for a list and not for bytes.
func customElem(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(marshaler) || p.Implements(textMarshaler)
}

func wideSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Types: []string{"integer", "string"}, Pattern: `^-?[0-9]{1,40}$`,
		Description: "an integer; beyond 9007199254740991 as a string of decimal digits",
	}
}

func (w *typeWalk) structure(t reflect.Type) (*shape, error) {
	props := map[string]*shape{}
	taken := map[string]bool{}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		if tag == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if f.Anonymous {
			if tagged && name != "" {
				return nil, fmt.Errorf("embedded field %v.%s has a json name; give it a field name too", t, f.Name)
			}
			embedded, err := w.embedded(t, f)
			if err != nil {
				return nil, err
			}
			for k, v := range embedded {
				if !taken[k] {
					props[k] = v
				}
			}
			continue
		}
		if name == "" {
			return nil, fmt.Errorf("field %v.%s has no json name in its tag", t, f.Name)
		}
		if taken[name] {
			return nil, fmt.Errorf("two fields of %v have the json name %q", t, name)
		}
		for option := range strings.SplitSeq(options, ",") {
			if option == "string" {
				return nil, fmt.Errorf(`field %v.%s: the json option "string" is not supported; int64 travels as a string where it must`, t, f.Name)
			}
		}
		s, err := w.walk(f.Type)
		if err != nil {
			return nil, fmt.Errorf("%v.%s: %w", t, f.Name, err)
		}
		taken[name] = true
		props[name] = s
	}
	return object(props), nil
}

// embedded returns the properties that an embedded struct lends to t.
func (w *typeWalk) embedded(t reflect.Type, f reflect.StructField) (map[string]*shape, error) {
	ft := f.Type
	if ft.Kind() == reflect.Pointer {
		ft = ft.Elem()
	}
	if ft.Kind() != reflect.Struct {
		return nil, fmt.Errorf("embedded field %v.%s is no struct", t, f.Name)
	}
	if w.open[ft] {
		return nil, fmt.Errorf("type %v is recursive; describe it with Capability.Add", ft)
	}
	s, err := w.walk(ft)
	if err != nil || s == nil {
		return nil, err
	}
	return s.props, nil
}

// validationError words what package jsonschema found.
func validationError(where string, err error) *Error {
	msg, at := err.Error(), ""
	for {
		rest, ok := strings.CutPrefix(msg, "validating ")
		if !ok {
			break
		}
		loc, text, ok := strings.Cut(rest, ": ")
		if !ok {
			break
		}
		at, msg = loc, text
	}
	return &Error{Code: Invalid, Message: where + ": " + property(at) + clip(msg, 300) + ".", Err: err}
}

// property turns "/properties/a/items/properties/b" into "a[].b: ".
func property(pointer string) string {
	var b strings.Builder
	parts := strings.Split(pointer, "/")
	for i := 1; i < len(parts); i++ {
		switch parts[i] {
		case "properties":
			if i++; i < len(parts) {
				if b.Len() > 0 {
					b.WriteByte('.')
				}
				b.WriteString(strings.NewReplacer("~1", "/", "~0", "~").Replace(parts[i]))
			}
		case "items":
			b.WriteString("[]")
		case "additionalProperties":
			b.WriteString(".*")
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return b.String() + ": "
}

func unmarshalError(where string, err error) *Error {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		at := ""
		if te.Field != "" {
			at = te.Field + ": "
		}
		return &Error{Code: Invalid, Message: clip(fmt.Sprintf("%s: %scannot be %s", where, at, te.Value), 300) + ".", Err: err}
	}
	return &Error{Code: Invalid, Message: where + ": " + clip(err.Error(), 300) + ".", Err: err}
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
