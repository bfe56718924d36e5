package canvas

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"
)

// mediaTypes are the types of files that web apps are made of. The system's
// own table is not asked: it differs from machine to machine.
var mediaTypes = map[string]string{
	".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml",
	".css": "text/css", ".js": "text/javascript", ".mjs": "text/javascript", ".cjs": "text/javascript",
	".ts": "text/javascript", ".mts": "text/javascript", ".tsx": "text/javascript", ".jsx": "text/javascript",
	".json": "application/json", ".map": "application/json", ".jsonl": "application/jsonl", ".geojson": "application/geo+json",
	".jsonld": "application/ld+json", ".webmanifest": "application/manifest+json", ".xml": "application/xml",
	".rss": "application/rss+xml", ".atom": "application/atom+xml", ".wasm": "application/wasm",
	".txt": "text/plain", ".md": "text/markdown", ".csv": "text/csv", ".tsv": "text/tab-separated-values",
	".yaml": "application/yaml", ".yml": "application/yaml", ".toml": "application/toml", ".vtt": "text/vtt", ".srt": "text/plain",
	".ics": "text/calendar", ".py": "text/x-python", ".go": "text/plain", ".rs": "text/plain", ".c": "text/plain", ".h": "text/plain",
	".sh": "text/plain", ".sql": "text/plain", ".log": "text/plain", ".glsl": "text/plain", ".frag": "text/plain", ".vert": "text/plain", ".wgsl": "text/wgsl",
	".svg": "image/svg+xml", ".png": "image/png", ".apng": "image/apng", ".jpg": "image/jpeg", ".jpeg": "image/jpeg",
	".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif", ".jxl": "image/jxl", ".ico": "image/x-icon", ".bmp": "image/bmp", ".tif": "image/tiff", ".tiff": "image/tiff",
	".woff2": "font/woff2", ".woff": "font/woff", ".ttf": "font/ttf", ".otf": "font/otf", ".eot": "application/vnd.ms-fontobject",
	".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".aac": "audio/aac", ".ogg": "audio/ogg", ".oga": "audio/ogg", ".opus": "audio/ogg",
	".wav": "audio/wav", ".flac": "audio/flac", ".mid": "audio/midi", ".midi": "audio/midi", ".weba": "audio/webm",
	".mp4": "video/mp4", ".m4v": "video/mp4", ".webm": "video/webm", ".ogv": "video/ogg", ".mov": "video/quicktime",
	".m3u8": "application/vnd.apple.mpegurl", ".pdf": "application/pdf", ".epub": "application/epub+zip",
	".zip": "application/zip", ".gz": "application/gzip", ".tar": "application/x-tar", ".sam": "application/zip",
	".gltf": "model/gltf+json", ".glb": "model/gltf-binary", ".obj": "model/obj", ".stl": "model/stl",
	".ttml": "application/ttml+xml", ".xsl": "application/xslt+xml", ".xslt": "application/xslt+xml",
}

// mediaType returns the Content-Type of a file. An unknown name is bytes,
// never sniffed, unless the contents are plainly text.
func mediaType(name string, head []byte) string {
	t, ok := mediaTypes[strings.ToLower(path.Ext(name))]
	text := isText(head)
	if !ok {
		if !text {
			return "application/octet-stream"
		}
		t = "text/plain"
	}
	if text && (strings.HasPrefix(t, "text/") || t == "application/xml" || t == "application/xhtml+xml" || t == "image/svg+xml" || t == "application/manifest+json") {
		t += "; charset=utf-8"
	}
	return t
}

// isText reports whether the beginning of a file is UTF-8 without control characters.
func isText(head []byte) bool {
	if len(head) > 512 {
		head = head[:512]
		for i := 0; i < utf8.UTFMax && len(head) > 0 && !utf8.Valid(head); i++ {
			head = head[:len(head)-1] // a rune cut in two
		}
	}
	return utf8.Valid(head) && !bytes.ContainsFunc(head, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' && r != 0x1b
	})
}

// compressible reports whether a type is worth compressing.
func compressible(contentType string) bool {
	t, _, _ := strings.Cut(contentType, ";")
	switch {
	case strings.HasPrefix(t, "text/"), strings.HasSuffix(t, "+xml"), strings.HasSuffix(t, "json"):
		return true
	}
	switch t {
	case "application/xml", "application/wasm", "application/yaml", "application/toml", "application/jsonl",
		"image/x-icon", "image/bmp", "font/ttf", "font/otf", "application/vnd.ms-fontobject", "model/obj":
		return true
	}
	return false
}
