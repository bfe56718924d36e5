package playground

import (
	"slices"
	"testing"
)

func TestConnect(t *testing.T) {
	s := newSite(t)
	s.create("bot", "blank")
	var got connectReply
	s.ask("GET", "api/projects/bot/connect", nil, 200, &got)
	if got.Origins == nil || len(got.Origins) > 0 {
		t.Errorf("a new project has %q", got.Origins)
	}
	s.ask("PUT", "api/projects/bot/connect", connectReply{[]string{"https://API.example.com/"}}, 200, &got)
	if want := []string{"https://api.example.com"}; !slices.Equal(got.Origins, want) {
		t.Errorf("got %q, want %q", got.Origins, want)
	}
	var roles rolesReply
	s.ask("GET", "api/roles", nil, 200, &roles)
	if len(roles.Connects) != 1 || roles.Connects[0].Project != "bot" || !slices.Equal(roles.Connects[0].Origins, got.Origins) {
		t.Errorf("the roles say %+v", roles.Connects)
	}
	s.ask("PUT", "api/projects/bot/connect", connectReply{[]string{"https://*.example.com"}}, 400, nil)
	s.ask("GET", "api/projects/bot/connect", nil, 200, &got)
	if len(got.Origins) != 1 {
		t.Errorf("after a refusal: %q", got.Origins)
	}
	s.ask("PUT", "api/projects/bot/connect", connectReply{}, 200, &got)
	if len(got.Origins) > 0 {
		t.Errorf("taken away, and still there: %q", got.Origins)
	}
	s.ask("PUT", "api/projects/none/connect", connectReply{}, 404, nil)
	req := s.request("PUT", "api/projects/bot/connect", connectReply{[]string{"https://example.com"}})
	req.Header.Del(tokenHeader)
	if status, _, _ := s.send(req); status != 403 {
		t.Errorf("without the page's token: %d", status)
	}
}
