package task

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"time"
)

// StageOptions declares a stage. Nil means the zero StageOptions.
type StageOptions struct {
	Writes    []string      // patterns, checked against the policy by Define; nil means the policy's Writable
	Artifacts []string      // that it makes; if one is missing the task is Incomplete
	Timeout   time.Duration // zero means the policy's

	// JSON Schemas, in addition to what the types say. Nil asks for nothing more.
	Input, Output json.RawMessage
}

// A Stage turns In into Out, in one step or, joined by [Then], in several. Its contract is
// the two types: a value is encoded as JSON, validated and decoded
// between steps, so that nothing else passes from one to the next. A type with a method
// Validate() error is asked as well.
type Stage[In, Out any] struct {
	steps []*step
}

// A step is one stage of a task, without its types.
type step struct {
	name    string
	opts    StageOptions
	in, out contract
	run     func(ctx context.Context, w *Work, in json.RawMessage) (json.RawMessage, error)
}

// NewStage returns a stage. Its name is letters, digits, "-", "_" and "." and stands in reports. [Define]
// says what is wrong with it.
//
// fn obeys ctx, which ends with the stage's time; the task goes on without
// it when that is over, and w refuses from then on. A panic of fn fails the stage.
func NewStage[In, Out any](name string, fn func(ctx context.Context, w *Work, in In) (Out, error), opts *StageOptions) Stage[In, Out] {
	s := &step{name: name}
	if opts != nil {
		s.opts = *opts
		s.opts.Writes, s.opts.Artifacts = slices.Clone(opts.Writes), slices.Clone(opts.Artifacts)
		s.opts.Input, s.opts.Output = slices.Clone(opts.Input), slices.Clone(opts.Output)
	}
	s.in = newContract(reflect.TypeFor[In](), s.opts.Input)
	s.out = newContract(reflect.TypeFor[Out](), s.opts.Output)
	s.run = func(ctx context.Context, w *Work, data json.RawMessage) (json.RawMessage, error) {
		var in In
		if err := s.in.decode(data, &in); err != nil {
			return nil, &ContractError{Stage: name, Input: true, Err: err}
		}
		out, err := fn(ctx, w, in)
		if err != nil {
			return nil, err
		}
		data, err = s.out.encode(out)
		if err != nil {
			return nil, &ContractError{Stage: name, Err: err}
		}
		return data, nil
	}
	return Stage[In, Out]{[]*step{s}}
}

// Then joins two stages. Types that do not meet do not compile.
func Then[A, B, C any](a Stage[A, B], b Stage[B, C]) Stage[A, C] {
	return Stage[A, C]{slices.Concat(a.steps, b.steps)}
}
