package wire

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"slices"
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
	patterns *patterns
}

type secret struct {
	variable string
	given    bool // by the operator, who has the variable; else derived by a case
}

func newSecrets(given []Secret) *secrets {
	s := &secrets{known: map[string]secret{}, patterns: newPatterns(nil)}
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
	if s.knows(value) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[value] = as
	var all []pattern
	for value, as := range s.known {
		all = append(all, forms(value, as.variable)...)
	}
	s.patterns = newPatterns(all)
}

func (s *secrets) knows(value string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, there := s.known[value]
	return there
}

// forget makes a key no secret any more, from the next add on.
func (s *secrets) forget(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, value)
}

const elision = "…"

// redact takes the text for one of ours: what was left out of it at an elision
// may be the other half of a key.
func (s *secrets) redact(text string) string {
	if !strings.Contains(text, elision) {
		return s.redactCut(text, false)
	}
	parts := strings.Split(text, elision)
	last := len(parts) - 1
	for i, part := range parts {
		core := strings.TrimRight(part, " ")
		if i == last {
			core = part
		}
		shown := s.redactCut(core, i < last) + part[len(core):]
		if i > 0 {
			shown = s.redactStart(shown)
		}
		parts[i] = shown
	}
	return strings.Join(parts, elision)
}

// redactStart takes the end of a key, of at least minSecret bytes, from the
// beginning of a text, which may itself begin within an escape.
func (s *secrets) redactStart(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	in := &reading{text: text}
	for _, p := range s.patterns.all {
		for from := 1; from+minSecret <= len(p.text); from++ {
			for at := range min(len(text), maxEscape) {
				if end, _ := p.match(in, at, from); end > at {
					return " $" + p.variable + text[end:]
				}
			}
		}
	}
	return text
}

// redactCut is redact for a text that may end within a key.
func (s *secrets) redactCut(text string, cut bool) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.patterns.replace(text, cut)
}

// forms are the ways in which a value may come back, beside escapes of single
// bytes, which patterns know.
func forms(value, variable string) []pattern {
	b := []byte(value)
	all := []pattern{{text: value}}
	for _, text := range []string{value, strings.ToUpper(value), strings.ToLower(value), hex.EncodeToString(b)} {
		all = append(all, pattern{text: text, fold: true})
	}
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		all = append(all, pattern{text: e.EncodeToString(b)}, pattern{text: e.WithPadding(base64.NoPadding).EncodeToString(b)})
		for before := range 3 {
			all = append(all, pattern{text: withinBase64(e, b, before)})
		}
	}
	all = slices.DeleteFunc(all, func(p pattern) bool { return len(p.text) < minSecret })
	for i := range all {
		all[i].variable = variable
	}
	return all
}

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

// Redact puts variable names in the place of keys, also in other letter case,
// in base64 and hex, and where some or all bytes are escaped for a URL, JSON or
// HTML.
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
		for _, v := range values {
			name, v := c.redactField(name, v)
			shown.Header[name] = append(shown.Header[name], v)
		}
	}
	cut := ex.Err != nil && ex.Err.Kind != RateLimited
	shown.Body = []byte(c.secrets.redactCut(string(ex.Response.Body), cut))
	return &shown
}

// redactField also finds a key that the colon of the header field splits.
func (c *Client) redactField(name, value string) (shownName, shownValue string) {
	name, value = c.Redact(name), c.Redact(value)
	for _, colon := range []string{":", ": "} {
		line := name + colon + value
		if shown := c.Redact(line); shown != line {
			name, value, _ = strings.Cut(shown, ":")
			return name, value
		}
	}
	return name, value
}
