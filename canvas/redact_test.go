package canvas

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"
)

func TestRedactor(t *testing.T) {
	key := "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQ+/\"x y\n-----END KEY-----\n"
	r := redactor(map[string]string{"A": "abcdef", "B": "abcdefghij", "KEY": key, "SHORT": "ab", "Q": `say "hi" & go/`})
	for text, want := range map[string]string{
		"x abcdef y":     "x [secret A] y",
		"x abcdefghij y": "x [secret B] y",
		"ab":             "ab",
		key:              "[secret KEY]",
		base64.StdEncoding.EncodeToString([]byte("abcdefghij")): "[secret B]==",
		hex.EncodeToString([]byte("abcdefghij")):                "[secret B]",
		"q=" + url.QueryEscape(`say "hi" & go/`):                "q=[secret Q]",
		`{"q":"say \"hi\" & go/"}`:                              `{"q":"[secret Q]"}`,
	} {
		if got := r.Replace(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{strings.ReplaceAll(key, "\n", "\\n"), "at MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", url.PathEscape(key)} {
		if got := r.Replace(text); strings.Contains(got, "MIIEvQ") {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}
