package canvas

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A prepared response is a file as it is sent. It is immutable but for its
// encodings, which are made when first asked for.
type prepared struct {
	name        string
	body        []byte
	contentType []string
	length      []string
	tag         string      // entity tag without quotes
	etag        []string    // of the body as it is
	extra       http.Header // from _headers; nil for none

	coded [3]struct {
		once         sync.Once
		body         []byte // nil: not worth it
		etag, length []string
	}
}

// newPrepared prepares a body whose hash is known.
func newPrepared(name, contentType string, body []byte, hash string) *prepared {
	tag := hash[:min(len(hash), 32)]
	return &prepared{
		name: name, body: body, tag: tag, etag: []string{`"` + tag + `"`},
		contentType: []string{contentType}, length: []string{strconv.Itoa(len(body))},
	}
}

// data is isData of the file.
func (p *prepared) data() bool { return isData(p.contentType, p.extra["Content-Disposition"]) }

func (p *prepared) size() int64 { return int64(len(p.body)) + 512 }

// as returns the body in the best coding that the client takes.
func (p *prepared) as(accept string) (c coding, body []byte, etag, length []string) {
	if accept != "" && len(p.body) >= minCompress && compressible(p.contentType[0]) {
		if c := acceptedCoding(accept); c != identity {
			k := &p.coded[c]
			k.once.Do(func() {
				if k.body = encode(c, p.body); k.body != nil {
					k.etag = []string{`"` + p.tag + "-" + codingNames[c] + `"`}
					k.length = []string{strconv.Itoa(len(k.body))}
				}
			})
			if k.body != nil {
				return c, k.body, k.etag, k.length
			}
		}
	}
	return identity, p.body, p.etag, p.length
}

// reads reports whether the method only reads, and answers itself if not.
func (v *visit) reads() bool {
	if v.r.Method == http.MethodGet || v.r.Method == http.MethodHead {
		return true
	}
	v.methodNotAllowed("GET, HEAD")
	return false
}

// send answers with a prepared response. The caller has written the headers
// that are not its own.
func (v *visit) send(p *prepared, status int) {
	if len(p.body) > largeBody {
		defer v.unblock(v.h.done)()
	}
	h := v.w.Header()
	h["Content-Type"] = p.contentType
	for name, values := range p.extra {
		h[name] = values
	}
	if status == http.StatusOK {
		h["Accept-Ranges"] = valBytes
		if v.r.Header["Range"] != nil || v.r.Header["If-Match"] != nil {
			h["Etag"] = p.etag
			serveRange(v.w, v.r, p)
			return
		}
	}
	accept := ""
	if a := v.r.Header["Accept-Encoding"]; len(a) > 0 {
		accept = a[0]
	}
	c, body, etag, length := p.as(accept)
	h["Etag"] = etag
	if status == http.StatusOK {
		if asked := v.r.Header["If-None-Match"]; asked != nil && p.matches(asked) {
			delete(h, "Content-Type")
			delete(h, "Accept-Ranges")
			v.w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if c != identity {
		h["Content-Encoding"] = []string{codingNames[c]}
	}
	h["Content-Length"] = length
	v.w.WriteHeader(status)
	if v.r.Method != http.MethodHead {
		v.w.Write(body)
	}
}

// matches reports whether a client has this body, in whichever coding.
func (p *prepared) matches(ifNoneMatch []string) bool {
	for _, list := range ifNoneMatch {
		for item := range strings.SplitSeq(list, ",") {
			item = strings.TrimPrefix(strings.TrimSpace(item), "W/")
			if item == "*" {
				return true
			}
			item, ok := strings.CutPrefix(item, `"`)
			if !ok {
				continue
			}
			rest, ok := strings.CutPrefix(item, p.tag)
			if ok && (rest == `"` || rest == `-gzip"` || rest == `-zstd"`) {
				return true
			}
		}
	}
	return false
}

// maxRanges is how many ranges of one file are sent at once. A request for
// more gets the whole file, as a server may do.
const maxRanges = 8

// serveRange answers a conditional or partial request of the body as it is.
func serveRange(w http.ResponseWriter, r *http.Request, p *prepared) {
	http.ServeContent(w, saneRange(r), "", time.Time{}, bytes.NewReader(p.body))
}

// saneRange drops a Range header with more ranges than anybody needs. The last
// no bytes, "-0", are a range that cannot be satisfied; net/http would answer
// with a Content-Range that ends before it starts.
func saneRange(r *http.Request) *http.Request {
	values := r.Header["Range"]
	if len(values) == 0 {
		return r
	}
	specs := strings.Split(strings.TrimPrefix(values[0], "bytes="), ",")
	empty := false
	for i, spec := range specs {
		if spec = strings.TrimSpace(spec); len(spec) > 1 && strings.Trim(spec, "0") == "-" && spec[0] == '-' {
			specs[i], empty = "9223372036854775807-", true
		}
	}
	many := len(values) > 1 || len(specs) > maxRanges
	if !many && !empty {
		return r
	}
	clone := *r
	clone.Header = r.Header.Clone()
	if many {
		delete(clone.Header, "Range")
	} else {
		clone.Header["Range"] = []string{"bytes=" + strings.Join(specs, ",")}
	}
	return &clone
}
