package webapi

import "net/http"

// text is what statusText gives: as in workerd, a response that says nothing else
// has the reason phrase of its status. The Fetch standard has an empty one.
func (p *response) text() string {
	if p.statusText != "" || p.said {
		return p.statusText
	}
	return reason(p.status)
}

// reason returns workerd's phrase for a status.
func reason(status int) string {
	switch status {
	case 413:
		return "Payload Too Large"
	case 414:
		return "URI Too Long"
	case 416:
		return "Range Not Satisfiable"
	case 425:
		return "Client Error"
	}
	if text := http.StatusText(status); text != "" {
		return text
	}
	switch status / 100 {
	case 2:
		return "Successful"
	case 3:
		return "Redirection"
	case 4:
		return "Client Error"
	case 5:
		return "Server Error"
	}
	return ""
}
