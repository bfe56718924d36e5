package canvas

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"
	"samkit.dev/host/console"
	"samkit.dev/internal/workers"
)

const (
	maxSocketMessage = 1 << 20 // bytes, as on Workers

	socketPatience = 10 * time.Second // for a client to take a message
)

// socketPing is how often a client has to show that it is there.
const socketPing = 30 * time.Second

// upgrades reports whether a request asks for a WebSocket.
func upgrades(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// strangeSocket reports whether a page of another origin asks for a WebSocket.
// A browser sends cookies along, and lets any page read what comes.
func (v *visit) strangeSocket() bool {
	origin := v.r.Header.Get("Origin")
	if origin == "" || !upgrades(v.r) {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || u.Host == "" || !strings.EqualFold(u.Host, v.base.host)
}

// socket answers with a WebSocket and passes on what both sides say, until one
// is gone. An app's own pages have another origin than the program where that
// is opaque; what they may see is in their path. hangUp ends ctx, which is that
// of the request.
func (v *visit) socket(ctx context.Context, hangUp context.CancelFunc, res *workers.Response) {
	s := res.Socket
	defer s.Close()
	if v.h.opts.Origin != Opaque && v.strangeSocket() {
		v.fail(http.StatusForbidden, failure{Code: "denied", Message: "This WebSocket is asked for by another site."})
		return
	}
	h := v.w.Header()
	v.responseHeaders(h, res.Header)
	v.begin()
	opts := &websocket.AcceptOptions{InsecureSkipVerify: true}
	for i := 0; i+1 < len(res.Header); i += 2 {
		if res.Header[i] == "sec-websocket-protocol" {
			opts.Subprotocols = append(opts.Subprotocols, res.Header[i+1])
		}
	}
	conn, err := websocket.Accept(v.w, v.r, opts)
	if err != nil {
		return // it has been answered
	}
	defer conn.CloseNow()
	conn.SetReadLimit(maxSocketMessage)
	// A connection does not survive the end of a context that it is read by, and
	// its client is to hear why it ends.
	open, shut := context.WithCancel(context.WithoutCancel(ctx))
	heard, pinged := make(chan struct{}), make(chan struct{})
	go func() { defer close(heard); defer hangUp(); hearClient(open, conn, s) }()
	go func() { defer close(pinged); v.keepAlive(open, conn) }()
	v.tellClient(ctx, conn, s)
	conn.CloseNow()
	shut()
	<-heard
	<-pinged
}

// hearClient passes on what the client says.
func hearClient(ctx context.Context, conn *websocket.Conn, s *workers.Socket) {
	for {
		kind, data, err := conn.Read(ctx)
		var bye websocket.CloseError
		if errors.As(err, &bye) {
			s.Write(workers.SocketMessage{Close: true, Code: int(bye.Code), Reason: bye.Reason})
			<-ctx.Done() // what the code still has to say in return is not cut off
		}
		if err != nil {
			return
		}
		if s.Write(workers.SocketMessage{Text: kind == websocket.MessageText, Data: data}) != nil {
			return
		}
	}
}

// keepAlive ends the connection of a client that has gone without a word, and of a project
// that has.
func (v *visit) keepAlive(ctx context.Context, conn *websocket.Conn) {
	ticker := time.NewTicker(v.h.socketPing)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if _, err := v.site.project.Revision(ctx); errors.Is(err, fs.ErrNotExist) {
			conn.Close(websocket.StatusGoingAway, "")
			return
		}
		wait, cancel := context.WithTimeout(ctx, socketPatience)
		err := conn.Ping(wait)
		cancel()
		if err != nil {
			conn.CloseNow()
			return
		}
	}
}

// tellClient passes on what functions.js says.
func (v *visit) tellClient(ctx context.Context, conn *websocket.Conn, s *workers.Socket) {
	for {
		m, err := s.Read()
		switch {
		case err == io.EOF:
			return
		case err != nil:
			v.brokenSocket(ctx, conn, err)
			return
		case m.Close:
			conn.Close(websocket.StatusCode(m.Code), m.Reason)
			continue // until the code has heard the client's answer
		}
		kind := websocket.MessageBinary
		if m.Text {
			kind = websocket.MessageText
		}
		wait, cancel := context.WithTimeout(ctx, socketPatience)
		err = conn.Write(wait, kind, m.Data)
		cancel()
		if err != nil {
			return
		}
	}
}

// brokenSocket ends a WebSocket whose code failed, or that lost its app.
func (v *visit) brokenSocket(ctx context.Context, conn *websocket.Conn, err error) {
	if v.h.done.Err() != nil || v.ctx().Err() != nil {
		conn.Close(websocket.StatusGoingAway, "")
		return
	}
	if v.ended() {
		conn.Close(websocket.StatusPolicyViolation, "This session has ended.")
		return
	}
	if ctx.Err() != nil {
		return // the client is gone
	}
	var we *workers.Error
	if errors.As(err, &we); we != nil && we.Code == "worker_died" && we.Retry > 0 {
		conn.Close(websocket.StatusServiceRestart, "")
		return
	}
	text := v.safe(publicText(err))
	v.app.consoleOf(v.site).Add(console.Entry{
		Level: slog.LevelError, Origin: console.Functions, Request: v.requestLine(), Text: "The WebSocket broke off: " + text,
	})
	v.h.log.Error("canvas: a WebSocket broke off", "project", v.site.project.ID(), "path", "/"+v.loc.name, "err", v.safe(err.Error()))
	conn.Close(websocket.StatusInternalError, "")
}
