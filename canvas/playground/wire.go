package playground

import (
	"encoding/json"
	"net/http"

	"samkit.dev/host/console"
)

// Limits of request bodies, in bytes.
const (
	maxSmall = 64 << 10 // ids, names
	maxEdits = 96 << 20 // several files as text or base64
	maxRaw   = 64 << 20 // one file; the project's own limit may be lower

	maxPackage = 1 << 30 // kept in a file while it is read
	maxFound   = 500     // lines that a search returns
)

// What follows is the JSON of the API. ui/src/wire.ts is made from it; see wire_test.go.

type sessionReply struct {
	Token     string `json:"token"`
	Principal string `json:"principal"`
	Isolation string `json:"isolation"` // of functions.js: "sandboxed", "process", "inprocess"
	Repos     bool   `json:"repos"`     // whether repositories can be imported

	Terminals []string `json:"terminals"` // kinds that there are: "shell"
}

type templateInfo struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"` // "project", "agent" or "tool"
	Title string `json:"title"`
	About string `json:"about"`
}

type projectsReply struct {
	Projects []string `json:"projects"`
	Work     string   `json:"work"` // "" means none
}

type createRequest struct {
	ID       string `json:"id"`
	Template string `json:"template"`
}

type workRequest struct {
	ID string `json:"id"`
}

type fileInfo struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	Hash string `json:"hash"` // "" if the file is gone
}

type projectReply struct {
	ID     string     `json:"id"`
	Canvas string     `json:"canvas"` // URL relative to the page
	Files  []fileInfo `json:"files"`
}

type fileReply struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	Hash string `json:"hash"`
	Text bool   `json:"text"`
	Data string `json:"data"` // the text, or the first bytes in base64
}

type writeRequest struct {
	Text     string `json:"text"`
	Expected string `json:"expected"`
}

type editRequest struct {
	Name     string  `json:"name"`
	Text     *string `json:"text,omitempty"`
	Base64   *string `json:"base64,omitempty"`
	Rename   string  `json:"rename,omitempty"`
	Remove   bool    `json:"remove,omitempty"`
	Expected string  `json:"expected"`
}

type editsRequest struct {
	Edits []editRequest `json:"edits"`
}

// conflictDetails are the details of a conflict.
type conflictDetails struct {
	Name string `json:"name"`
	Hash string `json:"hash"` // "" if there is no such file any more
	Text bool   `json:"text"`
	Data string `json:"data"` // the present text
}

type consoleReply struct {
	First   uint64          `json:"first"` // entries with a lower seq are gone
	Last    uint64          `json:"last"`
	Entries []console.Entry `json:"entries"`
}

type readyEvent struct {
	Missed bool `json:"missed"` // read everything again
}

type filesEvent struct {
	Files []fileInfo `json:"files"`
}

type consoleEvent struct {
	First   uint64          `json:"first"`
	Entries []console.Entry `json:"entries"`
}

type repoRequest struct {
	ID     string `json:"id"`
	Source string `json:"source"` // "owner/repo@ref:folder", or the address of a page of GitHub
}

type cloneRequest struct {
	ID    string `json:"id"`
	State bool   `json:"state"` // with KV and databases
}

type importReply struct {
	ID      string   `json:"id"`
	Wants   []string `json:"wants,omitempty"`   // what the package asks to be granted; nothing was
	Secrets []string `json:"secrets,omitempty"` // names of secrets that were left out
	Dropped []string `json:"dropped,omitempty"` // names of symbolic links that were left out
}

type failedInfo struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// progressEvent is a line of an answer that takes long.
type progressEvent struct {
	Step     string       `json:"step"`  // "fetch", "check", "done", "failed"
	Done     int64        `json:"done"`  // bytes
	Total    int64        `json:"total"` // 0 if it is not known
	Imported *importReply `json:"imported,omitempty"`
	Failed   *failedInfo  `json:"failed,omitempty"`
}

// decode reads the JSON body of a request into v.
func (c *call) decode(v any, limit int64) error {
	d := json.NewDecoder(http.MaxBytesReader(c.w, c.r.Body, limit))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return bodyError(err)
	}
	if d.More() {
		return invalid("The request holds more than one value.")
	}
	return nil
}

// reply answers with v as JSON.
func (c *call) reply(status int, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.w.Header().Set("Content-Type", "application/json; charset=utf-8")
	c.w.WriteHeader(status)
	c.w.Write(data)
	return nil
}
