package workbench

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"
	"testing"
	"time"

	"samkit.dev/host"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/wasi"
)

// An agent runs commands on the files of a project: HOST.cmd.run.
func ExampleOptions_commands() {
	ctx := context.Background()
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	runner, err := wasi.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer runner.Close()
	bench, err := New(ctx, sam.NewWorkspace(sam.NewMemStore(), "ada", nil), eng, &Options{Commands: runner})
	if err != nil {
		log.Fatal(err)
	}
	defer bench.Close()
	for _, id := range []sam.ProjectID{"notes", "bot"} {
		if _, err := bench.Create(ctx, id, sam.Files{"index.html": "one\ntwo\n"}); err != nil {
			log.Fatal(err)
		}
	}
	if err := bench.SetAgent(ctx, "bot"); err != nil {
		log.Fatal(err)
	}
	for _, args := range []string{
		`{"project":"notes","argv":["sed","-i","s/two/three/","index.html"]}`,
		`{"project":"notes","argv":["grep","-n","t","index.html"]}`,
		`{"project":"notes","argv":["grep t index.html | wc"]}`,
	} {
		out, err := bench.Host().Call(ctx, "cmd.run", json.RawMessage(args))
		fmt.Printf("%s %v\n", out, err)
	}
	// Output:
	// {"exitCode":0,"stdout":"","stderr":""} <nil>
	// {"exitCode":0,"stdout":"2:three\n","stderr":""} <nil>
	//  invalid: argv[0] is not the name of a command: cmd.run reads no shell syntax.
}

func TestCmdRun(t *testing.T) {
	s, call := withAgent(t, Options{Commands: commands()})
	notes, err := s.Workspace().Open(t.Context(), "notes")
	if err != nil {
		t.Fatal(err)
	}
	if err := notes.WriteFile(t.Context(), "src/a.txt", []byte("hello\n")); err != nil {
		t.Fatal(err)
	}
	run := func(args m) answer { return call("cmd.run", args) }
	argv := func(line string) []string { return strings.Fields(line) }
	for line, want := range map[string]string{
		"cat src/a.txt":                          `{"exitCode":0,"stdout":"hello\n","stderr":""}`,
		"cat nothing":                            `"exitCode":1`,
		"nothing":                                `{"exitCode":127,"stdout":"","stderr":"nothing: command not found\n"}`,
		"env sh -c true":                         `"exitCode":126`,
		"xargs sh -c":                            `"exitCode":126`,
		"find . -name a.txt -exec sh {} ;":       `not permitted`,
		"timeout 5 bash -c true":                 `"exitCode":126`,
		"rg -c hello":                            `src/a.txt:1`,
		"sh -c true":                             "denied",
		"/bin/bash -c true":                      "denied",
		"cat;ls":                                 "invalid",
		"cat|ls x":                               "invalid",
		"echo $(ls)":                             `$(ls)`, // an argument is what it is
		"sleep 100":                              "wait",  // below
		"dd if=/dev/zero bs=1000 count=1000":     `"truncated":true`,
		"printf \\303x":                          `\ufffdx`,
		"env -i env":                             `"stdout":""`,
		"cat /project/src/../../../etc/passwd":   `"exitCode":1`,
		"awk BEGIN{while(1);}":                   "wait",
		"test -e /project/src/a.txt -a -d /tmp/": `"exitCode":0`,
	} {
		args := m{"argv": argv(line)}
		if want == "wait" {
			args["timeoutMs"], want = 50, `"exitCode":124`
		}
		if a := run(args); !strings.Contains(strings.ReplaceAll(a.String(), "\uFFFD", `\ufffd`), want) && a.Code != want {
			t.Errorf("%s: %.300s, want %s", line, a, want)
		}
	}
	for name, args := range map[string]m{
		"a string": {"argv": "ls -l"}, "nothing": {"argv": []string{}}, "empty": {"argv": []string{""}}, "two words": {"argv": []string{"ls -l"}}, "a folder outside": {"argv": argv("ls"), "cwd": "../x"},
		"quotes": {"argv": []string{"'ls'"}}, "too many": {"argv": make([]string, maxCmdArgs+1)}, "a time": {"argv": argv("ls"), "timeoutMs": -1}, "no argv": {},
	} {
		if a := run(args); a.Code != "invalid" {
			t.Errorf("%s: %s", name, a)
		}
	}
	has(t, "cwd", run(m{"argv": argv("ls"), "cwd": "/src/"}), `a.txt\n`)
	has(t, "stdin", run(m{"argv": argv("tr a-z A-Z"), "stdin": "piped"}), "PIPED")
	has(t, "the flat name", call("runCmd", m{"argv": argv("wc -c"), "stdin": "123"}), `3\n`)
	has(t, "a file, failing", run(m{"argv": argv("tee kept.txt /nowhere/x"), "stdin": "x"}), `"exitCode":1`)
	has(t, "a file, failing, atomic", run(m{"argv": argv("tee lost.txt /nowhere/x"), "stdin": "x", "atomic": true}), `"exitCode":1`)
	has(t, "what is left", run(m{"argv": argv("find . -name *.txt")}), `./kept.txt\n./src/a.txt\n`)
	has(t, "the queue", call("cmd.queue", m{}), `{"jobs":[]}`)

	// Its own files it may read and not change, by whatever command.
	has(t, "its own", run(m{"project": "bot", "argv": argv("grep -c export functions.js")}), `"exitCode":0`)
	for _, line := range []string{"tee functions.js", "rm functions.js", "mv functions.js f.js", "sed -i s/a/b/ functions.js", "find . -name functions.js -exec rm {} ;", "touch new.txt", "sqlite3 x.db create\u00a0table\u00a0t(a)", "xargs rm"} {
		words := argv(line)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "\u00a0", " ")
		}
		if a := run(m{"project": "bot", "argv": words, "stdin": "functions.js\n"}); a.Code != "denied" {
			t.Errorf("%s on its own files: %s", line, a)
		}
	}
	bot, err := s.Workspace().Open(t.Context(), "bot")
	if err != nil {
		t.Fatal(err)
	}
	for f, err := range bot.Files(t.Context(), "") {
		if err != nil || f.Name != "index.html" && f.Name != "functions.js" && f.Name != "prompt.md" {
			t.Errorf("the agent has a file %s, %v", f.Name, err)
		}
	}
}

