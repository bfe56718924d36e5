package escape

import (
	"context"
	"fmt"
	"strings"
)

// A chromium is driven by the Chrome DevTools Protocol.
type chromium struct {
	*process
	wire *wire
	name string
}

type chromiumTab struct {
	b                        *chromium
	context, target, session string
}

func startChromium(ctx context.Context, program, dir string, n *network) (browser, error) {
	p, url, err := spawn(ctx, dir, program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--user-data-dir="+dir, "--remote-debugging-port=0", "--no-first-run", "--no-default-browser-check",
		"--proxy-server="+n.proxy, "--proxy-bypass-list=<-loopback>", "--ignore-certificate-errors-spki-list="+n.spki,
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-extensions",
		"--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows",
		"--disable-features=OptimizationHints,MediaRouter,Translate", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
		"--window-size=900,700", "about:blank")
	if err != nil {
		return nil, err
	}
	b := &chromium{process: p}
	if b.wire, err = dial(ctx, url, b.event); err != nil {
		p.close()
		return nil, err
	}
	var v struct{ Product string }
	if err := b.wire.call(ctx, "", "Browser.getVersion", nil, &v); err != nil {
		b.close()
		return nil, err
	}
	b.name = v.Product
	return b, nil
}

func (b *chromium) version() string { return b.name }

func (b *chromium) close() {
	b.wire.close()
	b.process.close()
}

// event answers dialogs, which would stop their page.
func (b *chromium) event(m message) {
	if m.Method == "Page.javascriptDialogOpening" {
		go b.wire.call(context.Background(), m.Session, "Page.handleJavaScriptDialog", map[string]any{"accept": true}, nil)
	}
}

func (b *chromium) open(ctx context.Context, url string) (tab, error) {
	t := &chromiumTab{b: b}
	var c struct{ BrowserContextID string }
	if err := b.wire.call(ctx, "", "Target.createBrowserContext", map[string]any{"disposeOnDetach": true}, &c); err != nil {
		return nil, err
	}
	t.context = c.BrowserContextID
	err := t.start(ctx, url)
	if err != nil {
		t.close(ctx)
		return nil, err
	}
	return t, nil
}

func (t *chromiumTab) start(ctx context.Context, url string) error {
	w := t.b.wire
	// What the program's own users have allowed it. Not notifications: what is granted this way holds for frames
	// of other origins, too, which no setting of a browser does.
	if err := w.call(ctx, "", "Browser.grantPermissions", map[string]any{
		"browserContextId": t.context, "origin": hostURL, "permissions": []string{"geolocation", "videoCapture", "audioCapture", "clipboardReadWrite"},
	}, nil); err != nil {
		return err
	}
	var target struct{ TargetID string }
	if err := w.call(ctx, "", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": t.context}, &target); err != nil {
		return err
	}
	t.target = target.TargetID
	var s struct{ SessionID string }
	if err := w.call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": t.target, "flatten": true}, &s); err != nil {
		return err
	}
	t.session = s.SessionID
	if err := w.call(ctx, t.session, "Page.enable", nil, nil); err != nil {
		return err
	}
	if err := w.call(ctx, t.session, "Emulation.setGeolocationOverride", map[string]any{"latitude": 1, "longitude": 2, "accuracy": 3}, nil); err != nil {
		return err
	}
	return t.visit(ctx, url)
}

// visit does not wait for the page, nor for the answer if it can't be had.
func (t *chromiumTab) visit(ctx context.Context, url string) error {
	return t.b.wire.call(ctx, t.session, "Page.navigate", map[string]any{"url": url}, nil)
}

func (t *chromiumTab) click(ctx context.Context) error {
	// A popup may be in front.
	if err := t.b.wire.call(ctx, t.session, "Page.bringToFront", nil, nil); err != nil {
		return err
	}
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		event := map[string]any{"type": kind, "x": 300, "y": 200}
		if kind != "mouseMoved" {
			event["button"], event["clickCount"] = "left", 1
		}
		if err := t.b.wire.call(ctx, t.session, "Input.dispatchMouseEvent", event, nil); err != nil {
			return err
		}
	}
	return nil
}

func (t *chromiumTab) where(ctx context.Context) (string, error) {
	var info struct{ TargetInfo struct{ URL string } }
	err := t.b.wire.call(ctx, "", "Target.getTargetInfo", map[string]any{"targetId": t.target}, &info)
	if err != nil && strings.Contains(err.Error(), "No target with given id") {
		err = errClosed
	}
	return info.TargetInfo.URL, err
}

func (t *chromiumTab) close(ctx context.Context) error {
	if err := t.b.wire.call(ctx, "", "Target.disposeBrowserContext", map[string]any{"browserContextId": t.context}, nil); err != nil {
		return fmt.Errorf("closing a tab: %w", err)
	}
	return nil
}
