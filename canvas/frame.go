package canvas

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"strings"

	"samkit.dev/internal/bundle"
)

//go:embed frame.js
var frameSource []byte

const frameStyle = `:root{color-scheme:light dark}html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block;overflow:hidden}`

// A framer is the page that frames an app. Nothing but its own script runs in
// it, and its frame shows nothing but the app.
type framer struct {
	script string
	policy string // but for frame-src
}

func newFramer(frames []string) (*framer, error) {
	code, err := bundle.Minify(frameSource)
	if err != nil {
		return nil, fmt.Errorf("canvas: the framing page's script: %w", err)
	}
	script := strings.TrimSpace(string(code))
	return &framer{script, "default-src 'none'; script-src " + hashSource(script) + "; style-src " + hashSource(frameStyle) +
		"; base-uri 'none'; form-action 'none'; frame-ancestors " + strings.Join(append([]string{"'self'"}, frames...), " ")}, nil
}

func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// framePrefix starts the paths of the framing page; what follows is what it frames.
const framePrefix = "~frame/"

// framing answers with the page that frames the app.
func (v *visit) framing() {
	if !v.reads() {
		return
	}
	rest, ok := strings.CutPrefix(v.loc.name, framePrefix)
	if !ok {
		v.redirect(http.StatusTemporaryRedirect, "./"+framePrefix+query(v.r))
		return
	}
	if strings.HasPrefix(rest, "~") {
		v.notFound()
		return
	}
	root := v.base.root
	if v.loc.token != "" { // another token of the same app may come
		root = strings.TrimSuffix(root, v.loc.token+"/")
	}
	app := v.loc.rel() + escape(rest)
	sources, key := "'none'", ""
	if plainHost(v.base.host) {
		sources = v.base.scheme + "://" + v.base.host + sourcePath(root)
	}
	sandbox := "allow-scripts allow-forms allow-modals allow-downloads"
	switch v.h.opts.Origin {
	case Own:
		sources += " " + v.h.own.origin(v.h.own.label(v.app.Project))
		sandbox += " allow-same-origin"
		if v.h.asksWho() && v.loc.token == "" {
			// On its way back from the app's host the frame shows no SameSite cookie in Firefox.
			app = v.loc.rel() + v.h.token(v.app, v.who) + "/" + escape(rest)
		}
	case Trusted:
		sandbox += " allow-same-origin"
	default:
		sum := sha256.Sum256([]byte(v.who.Principal))
		key = root + "#" + hex.EncodeToString(sum[:8])
	}
	f := v.h.framer
	page := fmt.Sprintf(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%s</title><style>%s</style><body>`+
		`<script data-app="%s" data-key="%s" data-max="%d" data-sandbox="%s" data-title="%[1]s">%[7]s</script>`,
		html.EscapeString(string(v.app.Project.ID())), frameStyle, html.EscapeString(app), html.EscapeString(key), maxFramed, sandbox, f.script)
	h := v.begin()
	h["Content-Security-Policy"] = []string{f.policy + "; frame-src " + sources}
	h["Cross-Origin-Resource-Policy"] = valSameOrigin
	delete(h, "Access-Control-Allow-Origin")
	h["Cache-Control"] = valNoStore
	h["Content-Type"] = []string{"text/html; charset=utf-8"}
	h["Content-Length"] = []string{strconv.Itoa(len(page))}
	v.w.WriteHeader(http.StatusOK)
	if v.r.Method != http.MethodHead {
		v.w.Write([]byte(page))
	}
}
