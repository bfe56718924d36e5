package webapi

import "testing"

// As seen in workerd.
func TestWebSocketPair(t *testing.T) {
	const pair = `let [a, b] = Object.values(new WebSocketPair()); const tick = () => new Promise(f => setTimeout(f, 1)); `
	tooEarly := "! TypeError: You must call one of accept() or state.acceptWebSocket() on this WebSocket before sending messages."
	runScripts(t, []script{
		{`let p = new WebSocketPair(); [Object.keys(p), p, WebSocketPair.length, WebSocket.length, [...p].length].join()`, "0,1,[object WebSocketPair],0,0,2"},
		{pair + `[a instanceof WebSocket, a instanceof EventTarget, a.readyState, a.url, a.protocol, a.extensions, a.binaryType, a].join()`, "true,true,1,,,,arraybuffer,[object WebSocket]"},
		{`[WebSocket.CONNECTING, WebSocket.OPEN, WebSocket.CLOSING, WebSocket.CLOSED, WebSocket.READY_STATE_OPEN, WebSocket.prototype.OPEN].join()`, "0,1,2,3,1,1"},
		{pair + `a.send("x")`, tooEarly}, {pair + `a.close()`, tooEarly},
		{pair + `a.accept(); a.accept()`, "undefined"},
		{pair + `(async () => {
			const log = []
			for (const [n, s] of [["a", a], ["b", b]]) for (const type of ["open", "message", "close", "error"])
				s.addEventListener(type, e => log.push([n, type, e.data?.byteLength ?? e.data, e.code, e.reason, e.wasClean, e.constructor.name].join(" ")))
			a.accept(); a.send("early"); log.push("sync"); b.accept(); log.push("accepted"); await tick()
			b.send(new Uint8Array([1, 2, 3])); b.send(new Uint8Array(4).buffer); b.send("t"); await tick()
			log.push([a.readyState, b.readyState]); b.close(1000, "done"); log.push([a.readyState, b.readyState]); await tick(); log.push([a.readyState, b.readyState])
			a.send("x"); try { b.send("x") } catch (e) { log.push(e.message) }
			a.close(3000, "ok"); await tick(); log.push([a.readyState, b.readyState]); return log.join("|") })()`,
			"sync|accepted|b message early    MessageEvent|a message 3    MessageEvent|a message 4    MessageEvent|a message t    MessageEvent|1,1|1,2|" +
				"a close  1000 done true CloseEvent|2,2|Can't call WebSocket send() after close().|b message x    MessageEvent|b close  3000 ok true CloseEvent|3,3"},
		{pair + `let got; a.onmessage = e => got = e.data; a.accept(); b.accept(); b.send("x"); tick().then(() => got)`, "x"},
		{pair + `let got; a.binaryType = "blob"; a.binaryType = "other"; a.onmessage = e => got = e.data; a.accept(); b.accept(); b.send(new Uint8Array(7)); tick().then(() => got.size + a.binaryType)`, "7blob"},
		{pair + `a.accept(); let s = ""; for (const c of [0, 999, 1000, 1001, 1004, 1005, 1006, 1007, 1015, 1016, 2999, 3000, 4999, 5000, 65536, "x", null]) { try { const [p] = Object.values(new WebSocketPair()); p.accept(); p.close(c); s += c + " " } catch (e) { if (e.name !== "InvalidAccessError") throw e } }; s`, "1000 1001 1007 1016 2999 3000 4999 "},
		{pair + `a.accept(); a.close(1004)`, "! InvalidAccessError: Invalid WebSocket close code: 1004."},
		{pair + `a.accept(); a.close(undefined, "x")`, "! InvalidAccessError: If you specify a WebSocket close reason, you must also specify a code."},
		{pair + `a.accept(); a.close(1000); a.close(1000); a.readyState`, "2"},
		{pair + `a.accept(); a.close(1000); a.send("x")`, "! TypeError: Can't call WebSocket send() after close()."},
		{pair + `a.accept(); a.send()`, "! TypeError: Failed to execute 'send' on 'WebSocket': parameter 1 is not of type 'ArrayBuffer or ArrayBufferView or string'."},
		{pair + `let log = []; b.onmessage = e => log.push(e.data); a.accept(); b.accept(); for (const v of [1, null, {}, [1], true, "\ud800"]) a.send(v); tick().then(() => log.join("|"))`, "1|null|[object Object]|1|true|\ufffd"},
		{pair + `let got; b.onclose = e => got = [e.code, e.reason, e.wasClean]; a.accept(); b.accept(); a.close(); tick().then(() => got.join())`, "1005,,true"},
		{pair + `let u = new Uint8Array([1]), got; b.onmessage = e => got = new Uint8Array(e.data)[0]; a.accept(); b.accept(); a.send(u); u[0] = 9; tick().then(() => got)`, "1"},
		{pair + `let r = new Response(null, { status: 101, webSocket: a }); [r.webSocket === a, r.ok, r.status, new Response(null, { webSocket: null }).webSocket].join()`, "true,false,101,"},
		{pair + `new Response(null, { webSocket: a })`, "! RangeError: Responses with a WebSocket must have status code 101."},
		{`new Response(null, { status: 101 })`, "! RangeError: Responses may only be constructed with status codes in the range 200 to 599, inclusive."},
		{pair + `new Response("x", { status: 101, webSocket: a })`, "! TypeError: Response with null body status (101, 204, 205, or 304) cannot have a body."},
		{`new Response(null, { status: 101, webSocket: {} })`, "! TypeError: Incorrect type for the 'webSocket' field on 'InitializerDict': the provided value is not of type 'WebSocket'."},
		{pair + `new Response(null, { status: 101, webSocket: a }).clone()`, "! TypeError: Cannot clone a response to a WebSocket handshake."},
		{pair + `a.serializeAttachment({ x: [1] }); let d = a.deserializeAttachment(); [d.x[0], d === a.deserializeAttachment(), b.deserializeAttachment()].join()`, "1,false,"},
		{`let e = new CloseEvent("close", { code: 65537, reason: "r", wasClean: 1 }); [e.code, e.reason, e.wasClean, new CloseEvent("x").code].join()`, "1,r,true,0"},
		{`new WebSocket("nope")`, "! SyntaxError: WebSocket Constructor: The url is invalid."},
		{`new WebSocket("http://x/")`, "! SyntaxError: WebSocket Constructor: The url scheme must be ws or wss."},
		{`new WebSocket("ws://x/#f")`, "! SyntaxError: WebSocket Constructor: The url fragment must be empty."},
		{`new WebSocket("wss://x/y")`, "! TypeError: This app cannot open WebSockets to other hosts, so it cannot reach wss://x/y"},
	})
}

// A socket that leaves takes along what its twin has sent, and the twin is heard outside.
func TestSocketConnect(t *testing.T) {
	r := newTestRealm(t)
	v := eval(t, r, `globalThis.log = []; let [a, b] = Object.values(new WebSocketPair()); b.accept(); b.send("early"); b.onmessage = e => { log.push(e.data); b.send("re " + e.data) }; b.onclose = e => { log.push(e.code); b.close(1000) }; new Response(null, { status: 101, webSocket: a })`)
	var sent []string
	done := false
	err := r.Turn(func() {
		s := r.Send(v).Socket
		stayed := s.Stayed()
		s.Connect(func(m SocketMessage) { sent = append(sent, string(m.Data)) }, func() { done = true })
		stayed.Arrive(SocketMessage{Data: []byte("hi")})
		stayed.Arrive(SocketMessage{Kind: SocketClose, Code: 1001})
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := eval(t, r, "log.join()").String(); got != "hi,1001" || !done || len(sent) != 3 || sent[0] != "early" || sent[1] != "re hi" {
		t.Errorf("heard %s, sent %q, done %t", got, sent, done)
	}
	if err := r.Turn(func() { r.Send(v) }); err == nil {
		t.Error("a socket left twice")
	}
}
