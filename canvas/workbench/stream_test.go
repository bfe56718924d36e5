package workbench

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// What streams reaches the agent, tools and services alike, and ends with their rights.
func TestStreamsOfEachRole(t *testing.T) {
	caps := host.New()
	c := caps.Define("crm", 1)
	host.Register(c, "rows", "Rows.", func(context.Context, struct{}) (iter.Seq[int], error) {
		return func(yield func(int) bool) {
			for i := 0; i < 3 && yield(i); i++ {
			}
		}, nil
	}, host.Reads)
	host.Register(c, "bytes", "Bytes.", func(context.Context, struct{}) (io.Reader, error) { return strings.NewReader("bytes"), nil }, host.Reads)
	begun, ended := make(chan struct{}, 10), make(chan struct{}, 10)
	host.Register(c, "wait", "Waits.", func(ctx context.Context, _ struct{}) (iter.Seq[int], error) {
		return func(yield func(int) bool) {
			defer func() { ended <- struct{}{} }()
			if yield(0) {
				begun <- struct{}{}
				<-ctx.Done()
			}
		}, nil
	}, host.Reads)
	s := serve(t, Options{Capabilities: caps})
	code := sam.Files{"functions.js": `export default { async fetch(request, env) {
		const name = new URL(request.url).pathname.slice(5)
		const crm = env.HOST?.crm ?? env.TOOL?.crm ?? env.CRM
		const got = []
		for await (const v of await crm[name]()) got.push(typeof v === "number" ? v : new TextDecoder().decode(v))
		return new Response(got.join())
	} }`}
	for _, id := range []sam.ProjectID{"bot", "viewer", "app"} {
		s.project(t, id, code)
	}
	ctx := t.Context()
	if err := s.SetAgent(ctx, "bot"); err != nil {
		t.Fatal(err)
	}
	grant := tool.Grant{Uses: []string{"crm@1.*"}}
	viewer, err := s.OpenTool(ctx, "viewer", grant)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Allow(ctx, "app", "CRM", grant); err != nil {
		t.Fatal(err)
	}
	get := func(v canvas.Visitor, id sam.ProjectID, name string) string {
		r, err := http.NewRequestWithContext(ctx, "GET", s.http.URL+"/"+s.site.Path(v, id)+"api/"+name, nil)
		if err != nil {
			return err.Error()
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return err.Error()
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		return fmt.Sprint(res.StatusCode, " ", string(body))
	}
	for _, who := range []struct {
		v   canvas.Visitor
		id  sam.ProjectID
		end func() error
	}{
		{canvas.Visitor{Session: s.Agent().ID}, "bot", func() error { return s.SetAgent(ctx, "") }},
		{canvas.Visitor{Session: viewer.ID}, "viewer", func() error { return s.CloseTool(ctx, viewer.ID) }},
		{canvas.Visitor{}, "app", func() error { return s.Allow(ctx, "app", "CRM", tool.Grant{}) }},
	} {
		if a, b := get(who.v, who.id, "rows"), get(who.v, who.id, "bytes"); a != "200 0,1,2" || b != "200 bytes" {
			t.Errorf("%s: %s, %s", who.id, a, b)
		}
		answer := make(chan string, 1)
		go func() { answer <- get(who.v, who.id, "wait") }()
		select {
		case <-begun:
		case a := <-answer:
			t.Fatalf("%s: %s", who.id, a)
		}
		if err := who.end(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			select {
			case <-ended:
				ended = nil
			case a := <-answer:
				if strings.HasPrefix(a, "200") {
					t.Errorf("%s: after the end %s", who.id, a)
				}
				answer = nil
			case <-time.After(30 * time.Second):
				t.Fatalf("%s: it goes on", who.id)
			}
		}
		ended = make(chan struct{}, 10)
	}
}
