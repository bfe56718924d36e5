package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// A model is a scripted stand-in for the servers that agents call: it speaks OpenAI's chat completions and Anthropic's
// messages, gives one reply for each request, and writes it in pieces that end in the middle of characters, of JSON and of
// events, as networks do. It is as strict about conversations as they are.
type model struct {
	t   *testing.T
	srv *httptest.Server

	mu      sync.Mutex
	replies []reply
	asked   []modelRequest
	seed    uint32
}

// A reply is what the model says next.
type reply struct {
	text  string
	calls []modelCall

	status     int    // instead of 200, with text as its complaint
	retryAfter string // header
	breakOff   bool   // the connection ends before the reply does
	hang       bool   // after the text, until the caller goes away
	overloaded bool   // an error in mid-stream
}

// A modelCall is a call of a tool. raw is its arguments as they are, else args.
type modelCall struct {
	name string
	args any
	raw  string
}

// A modelRequest is a request as the model got it: what it was told, in the order of the conversation.
type modelRequest struct {
	format, key, system, model string
	said                       []said
	tools                      []string
}

// said is one thing said: by "user" or "assistant", a "call" with its arguments, or a "result".
type said struct{ who, text string }

func newModel(t *testing.T) *model {
	m := &model{t: t, seed: 1}
	m.srv = httptest.NewServer(m)
	t.Cleanup(func() { m.srv.CloseClientConnections(); m.srv.Close() })
	return m
}

// script sets what is said from now on.
func (m *model) script(replies ...reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.replies, m.asked = replies, nil
}