// The person's command comes first if it came first, and each hears of the other.
func TestPersonAndAgentTakeTurns(t *testing.T) {
	s, _ := withAgent(t, Options{Commands: commands()})
	ctx := t.Context()
	v := view(t, s.Bench, "notes")
	if err := v.Enter("echo one >>order; cat; echo two >>order"); err != nil {
		t.Fatal(err)
	}
	v.until("the person's command runs", func() bool { return v.last.Busy && !v.last.Waits })
	type result struct {
		out json.RawMessage
		err error
	}
	run := func(ctx context.Context, args string) chan result {
		done := make(chan result, 1)
		go func() {
			out, err := s.Host().Call(ctx, "cmd.run", json.RawMessage(args))
			done <- result{out, err}
		}()
		return done
	}
	agent := run(ctx, `{"argv":["sed","-i","$a three","order"]}`)
	v.until("the agent waits", func() bool { return len(v.last.Jobs) == 2 })
	if j := v.last.Jobs[1]; !j.Agent || j.Command != `sed -i '$a three' order` || j.Project != "notes" {
		t.Errorf("who waits is %+v", j)
	}
	// One who gives up, and one who is stopped by the person, leave the queue in order.
	gone, cancel := context.WithCancel(ctx)
	second := run(gone, `{"argv":["rm","order"]}`)
	v.until("another waits", func() bool { return len(v.last.Jobs) == 3 })
	cancel()
	if r := <-second; r.err == nil {
		t.Errorf("one who gave up: %s", r.out)
	}
	v.until("it has left", func() bool { return len(v.last.Jobs) == 2 })
	third := run(ctx, `{"argv":["rm","order"]}`)
	v.until("a third waits", func() bool { return len(v.last.Jobs) == 3 })
	s.Interrupt(v.last.Jobs[2].ID)
	if r := <-third; code(r.err) != host.Unavailable {
		t.Errorf("one who was stopped: %s, %v", r.out, r.err)
	}
	select {
	case r := <-agent:
		t.Fatalf("the agent did not wait: %s, %v", r.out, r.err)
	default:
	}
	v.EndInput()
	r := <-agent
	if r.err != nil || !strings.Contains(string(r.out), `"exitCode":0`) || !strings.Contains(string(r.out), `"waitedFor":["echo one`) {
		t.Errorf("the agent: %s, %v", r.out, r.err)
	}
	if got := v.enter("cat order"); !strings.HasSuffix(got, "one\ntwo\nthree\n") {
		t.Errorf("the order is %q", got)
	}
	// The agent's command goes on while the person waits, who may give up.
	agent = run(ctx, `{"argv":["sleep","100"],"timeoutMs":300000}`)
	v.until("the agent's command runs", func() bool { return len(v.last.Jobs) == 1 })
	if err := v.Enter("ls"); err != nil {
		t.Fatal(err)
	}
	v.until("the person waits", func() bool { return v.last.Waits && len(v.last.Jobs) == 2 })
	v.Interrupt("")
	v.until("and no more", func() bool { return !v.last.Busy })
	s.Interrupt(v.last.Jobs[0].ID)
	if r := <-agent; r.err != nil || !strings.Contains(string(r.out), `"exitCode":130`) {
		t.Errorf("the agent's command was stopped: %s, %v", r.out, r.err)
	}
}

// A command of an agent that loses its role ends, and writes nothing more.
func TestCmdEndsWithTheRole(t *testing.T) {
	s, _ := withAgent(t, Options{Commands: commands()})
	v := view(t, s.Bench, "notes")
	done := make(chan error, 1)
	go func() {
		_, err := s.Host().Call(t.Context(), "cmd.run", json.RawMessage(`{"argv":["awk","BEGIN { print \"x\" >\"late.txt\"; fflush(); while (1); }"]}`))
		done <- err
	}()
	v.until("it runs", func() bool { return len(v.last.Jobs) == 1 && strings.HasPrefix(v.last.Jobs[0].Command, "awk") })
	if err := s.SetAgent(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-done:
		if code(err) != host.Denied {
			t.Errorf("the former agent hears %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it goes on")
	}
	v.until("it has ended", func() bool { return len(v.last.Jobs) == 0 })
	if got := v.enter("ls late.txt"); !strings.Contains(got, "No such file") {
		t.Errorf("it wrote: %q", got)
	}
}
