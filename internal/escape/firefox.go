package escape

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// A firefox is driven by WebDriver BiDi.
type firefox struct {
	*process
	wire  *wire
	name  string
	front sync.Mutex // held while a tab is in front to be clicked
}

type firefoxTab struct {
	b             *firefox
	user, context string
}

// Preferences of a profile that asks nobody but the network of the test.
const firefoxPrefs = `
user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", PORT);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", PORT);
user_pref("network.proxy.no_proxies_on", "");
user_pref("network.proxy.allow_hijacking_localhost", true);
user_pref("app.update.enabled", false);
user_pref("app.normandy.enabled", false);
user_pref("browser.newtabpage.enabled", false);
user_pref("browser.safebrowsing.malware.enabled", false);
user_pref("browser.safebrowsing.phishing.enabled", false);
user_pref("browser.safebrowsing.blockedURIs.enabled", false);
user_pref("browser.safebrowsing.downloads.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.page", 0);
user_pref("browser.tabs.unloadOnLowMemory", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("dom.ipc.processCount", 4);
user_pref("dom.max_script_run_time", 0);
user_pref("dom.min_background_timeout_value", 4);
user_pref("dom.timeout.enable_budget_timer_throttling", false);
user_pref("dom.disable_open_during_load", true);
user_pref("extensions.update.enabled", false);
user_pref("geo.provider.network.url", "data:application/json,{\"location\":{\"lat\":1,\"lng\":2},\"accuracy\":3}");
user_pref("media.navigator.streams.fake", true);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("security.default_personal_cert", "");
user_pref("services.settings.server", "data:,#");
user_pref("toolkit.telemetry.enabled", false);
user_pref("toolkit.telemetry.server", "");
`

func startFirefox(ctx context.Context, program, dir string, n *network) (browser, error) {
	u, err := url.Parse(n.proxy)
	if err != nil {
		return nil, err
	}
	prefs := strings.ReplaceAll(firefoxPrefs, "PORT", u.Port())
	if err := os.WriteFile(filepath.Join(dir, "user.js"), []byte(prefs), 0o600); err != nil {
		return nil, err
	}
	p, address, err := spawn(ctx, dir, program, "--headless", "--no-remote", "--profile", dir, "--remote-debugging-port=0", "about:blank")
	if err != nil {
		return nil, err
	}
	b := &firefox{process: p}
	if b.wire, err = dial(ctx, address+"/session", func(message) {}); err != nil {
		p.close()
		return nil, err
	}
	var s struct {
		Capabilities struct{ BrowserVersion string }
	}
	if err := b.wire.call(ctx, "", "session.new", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"acceptInsecureCerts": true, "unhandledPromptBehavior": map[string]any{"default": "accept", "beforeUnload": "accept"},
	}}}, &s); err != nil {
		b.close()
		return nil, err
	}
	b.name = "Firefox/" + s.Capabilities.BrowserVersion
	return b, nil
}

func (b *firefox) version() string { return b.name }

func (b *firefox) close() {
	b.wire.close()
	b.process.close()
}

func (b *firefox) open(ctx context.Context, url string) (tab, error) {
	t := &firefoxTab{b: b}
	var u struct{ UserContext string }
	if err := b.wire.call(ctx, "", "browser.createUserContext", nil, &u); err != nil {
		return nil, err
	}
	t.user = u.UserContext
	err := t.start(ctx, url)
	if err != nil {
		t.close(ctx)
		return nil, err
	}
	return t, nil
}

func (t *firefoxTab) start(ctx context.Context, url string) error {
	for _, name := range []string{"geolocation", "camera", "microphone", "notifications"} {
		t.b.wire.call(ctx, "", "permissions.setPermission", map[string]any{
			"descriptor": map[string]any{"name": name}, "state": "granted", "origin": hostURL, "userContext": t.user,
		}, nil) // not every version has all of them
	}
	var c struct{ Context string }
	if err := t.b.wire.call(ctx, "", "browsingContext.create", map[string]any{"type": "tab", "userContext": t.user, "background": true}, &c); err != nil {
		return err
	}
	t.context = c.Context
	return t.visit(ctx, url)
}

func (t *firefoxTab) visit(ctx context.Context, url string) error {
	return t.b.wire.call(ctx, "", "browsingContext.navigate", map[string]any{"context": t.context, "url": url, "wait": "none"}, nil)
}

func (t *firefoxTab) click(ctx context.Context) error {
	t.b.front.Lock()
	defer t.b.front.Unlock()
	if err := t.b.wire.call(ctx, "", "browsingContext.activate", map[string]any{"context": t.context}, nil); err != nil {
		return err
	}
	// A frame of another site is in a process of its own, which is to be told.
	var tree struct {
		Contexts []struct{ Children []struct{ Context string } }
	}
	if err := t.b.wire.call(ctx, "", "browsingContext.getTree", map[string]any{"root": t.context, "maxDepth": 1}, &tree); err != nil {
		return err
	}
	at := t.context
	if len(tree.Contexts) > 0 && len(tree.Contexts[0].Children) > 0 {
		at = tree.Contexts[0].Children[0].Context
	}
	return t.b.wire.call(ctx, "", "input.performActions", map[string]any{"context": at, "actions": []any{map[string]any{
		"type": "pointer", "id": "mouse", "actions": []any{
			map[string]any{"type": "pointerMove", "x": 300, "y": 200},
			map[string]any{"type": "pointerDown", "button": 0},
			map[string]any{"type": "pointerUp", "button": 0},
		},
	}}}, nil)
}

func (t *firefoxTab) where(ctx context.Context) (string, error) {
	var tree struct{ Contexts []struct{ URL string } }
	err := t.b.wire.call(ctx, "", "browsingContext.getTree", map[string]any{"root": t.context, "maxDepth": 0}, &tree)
	switch {
	case err == nil && len(tree.Contexts) == 0, err != nil && strings.Contains(err.Error(), "no such frame"):
		return "", errClosed
	case err != nil:
		return "", err
	}
	return tree.Contexts[0].URL, nil
}

func (t *firefoxTab) close(ctx context.Context) error {
	if err := t.b.wire.call(ctx, "", "browser.removeUserContext", map[string]any{"userContext": t.user}, nil); err != nil {
		return fmt.Errorf("closing a tab: %w", err)
	}
	return nil
}
