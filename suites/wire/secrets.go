package wire

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// minSecret is the length in bytes from which a value counts as a secret.
// Taking out shorter ones would take apart words that have nothing to do with it.
const minSecret = 4

// secrets knows every key and how each may look in what a target sends back.
type secrets struct {
	mu       sync.RWMutex
	known    map[string]secret // by value
	replacer *strings.Replacer
	forms    []form // the longest first
	longest  int    // bytes of the longest form
}

// form is one way in which a key may look, and the variable that stands for it.
type form struct{ text, variable string }

type secret struct {
	variable string
	given    bool // by the operator, who has the variable; else derived by a case
}

func newSecrets(given []Secret) *secrets {
	s := &secrets{known: map[string]secret{}, replacer: strings.NewReplacer()}
	for _, g := range given {
		s.add(g.Value, secret{variable(g.Name), true})
	}
	return s
}

// variable is the shell variable that stands for a key: "owner" gives
// ADCONFORM_OWNER_KEY.
func variable(name string) string {
	name = strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
	return "ADCONFORM_" + name + "_KEY"
}

// AddSecret makes a key unspeakable from now on: it is shown as $ADCONFORM_<NAME>_KEY.
func (c *Client) AddSecret(name, value string) { c.secrets.add(value, secret{variable(name), true}) }

// learn takes every key that a case sends for a secret, also those that the
// case made from one, unless it says otherwise.
func (c *Client) learn(k Credential) {
	if k.Send && !k.Public {
		c.secrets.add(k.Value, secret{variable(k.Name), false})
	}
}

func (s *secrets) add(value string, as secret) {
	if len(value) < minSecret {
		return
	}
	s.mu.RLock()
	_, there := s.known[value]
	s.mu.RUnlock()
	if there {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[value] = as
	var pairs []form
	for value, as := range s.known {
		for _, text := range forms(value) {
			pairs = append(pairs, form{text, "$" + as.variable})
		}
	}
	// The longest first: a key may be the beginning of another.
	slices.SortFunc(pairs, func(a, b form) int {
		return cmp.Or(len(b.text)-len(a.text), strings.Compare(a.text, b.text), strings.Compare(a.variable, b.variable))
	})
	var oldnew []string
	for _, p := range pairs {
		oldnew = append(oldnew, p.text, p.variable)
	}
	s.forms, s.longest = pairs, len(pairs[0].text)
	s.replacer = strings.NewReplacer(oldnew...)
}

func (s *secrets) redact(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.replacer.Replace(text)
}

// forms are the ways in which a value may come back.
func forms(value string) []string {
	b := []byte(value)
	encoded, _ := json.Marshal(value)
	var percentBytes, unicodeEscapes, upperEscapes strings.Builder
	for _, c := range b {
		fmt.Fprintf(&percentBytes, "%%%02X", c)
		fmt.Fprintf(&unicodeEscapes, `\u%04x`, c)
		fmt.Fprintf(&upperEscapes, `\u%04X`, c)
	}
	all := []string{
		value, strings.ToUpper(value), strings.ToLower(value), http.CanonicalHeaderKey(value), html.EscapeString(value),
		hex.EncodeToString(b), strings.ToUpper(hex.EncodeToString(b)), unicodeEscapes.String(), upperEscapes.String(),
		inPointer.Replace(value),
	}
	for _, percent := range []string{url.QueryEscape(value), url.PathEscape(value), percentBytes.String()} {
		all = append(all, percent, strings.ToLower(percent), lowerPercent(percent)) // %2F or %2f
	}
	for _, quoted := range []string{string(encoded), strconv.Quote(value)} {
		text := quoted[1 : len(quoted)-1]
		all = append(all, text, strings.ReplaceAll(text, "/", `\/`)) // as some JSON encoders do
	}
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		all = append(all, e.EncodeToString(b), e.WithPadding(base64.NoPadding).EncodeToString(b))
		for before := range 3 {
			all = append(all, withinBase64(e, b, before))
		}
	}
	for _, text := range all { // findings quote what the target says, in either way
		all = append(all, quotedJSON(text), quotedGo(text))
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(form string) bool { return len(form) < minSecret })
}

func quotedJSON(text string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(text) != nil {
		return text
	}
	quoted := strings.TrimSpace(b.String())
	return quoted[1 : len(quoted)-1]
}

func quotedGo(text string) string {
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}

// inPointer is how a member's name stands in a JSON pointer (RFC 6901).
var inPointer = strings.NewReplacer("~", "~0", "/", "~1")

var percentCode = regexp.MustCompile(`%[0-9A-F]{2}`)

func lowerPercent(text string) string { return percentCode.ReplaceAllStringFunc(text, strings.ToLower) }

// withinBase64 is what stays of b in the encoding of a longer text, such as
// "user:key" in Basic authentication, with (before mod 3) bytes in front of it.
func withinBase64(e *base64.Encoding, b []byte, before int) string {
	text := e.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, before), b...))
	text = text[[...]int{0, 2, 3}[before]:]
	if (before+len(b))%3 != 0 {
		text = text[:len(text)-1]
	}
	if len(text) < 2*minSecret {
		return ""
	}
	return text
}

// Redact puts variable names in the place of keys, also where they are
// base64-, percent-, hex-, HTML- or JSON-encoded.
func (c *Client) Redact(text string) string { return c.secrets.redact(text) }

// RedactedResponse is a copy of the response that may be shown; nil if there is
// none. Where the body was cut, its end is left out if it might be half a key.
func (c *Client) RedactedResponse(ex *Exchange) *Response {
	if ex.Response == nil {
		return nil
	}
	shown := *ex.Response
	shown.Header = http.Header{}
	for name, values := range ex.Response.Header {
		name = c.Redact(name)
		for _, v := range values {
			shown.Header[name] = append(shown.Header[name], c.Redact(v))
		}
	}
	shown.Body = []byte(c.Redact(string(ex.Response.Body)))
	if ex.Err != nil && ex.Err.Kind != RateLimited {
		c.secrets.mu.RLock()
		defer c.secrets.mu.RUnlock()
		shown.Body = shown.Body[:max(0, len(shown.Body)-c.secrets.longest+1)]
	}
	return &shown
}
