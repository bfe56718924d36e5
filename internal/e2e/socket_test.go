package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// A page in an opaque origin talks to functions.js over a WebSocket, also below
// a prefix and by the URL that it would have at the root of a host.
func TestWebSocketFromAPage(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"index.html": `<!doctype html><title>Chat</title><ol></ol><script>
			const say = (s) => document.querySelector("ol").append(Object.assign(document.createElement("li"), { textContent: s }))
			const ws = new WebSocket(new URL("/api/chat", location.href))
			ws.binaryType = "arraybuffer"
			ws.onopen = () => { ws.send("hi"); ws.send(new Uint8Array([1, 2])) }
			ws.onmessage = ({ data }) => { say(typeof data === "string" ? data : "bytes " + new Uint8Array(data)); if (data === "HI") ws.send("bye") }
			ws.onclose = (e) => say("closed " + e.code + " " + e.reason)
		</script>`,
		"functions.js": `export default { fetch(request) {
			const [client, server] = Object.values(new WebSocketPair())
			server.accept()
			server.addEventListener("message", ({ data }) => {
				if (data === "bye") setTimeout(() => server.close(4000, "so long"), 5)
				else server.send(typeof data === "string" ? data.toUpperCase() : data)
			})
			return new Response(null, { status: 101, webSocket: client })
		} }`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := serve(t, "-prefix", "/p/", dir)
	b.until(`document.querySelector("ol").innerText.replaceAll("\n", "|") === "HI|bytes 1,2|closed 4000 so long"`)
	if origin := eval[string](b, `self.origin`); origin != "null" {
		t.Errorf("the page's origin is %s", origin)
	}
	b.clean()
}
