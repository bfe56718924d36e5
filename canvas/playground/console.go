package playground

import (
	"net/http"
	"strconv"

	"samkit.dev/host/console"
)

func (p *page) readConsole(c *call) error {
	since := uint64(0)
	if s := c.r.URL.Query().Get("since"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return invalid("since is the seq of an entry.")
		}
		since = n
	}
	buf, err := c.console()
	if err != nil {
		return err
	}
	reply := consoleReply{Entries: []console.Entry{}}
	reply.First, reply.Last = buf.Range()
	for e := range buf.Since(since) {
		reply.Entries = append(reply.Entries, e)
		reply.Last = e.Seq
	}
	return c.reply(http.StatusOK, reply)
}

func (p *page) clearConsole(c *call) error {
	buf, err := c.console()
	if err != nil {
		return err
	}
	buf.Clear()
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

func (c *call) console() (*console.Buffer, error) {
	id, err := c.projectID()
	if err != nil {
		return nil, err
	}
	return c.bench.Console(c.r.Context(), id)
}