// requests returns those since the script was set.
func (m *model) requests() []modelRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]modelRequest(nil), m.asked...)
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Access-Control-Allow-Origin", "*")
	head.Set("Access-Control-Expose-Headers", "Retry-After")
	if r.Method == http.MethodOptions {
		head.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	req, err := parseRequest(r, body)
	if err != nil {
		m.t.Errorf("the model got %v in %s", err, body)
		http.Error(w, fmt.Sprintf(`{"error":{"message":%q}}`, err.Error()), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	m.asked = append(m.asked, req)
	var next reply
	if len(m.replies) == 0 {
		next = reply{status: http.StatusTeapot, text: "the script has ended"}
	} else {
		next, m.replies = m.replies[0], m.replies[1:]
	}
	n := len(m.asked)
	m.mu.Unlock()
	if next.status != 0 {
		if next.retryAfter != "" {
			head.Set("Retry-After", next.retryAfter)
		}
		w.WriteHeader(next.status)
		fmt.Fprintf(w, `{"error":{"message":%q}}`, next.text)
		return
	}
	head.Set("Content-Type", "text/event-stream")
	var events []string
	if req.format == "openai" {
		events = openaiEvents(next, n)
	} else {
		events = anthropicEvents(next, n)
	}
	stream := strings.Join(events, "")
	if next.breakOff {
		stream = stream[:len(stream)*2/3]
	}
	m.pieces(w, r, stream)
	if next.hang {
		<-r.Context().Done()
	}
}

// pieces writes a stream a few bytes at a time.
func (m *model) pieces(w http.ResponseWriter, r *http.Request, stream string) {
	rc := http.NewResponseController(w)
	for len(stream) > 0 {
		m.mu.Lock()
		m.seed = m.seed*1664525 + 1013904223
		n := min(1+int(m.seed>>24)%23, len(stream))
		m.mu.Unlock()
		if _, err := io.WriteString(w, stream[:n]); err != nil || rc.Flush() != nil {
			return
		}
		stream = stream[n:]
		time.Sleep(50 * time.Microsecond) // so that pieces arrive as such
	}
}

func event(name string, v any) string {
	data, _ := json.Marshal(v)
	if name == "" {
		return fmt.Sprintf("data: %s\n\n", data)
	}
	return fmt.Sprintf("event: %s\r\ndata: %s\r\n\r\n", name, data)
}

// cut splits a text into short strings, of whole characters since each is JSON of its own.
func cut(s string, n int) (out []string) {
	for r := []rune(s); len(r) > 0; r = r[min(n, len(r)):] {
		out = append(out, string(r[:min(n, len(r))]))
	}
	return out
}

func (c modelCall) json() string {
	if c.raw != "" {
		return c.raw
	}
	data, _ := json.Marshal(c.args)
	return string(data)
}

type obj = map[string]any

func openaiEvents(r reply, n int) (out []string) {
	delta := func(d obj) {
		out = append(out, event("", obj{"object": "chat.completion.chunk", "choices": []obj{{"index": 0, "delta": d, "finish_reason": nil}}}))
	}
	delta(obj{"role": "assistant", "content": ""})
	for _, s := range cut(r.text, 3) {
		delta(obj{"content": s})
	}
	if r.hang {
		return out
	}
	if r.overloaded {
		return append(out, event("", obj{"error": obj{"message": "overloaded", "code": 529}}))
	}
	for i, c := range r.calls {
		delta(obj{"tool_calls": []obj{{"index": i, "id": fmt.Sprintf("call_%d_%d", n, i), "type": "function", "function": obj{"name": c.name, "arguments": ""}}}})
		for _, s := range cut(c.json(), 5) {
			delta(obj{"tool_calls": []obj{{"index": i, "function": obj{"arguments": s}}}})
		}
	}
	end := "stop"
	if len(r.calls) > 0 {
		end = "tool_calls"
	}
	return append(out, event("", obj{"choices": []obj{{"index": 0, "delta": obj{}, "finish_reason": end}}}),
		": a comment\n\n",
		event("", obj{"choices": []obj{}, "usage": obj{"prompt_tokens": 1000, "completion_tokens": 20, "prompt_tokens_details": obj{"cached_tokens": 600}}}), "data: [DONE]\n\n")
}

func anthropicEvents(r reply, n int) (out []string) {
	add := func(typ string, fields obj) {
		fields["type"] = typ
		out = append(out, event(typ, fields))
	}
	add("message_start", obj{"message": obj{"id": "m", "role": "assistant", "content": []any{}, "usage": obj{"input_tokens": 400, "cache_read_input_tokens": 600, "output_tokens": 1}}})
	add("ping", obj{})
	i := 0
	if r.text != "" {
		add("content_block_start", obj{"index": i, "content_block": obj{"type": "text", "text": ""}})
		for _, s := range cut(r.text, 3) {
			add("content_block_delta", obj{"index": i, "delta": obj{"type": "text_delta", "text": s}})
		}
		if r.hang {
			return out
		}
		add("content_block_stop", obj{"index": i})
		i++
	}
	if r.overloaded {
		add("error", obj{"error": obj{"type": "overloaded_error", "message": "overloaded"}})
		return out
	}
	for k, c := range r.calls {
		add("content_block_start", obj{"index": i, "content_block": obj{"type": "tool_use", "id": fmt.Sprintf("toolu_%d_%d", n, k), "name": c.name, "input": obj{}}})
		for _, s := range cut(c.json(), 5) {
			add("content_block_delta", obj{"index": i, "delta": obj{"type": "input_json_delta", "partial_json": s}})
		}
		add("content_block_stop", obj{"index": i})
		i++
	}
	add("message_delta", obj{"delta": obj{"stop_reason": "end_turn"}, "usage": obj{"output_tokens": 20}})
	add("message_stop", obj{})
	return out
}

// parseRequest reads a request, and refuses what the servers would.
func parseRequest(r *http.Request, body []byte) (modelRequest, error) {
	switch {
	case r.Header.Get("Content-Type") != "application/json":
		return modelRequest{}, fmt.Errorf("the type %q", r.Header.Get("Content-Type"))
	case strings.HasSuffix(r.URL.Path, "/v1/chat/completions"):
		return parseOpenai(r, body)
	case strings.HasSuffix(r.URL.Path, "/v1/messages"):
		return parseAnthropic(r, body)
	}
	return modelRequest{}, fmt.Errorf("the path %q", r.URL.Path)
}

func parseOpenai(r *http.Request, body []byte) (modelRequest, error) {
	var in struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role, Content string
			ToolCallID    string `json:"tool_call_id"`
			ToolCalls     []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		Tools []struct {
			Type     string
			Function struct {
				Name       string
				Parameters obj
			}
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return modelRequest{}, err
	}
	req := modelRequest{format: "openai", model: in.Model, key: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")}
	for _, t := range in.Tools {
		if t.Type != "function" || t.Function.Parameters["type"] != "object" {
			return req, fmt.Errorf("the tool %+v", t)
		}
		req.tools = append(req.tools, t.Function.Name)
	}
	open := map[string]bool{} // calls without a result
	for i, msg := range in.Messages {
		if msg.Role != "tool" && len(open) > 0 {
			return req, fmt.Errorf("message %d while calls have no result: %v", i, open)
		}
		switch msg.Role {
		case "system":
			req.system = msg.Content
			continue
		case "tool":
			if !open[msg.ToolCallID] {
				return req, fmt.Errorf("a result of %q, which was not called", msg.ToolCallID)
			}
			delete(open, msg.ToolCallID)
			req.said = append(req.said, said{"result", msg.Content})
		case "user", "assistant":
			if msg.Content != "" {
				req.said = append(req.said, said{msg.Role, msg.Content})
			}
		default:
			return req, fmt.Errorf("the role %q", msg.Role)
		}
		for _, c := range msg.ToolCalls {
			if !json.Valid([]byte(c.Function.Arguments)) || open[c.ID] {
				return req, fmt.Errorf("the call %+v", c)
			}
			open[c.ID] = true
			req.said = append(req.said, said{"call", c.Function.Name + " " + c.Function.Arguments})
		}
	}
	if !in.Stream || len(open) > 0 {
		return req, fmt.Errorf("stream %v, calls without a result: %v", in.Stream, open)
	}
	return req, nil
}

func parseAnthropic(r *http.Request, body []byte) (modelRequest, error) {
	var in struct {
		Model, System string
		Stream        bool
		MaxTokens     int `json:"max_tokens"`
		Messages      []struct {
			Role    string
			Content []struct {
				Type, Text, ID, Name, Content string
				Input                         json.RawMessage
				ToolUseID                     string `json:"tool_use_id"`
			}
		}
		Tools []struct {
			Name        string
			InputSchema obj `json:"input_schema"`
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return modelRequest{}, err
	}
	req := modelRequest{format: "anthropic", model: in.Model, system: in.System, key: r.Header.Get("X-Api-Key")}
	if r.Header.Get("Anthropic-Version") == "" || r.Header.Get("Anthropic-Dangerous-Direct-Browser-Access") != "true" || in.MaxTokens == 0 || !in.Stream {
		return req, fmt.Errorf("headers %v", r.Header)
	}
	for _, t := range in.Tools {
		if t.InputSchema["type"] != "object" {
			return req, fmt.Errorf("the tool %+v", t)
		}
		req.tools = append(req.tools, t.Name)
	}
	open := map[string]bool{}
	for i, msg := range in.Messages {
		if want := []string{"user", "assistant"}[i%2]; msg.Role != want || len(msg.Content) == 0 {
			return req, fmt.Errorf("message %d of %q with %d blocks", i, msg.Role, len(msg.Content))
		}
		for _, b := range msg.Content {
			switch {
			case b.Type == "tool_result" && open[b.ToolUseID]:
				delete(open, b.ToolUseID)
				req.said = append(req.said, said{"result", b.Content})
			case b.Type == "text" && strings.TrimSpace(b.Text) != "" && (msg.Role == "assistant" || len(open) == 0):
				req.said = append(req.said, said{msg.Role, b.Text})
			case b.Type == "tool_use" && msg.Role == "assistant" && len(b.Input) > 0 && b.Input[0] == '{':
				open[b.ID] = true
				req.said = append(req.said, said{"call", b.Name + " " + string(b.Input)})
			default:
				return req, fmt.Errorf("message %d: the block %+v", i, b)
			}
		}
		if msg.Role == "user" && len(open) > 0 {
			return req, fmt.Errorf("message %d: calls without a result: %v", i, open)
		}
	}
	return req, nil
}
