package workbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"samkit.dev/host"
	"samkit.dev/wasi"
)

// definePython registers env.HOST.python.
func definePython(b *Bench, c *host.Capability) {
	if b.hasPython() {
		host.Register(c, "run", "Runs Python on the files of a project, such as {code: \"import csv; len(open('a.csv').readlines())\"}, and returns what it printed, with the value of the last expression. Variables stay for the next call, and are shared with the person's Python of that project. There are no network, threads and processes.", runPython)
	}
}

func (b *Bench) hasPython() bool {
	return b.opts.Commands != nil && slices.Contains(b.opts.Commands.Commands(), "python3")
}

type pythonIn struct {
	runOptions
	Code string   `json:"code,omitempty" jsonschema:"a cell, as of a notebook; its first lines may be %run FILE and %pip install NAME"`
	File string   `json:"file,omitempty" jsonschema:"instead of code, a file of the project to run as a program"`
	Args []string `json:"args,omitempty" jsonschema:"sys.argv of file, from 1 on"`
}

type pythonOut struct {
	ExitCode int `json:"exitCode" jsonschema:"1 after an exception, whose traceback is in stderr, what exit was called with, 124 after timeoutMs, 130 if a person stopped it, 134 if the interpreter crashed"`
	printed
	Anew bool `json:"anew,omitempty" jsonschema:"nothing was defined before: the interpreter began with this call"`
}

// runPython is python.run. What an agent runs where it may not write runs in an interpreter of its own: see interpreter.
func runPython(ctx context.Context, in pythonIn) (pythonOut, error) {
	words := "python3 -c " + commandWords([]string{strings.TrimSpace(in.Code)})
	var err error
	switch {
	case (in.Code == "") == (in.File == ""):
		err = &host.Error{Code: host.Invalid, Message: "Give either code or file."}
	case in.File == "" && in.Args != nil:
		err = &host.Error{Code: host.Invalid, Message: "args are those of file.", Hint: "Code has variables."}
	case len(in.Args) > maxCmdArgs:
		err = &host.Error{Code: host.Invalid, Message: fmt.Sprintf("There are more than %d args.", maxCmdArgs)}
	case in.File != "":
		if in.File = strings.TrimPrefix(in.File, "/"); !fs.ValidPath(in.File) {
			err = &host.Error{Code: host.Invalid, Message: fmt.Sprintf("%q is no file of the project.", shorten(in.File, 0, 100)), Hint: `Such as "src/main.py".`}
		}
		words = commandWords(append([]string{"python3", in.File}, in.Args...))
	}
	var s *session
	if err == nil {
		s, err = sessionOf(ctx)
	}
	if err != nil {
		return pythonOut{}, err
	}
	if err := s.b.opts.Commands.Prepare("python3"); err != nil { // it is compiled once, in nobody's time and turn
		return pythonOut{}, toHost(err)
	}
	var out pythonOut
	var at *interpreter
	out.ExitCode, out.printed, err = runJob(ctx, in.runOptions, words, func(ctx context.Context, s *session, files *agentFiles, stdin io.Reader, stdout, stderr io.Writer) error {
		var err error
		if at, err = s.b.python(ctx, files.p, s); err != nil {
			return err
		}
		call := &wasi.PythonCall{Files: files, Args: in.Args, Stdin: stdin, Stdout: stdout, Stderr: stderr}
		out.Anew = !at.began
		at.began = true
		if in.File != "" {
			err = at.RunFile(ctx, in.File, call)
		} else {
			err = at.Run(ctx, in.Code, call)
		}
		if at.over() {
			return &host.Error{Code: host.Unavailable, Message: "The interpreter ended: " + at.why}
		}
		if errors.Is(err, wasi.ErrPythonLost) {
			at.began = false
			fmt.Fprintln(stderr, lostVariables)
		}
		return err
	})
	if err != nil {
		return pythonOut{}, err
	}
	return out, nil
}
