package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// A ContractError reports a value that is not what a stage has to take or to give. It never
// reaches the next stage.
type ContractError struct {
	Stage string
	Input bool // of the stage, rather than its output
	Err   error
}

func (e *ContractError) Error() string {
	what := "output"
	if e.Input {
		what = "input"
	}
	return fmt.Sprintf("task: the %s of stage %s: %v", what, e.Stage, e.Err)
}

// Unwrap returns the cause.
func (e *ContractError) Unwrap() error { return e.Err }

// A contract is what JSON a value may be.
type contract struct {
	schemas []*jsonschema.Resolved
	err     error // why there is none
}

// newContract returns that of a type, and of a schema if there is one.
func newContract(t reflect.Type, extra json.RawMessage) contract {
	var c contract
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: ownForm})
	if err != nil {
		c.err = fmt.Errorf("the type %v has no JSON Schema: %w", t, err)
		return c
	}
	all := []*jsonschema.Schema{s}
	if extra != nil {
		s := new(jsonschema.Schema)
		if err := json.Unmarshal(extra, s); err != nil {
			c.err = fmt.Errorf("not a JSON Schema: %w", err)
			return c
		}
		all = append(all, s)
	}
	for _, s := range all {
		r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
		if err != nil {
			c.err = err
			return c
		}
		c.schemas = append(c.schemas, r)
	}
	return c
}

// ownForm are types of which encoding/json makes something else than their Go structure says.
var ownForm = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[json.RawMessage](): {Types: []string{"null", "boolean", "number", "string", "array", "object"}},
	reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
	reflect.TypeFor[big.Int]():         {Type: "integer"},
	reflect.TypeFor[[]byte]():          {Types: []string{"null", "string"}, ContentEncoding: "base64"},
}

// A validator is a type that checks itself.
type validator interface{ Validate() error }

func (c contract) encode(v any) (json.RawMessage, error) {
	if err := validate(v); err != nil {
		return nil, err
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return data, c.check(data)
}

// decode reads data into the value that v points to.
func (c contract) decode(data json.RawMessage, v any) error {
	if err := c.check(data); err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return err
	}
	return validate(reflect.ValueOf(v).Elem().Interface())
}

func validate(v any) error {
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && r.IsNil() {
		return nil
	}
	if v, ok := v.(validator); ok {
		return v.Validate()
	}
	return nil
}

func (c contract) check(data json.RawMessage) error {
	if c.err != nil {
		return c.err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	var v any
	if err := d.Decode(&v); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	if d.More() {
		return errors.New("not JSON: something follows")
	}
	for _, s := range c.schemas {
		if err := s.Validate(v); err != nil {
			return err
		}
	}
	return nil
}
