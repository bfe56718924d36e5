package e2e

import (
	"bufio"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// serveCommand builds examples/serve once, in the folder of TestMain.
var serveCommand = sync.OnceValues(func() (string, error) {
	name := filepath.Join(workDir, "serve")
	cmd := exec.Command("go", "build", "-o", name, "./examples/serve")
	cmd.Dir, cmd.Stderr = "../..", os.Stderr
	return name, cmd.Run()
})

// serve shows a fixture of examples/serve, or a folder by its absolute path, in a tab, as people do.
func serve(t *testing.T, args ...string) *tab {
	t.Helper()
	chromium(t) // before the work of building
	command, err := serveCommand()
	if err != nil {
		t.Fatal(err)
	}
	if folder := &args[len(args)-1]; !filepath.IsAbs(*folder) {
		*folder = filepath.Join("../../examples/serve/testdata", *folder)
	}
	cmd := exec.Command(command, append([]string{"-addr", "127.0.0.1:0"}, args...)...)
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		late := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
		defer late.Stop()
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("serve ended with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	page := strings.TrimPrefix(strings.TrimSpace(line), "serving ")
	u, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	b := newTab(t, u.Host)
	b.open(page)
	return b
}

func TestServeHono(t *testing.T) {
	b := serve(t, "hono")
	b.until(`document.querySelector("#visits").textContent === "Visit number 1"`)
	eval[any](b, `{ const f = document.querySelector("form"); f.name.value = "Ada"; f.text.value = "hello"; f.requestSubmit(); null }`)
	b.until(`document.querySelector("#entries").textContent === "Adahello"`)
	b.shot("hono")
	b.clean()
}

// Vite's own loader makes links to "/assets/…" at run time, for chunks and their styles.
func TestServeViteBuildBelowAPrefix(t *testing.T) {
	b := serve(t, "-prefix", "/p/", "vite/dist")
	b.until(`document.querySelectorAll("li button").length === 4`)
	b.until(`document.querySelector("h1 img").naturalWidth > 0`)
	b.until(`getComputedStyle(document.body).backgroundColor === "rgb(18, 24, 43)"`)
	b.click("button", "Titan")
	b.until(`document.querySelector(".details")?.innerText.includes("A moon of Saturn")`)
	b.until(`getComputedStyle(document.querySelector(".details")).borderLeftWidth === "4px"`)
	b.shot("vite")
	b.clean()
}

func TestServeGame(t *testing.T) {
	b := serve(t, "game")
	b.until(`document.body.dataset.ready === "yes"`)
	b.until(`document.fonts.check("48px Score", "0")`)
	b.click("#sound", "Sound on")
	b.until(`document.querySelector("#sound").textContent === "Sound off"`)
	eval[any](b, `dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" })), null`)
	b.until(`document.querySelector("#score").textContent !== "0"`)
	b.shot("game")
	b.clean()
}

func TestServeWorker(t *testing.T) {
	b := serve(t, "-var", "TITLE=Links of mine", "worker")
	b.until(`document.querySelector("h1").textContent === "Links of mine"`)
	eval[any](b, `{ const f = document.querySelector("form"); f.to.value = "https://example.com/a"; f.requestSubmit(); null }`)
	b.until(`/^l\/\w{7}$/.test(document.querySelector("#result").textContent)`)
	b.shot("worker")
	b.clean()
}
