package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestOtherHostsAreRefused(t *testing.T) {
	ok := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {})
	loopback, all := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, &net.TCPAddr{IP: net.IPv4zero, Port: 1}
	for host, want := range map[string]int{
		"localhost:8080": 200, "LOCALHOST": 200, "127.0.0.1:8080": 200, "[::1]:8080": 200, "app.localhost:1": 200,
		"evil.example": 421, "evil.example:8080": 421, "127.0.0.1.evil.example": 421, "localhost.evil.example": 421, "evillocalhost": 421, "": 421, "0.0.0.0": 421,
	} {
		for _, addr := range []*net.TCPAddr{loopback, all} {
			r := httptest.NewRequest("GET", "/", nil)
			r.Host = host
			w := httptest.NewRecorder()
			knownHosts(addr, ok).ServeHTTP(w, r)
			if addr == all && w.Code != 200 || addr == loopback && w.Code != want {
				t.Errorf("%q on %v: %d", host, addr, w.Code)
			}
		}
	}
}
