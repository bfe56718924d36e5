package canvas

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/internal/netguard"
	"samkit.dev/internal/outbound"
	"samkit.dev/internal/workers"
)

// A FetchRecord is one call of fetch in functions.js, after it ended. Its texts hold no
// secret of the project, no user name or password, and of a URL's query only the names.
type FetchRecord struct {
	host.Call               // who made the request that made the call
	Time      time.Time     // when it was made
	Duration  time.Duration // until the body of the response was read or given up
	Method    string
	URL       string // as asked for, before redirects
	Status    int    // of the last response; 0 if there was none
	Redirects int    // that were followed
	Sent      int64  // bytes of request bodies
	Received  int64  // bytes of response bodies, before they are decoded

	// Code is "" if the call succeeded, whatever the status; else "fetch_denied" (not granted, or
	// no public address), "fetch_failed", "fetch_redirect", "canceled", or that of a limit:
	// "limit_fetches", "limit_fetch_time", "limit_fetch_request", "limit_fetch_response", "limit_fetch_headers".
	Code    string
	Message string // what the code was told
}

// fetches are the network of a project: a client for each list of hosts that its apps were granted.
type fetches struct {
	clients map[string]*outbound.Client
}

// maxClients is how many lists are kept. A client that is forgotten still serves those who have it.
const maxClients = 8

func (f *fetches) client(granted []string) (*outbound.Client, error) {
	key := strings.Join(granted, "\n")
	if c := f.clients[key]; c != nil {
		return c, nil
	}
	list, err := netguard.ParseList(granted)
	if err != nil {
		return nil, fmt.Errorf("canvas: App.Fetch: %w", err)
	}
	if len(f.clients) >= maxClients {
		f.close()
	}
	if f.clients == nil {
		f.clients = map[string]*outbound.Client{}
	}
	c := outbound.New(outbound.Options{Guard: &netguard.Guard{List: list}})
	f.clients[key] = c
	return c, nil
}

func (f *fetches) close() {
	for _, c := range f.clients {
		c.Close()
	}
	f.clients = nil
}

// network is what an app reaches by fetch. The caller holds scripts.mu.
func (s *site) network(app *App, values *secretValues) (func(context.Context, *workers.Outbound) (*workers.Inbound, error), error) {
	client, err := s.scripts.fetches.client(app.Fetch)
	if err != nil {
		return nil, err
	}
	out := app.consoleOf(s)
	return client.Network(func(r outbound.Record) {
		rec := FetchRecord{
			Call: r.Call, Time: r.Time, Duration: r.Duration, Status: r.Status, Redirects: r.Hops, Sent: r.Sent, Received: r.Received, Code: r.Code,
			Method: clean(clipText(r.Method, 32)), URL: shownURL(r.URL, values), Message: clean(values.redact(clipText(r.Message, 2000))),
		}
		out.Add(rec.entry())
		if s.h.opts.OnFetch != nil {
			s.h.opts.OnFetch(rec)
		}
	}), nil
}

// entry is what the console shows of a call: what was refused or went wrong is for those who do not look for more.
func (r *FetchRecord) entry() console.Entry {
	e := console.Entry{Time: r.Time, Level: slog.LevelDebug, Origin: console.System}
	e.Text = "fetch " + r.Method + " " + r.URL
	switch {
	case r.Code == "":
		e.Text += fmt.Sprintf(": %d, %d bytes in %v", r.Status, r.Received, r.Duration.Round(time.Millisecond))
	case r.Code == "canceled":
		e.Text += ": given up after " + r.Duration.Round(time.Millisecond).String()
	default:
		e.Level = slog.LevelInfo
		e.Text += ": " + r.Code + ": " + strings.TrimPrefix(r.Message, "fetch failed: ")
	}
	return e
}

// maxShownURL is the most bytes of a URL that are recorded.
const maxShownURL = 1000

// shownURL is a URL for records. It comes from a worker, so it may be anything.
func shownURL(href string, values *secretValues) string {
	href, _, _ = strings.Cut(href, "#")
	href, query, asked := strings.Cut(href, "?")
	if scheme, rest, ok := strings.Cut(href, "://"); ok {
		authority, path, slash := strings.Cut(rest, "/")
		authority = authority[strings.LastIndexByte(authority, '@')+1:]
		if href = scheme + "://" + authority; slash {
			href += "/" + path
		}
	}
	// A secret may stand there as it is or escaped.
	if plain, err := url.PathUnescape(href); err == nil && values.redact(plain) != plain {
		href = plain
	}
	href = values.redact(href)
	if asked {
		href += "?" + shownQuery(query, values)
	}
	return clean(clipText(href, maxShownURL))
}

// shownQuery is a query without its values.
func shownQuery(query string, values *secretValues) string {
	var names []string
	for part := range strings.SplitSeq(clipText(query, maxShownURL), "&") {
		name, _, valued := strings.Cut(part, "=")
		if plain, err := url.QueryUnescape(name); !valued || err != nil || values.redact(plain) != plain {
			name = "" // it may be the value
		}
		if name += "=…"; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, "&")
}

func clipText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
