package outbound

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
)

// reason says why a request failed, without what only this machine's own network would tell:
// addresses of its name servers, of its interfaces.
func reason(err error) (code, why string) {
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var errno syscall.Errno
	var netErr net.Error
	switch text := err.Error(); {
	case errors.As(err, &dns):
		if dns.IsNotFound {
			return "fetch_failed", "there is no host of this name"
		}
		return "fetch_failed", "its name could not be resolved"
	case errors.As(err, &cert):
		return "fetch_failed", "its certificate is not valid: " + cert.Err.Error()
	case errors.As(err, &record), strings.Contains(text, "HTTP response to HTTPS client"):
		return "fetch_failed", "it does not speak TLS"
	case errors.As(err, &alert):
		return "fetch_failed", "TLS failed: " + alert.Error()
	case strings.Contains(text, "headers exceeded"), strings.Contains(text, "header list larger"):
		return "limit_fetch_headers", "the headers of the response are too large"
	case errors.Is(err, errDecode):
		return "fetch_failed", "the body cannot be decoded"
	case errors.Is(err, errWindows):
		return "fetch_failed", "too many encoded responses are being read at once"
	case errors.As(err, &errno):
		return "fetch_failed", errno.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(text, "server closed"):
		return "fetch_failed", "the connection was closed before the end of the response"
	case errors.As(err, &netErr) && netErr.Timeout():
		return "limit_fetch_time", "it did not answer in time"
	case strings.Contains(text, "ContentLength="):
		return "fetch_failed", "the body of the request has not the length that its Content-Length says"
	case strings.Contains(text, "malformed HTTP"), strings.Contains(text, "malformed MIME"), strings.Contains(text, "invalid"):
		return "fetch_failed", "its response is malformed"
	}
	return "fetch_failed", "the connection failed"
}
