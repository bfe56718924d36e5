package main

import (
	"crypto/rand"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"samkit.dev/canvas"
)

// A login stands for what the program has. This one believes every name.
type login struct {
	mu       sync.Mutex
	sessions map[string]string // cookie → name; guarded by mu
}

const sessionCookie = "session"

func newLogin() *login { return &login{sessions: map[string]string{}} }

// user returns who is logged in, or "".
func (l *login) user(r *http.Request) string {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sessions[cookie.Value]
}

// require sends whoever is not logged in to the form.
func (l *login) require(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if l.user(r) == "" {
			http.Redirect(w, r, "/login", http.StatusSeeOther)
			return
		}
		next.ServeHTTP(w, r)
	})
}

var form = template.Must(template.New("").Parse(`<!doctype html>
<title>Log in</title>
<form method=post action=/login><label>Your name <input name=name autofocus required></label> <button>Log in</button></form>
{{with .}}<p>You are {{.}}. <form method=post action=/logout><button>Log out</button></form>{{end}}
`))

// routes adds the program's own pages. The program refuses forms of other sites, which is
// what a page in an opaque origin counts as.
func (l *login) routes(mux *http.ServeMux, h *canvas.Handler) {
	own := http.NewCrossOriginProtection()
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) { form.Execute(w, l.user(r)) })
	mux.Handle("POST /login", own.Handler(http.HandlerFunc(l.enter)))
	mux.Handle("POST /logout", own.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		person := l.user(r)
		l.leave(w, r)
		h.Revoke(person) // afterwards: the paths that the app's pages have, and what runs for them
		http.Redirect(w, r, "/login", http.StatusSeeOther)
	})))
}

func (l *login) enter(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimSpace(r.FormValue("name"))
	if name == "" || len(name) > 100 {
		http.Error(w, "A name has 1 to 100 bytes.", http.StatusBadRequest)
		return
	}
	id := rand.Text()
	l.mu.Lock()
	l.sessions[id] = name
	l.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, "/notes/", http.StatusSeeOther)
}

func (l *login) leave(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie(sessionCookie); err == nil {
		l.mu.Lock()
		delete(l.sessions, cookie.Value)
		l.mu.Unlock()
	}
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Path: "/", MaxAge: -1})
}
