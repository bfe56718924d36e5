package playground

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// A screen is what a page would show of a terminal.
type screen struct {
	screenReply
	text strings.Builder
}

func (s *screen) take(r screenReply) {
	if r.Fresh {
		s.text.Reset()
	}
	for _, p := range r.Prints {
		s.text.WriteString(p.Text)
	}
	s.screenReply = r
}

const shellPath = "api/projects/app/terminals/shell"

func TestTerminals(t *testing.T) {
	s := newSite(t)
	s.create("app", "blank")
	var session sessionReply
	s.ask("GET", "api/session", nil, 200, &session)
	if !slices.Equal(session.Terminals, []string{"javascript", "python", "shell"}) {
		t.Errorf("the page is told of %q", session.Terminals)
	}
	do := func(req typedRequest, status int) {
		t.Helper()
		s.ask("POST", shellPath, req, status, nil)
	}
	var polled screen
	poll := func() {
		t.Helper()
		var r screenReply
		s.ask("GET", shellPath+"?after="+url.QueryEscape(polled.At), nil, 200, &r)
		polled.take(r)
	}
	poll()
	if !polled.Fresh || polled.Prompt != "app $ " {
		t.Errorf("at first: %+v", polled.screenReply)
	}

	// One page follows by a WebSocket, another by answers that wait: they see the same.
	head := http.Header{"X-User": {"ada"}, "Sec-Fetch-Site": {"same-origin"}, "Origin": {s.srv.URL}}
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.base, "http")+shellPath+"/socket", &websocket.DialOptions{HTTPHeader: head})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	conn.SetReadLimit(1 << 20)
	var heard screen
	hear := func() {
		t.Helper()
		_, data, err := conn.Read(t.Context())
		var r screenReply
		if err == nil {
			err = json.Unmarshal(data, &r)
		}
		if err != nil {
			t.Fatal(err)
		}
		heard.take(r)
	}
	do(typedRequest{Do: "resize", Columns: 90, Rows: 20}, 204)
	do(typedRequest{Do: "enter", Line: "echo $COLUMNS >size.txt; read x; echo é $x"}, 204)
	for !heard.Busy {
		hear()
	}
	do(typedRequest{Do: "enter", Line: "typed"}, 204)
	const want = "app $ echo $COLUMNS >size.txt; read x; echo é $x\ntyped\né typed\n"
	for heard.text.String() != want {
		hear()
	}
	for polled.text.String() != want {
		poll()
	}
	var f fileReply
	s.ask("GET", file("app", "size.txt"), nil, 200, &f)
	if f.Data != "90\n" {
		t.Errorf("size.txt is %q", f.Data)
	}
	do(typedRequest{Do: "enter", Line: "sleep 100"}, 204)
	for len(heard.Jobs) == 0 || heard.Waits {
		hear()
	}
	s.ask("DELETE", "api/jobs/"+heard.Jobs[0].ID, nil, 204, nil)
	for heard.Busy {
		hear()
	}
	if heard.Code != 130 {
		t.Errorf("stopped, the code is %d", heard.Code)
	}
	do(typedRequest{Do: "enter", Line: "cat"}, 204)
	do(typedRequest{Do: "end"}, 204)
	do(typedRequest{Do: "interrupt", Line: "half a li"}, 204)
	do(typedRequest{Do: "clear"}, 204)
	for heard.text.Len() > 0 || heard.Busy {
		hear()
	}
	var words completeReply
	s.ask("POST", shellPath+"/completions", completeRequest{"echo 😀 siz"}, 200, &words)
	if words.From != 8 || !slices.Equal(words.Words, []string{"size.txt"}) {
		t.Errorf("completed: %+v", words)
	}

	do(typedRequest{Do: "dance"}, 400)
	do(typedRequest{Do: "enter", Line: strings.Repeat("x", 300<<10)}, 413)
	s.ask("GET", "api/projects/app/terminals/telnet", nil, 404, nil)
	s.ask("GET", "api/projects/nothing/terminals/shell", nil, 404, nil)
	s.ask("GET", "api/projects/nothing/terminals/shell/socket", nil, 404, nil)

	// The program's end is the end of who follows.
	ended := make(chan error, 1)
	go func() {
		for {
			if _, _, err := conn.Read(context.WithoutCancel(t.Context())); err != nil {
				ended <- err
				return
			}
		}
	}()
	s.group.Close()
	if err := <-ended; websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("the socket ended with %v", err)
	}
}

// What a terminal prints is nobody else's to hear, and only the page types.
func TestTerminalsOfOthers(t *testing.T) {
	s := newSite(t)
	s.create("app", "blank")
	path := "ws" + strings.TrimPrefix(s.base, "http") + shellPath + "/socket"
	for name, head := range map[string]http.Header{
		"another site":                 {"X-User": {"ada"}, "Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}},
		"another site, an old browser": {"X-User": {"ada"}, "Origin": {"https://evil.example"}},
		"a canvas":                     {"X-User": {"ada"}, "Sec-Fetch-Site": {"cross-site"}, "Origin": {"null"}},
		"a canvas, an old browser":     {"X-User": {"ada"}, "Origin": {"null"}},
		"another person":               {"X-User": {"bob"}, "Sec-Fetch-Site": {"same-origin"}, "Origin": {s.srv.URL}},
	} {
		conn, res, err := websocket.Dial(t.Context(), path, &websocket.DialOptions{HTTPHeader: head})
		if err == nil {
			conn.CloseNow()
			t.Errorf("%s follows the terminal", name)
		} else if res == nil || res.StatusCode != 403 && res.StatusCode != 404 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, part := range []string{"", "/completions"} {
		req := s.request("POST", shellPath+part, typedRequest{Do: "enter", Line: "ls"})
		req.Header.Del(tokenHeader)
		if status, data, _ := s.send(req); status != 403 {
			t.Errorf("without a token: %d %s", status, data)
		}
	}
	s.login("bob")
	s.ask("POST", shellPath, typedRequest{Do: "enter", Line: "ls"}, 404, nil)
}
