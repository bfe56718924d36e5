package main

import (
	"net"
	"net/http"
	"strings"
)

// knownHosts refuses requests for other names than this machine's own, when only this machine
// can connect: a page of another site that points a name of its own here (DNS
// rebinding) would else be same-origin with the app, and read and change what it has.
func knownHosts(addr net.Addr, next http.Handler) http.Handler {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsLoopback() {
		return next // was asked for
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		host = strings.ToLower(strings.Trim(host, "[]"))
		local := host == "localhost" || strings.HasSuffix(host, ".localhost")
		if ip := net.ParseIP(host); !local && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "This app answers only to localhost. Serve it with -addr and another address of this machine to use other names.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
