package main

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"samkit.dev/canvas"
)

// scheduledPaths are where wrangler dev lets a developer run the scheduled handler:
//
//	curl "http://localhost:8080/cdn-cgi/handler/scheduled?cron=*+*+*+*+*&time=1700000000000"
var scheduledPaths = []string{"/__scheduled", "/cdn-cgi/handler/scheduled"}

// runScheduled runs the scheduled handler as the cron trigger that the query names would,
// now or at a time in milliseconds.
func runScheduled(h *canvas.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "none" {
			http.Error(w, "not for pages", http.StatusForbidden)
			return
		}
		at := time.Now()
		if text := r.URL.Query().Get("time"); text != "" {
			ms, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				http.Error(w, "time is a number of milliseconds", http.StatusBadRequest)
				return
			}
			at = time.UnixMilli(ms)
		}
		if err := h.RunCron(r.Context(), canvas.Visitor{}, "", r.URL.Query().Get("cron"), at); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintln(w, "ok")
	})
}
