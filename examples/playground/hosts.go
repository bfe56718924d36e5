package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
)

// knownHosts refuses requests for other names than this machine's own, when only this machine
// can connect: a page of another site that points a name of its own here
// (DNS rebinding) would else be same-origin with the playground.
func knownHosts(addr net.Addr, next http.Handler) http.Handler {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsLoopback() {
		fmt.Fprintln(os.Stderr, "Other machines can connect, and whoever does may change everything here.")
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		host = strings.Trim(host, "[]")
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "The playground answers only to localhost.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
