package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

type request struct {
	*http.Request
	body   string
	fields map[string]any // of the body, where it is a JSON object
	texts  string         // all texts among their values
}

const (
	profile  = "updateConnectionProfile"
	host     = "updateConnectionProfileRuleHost"
	campaign = "updateCampaign"
	creative = "deleteCreative"
	media    = "listCreativeMediaFiles"
)

var (
	all     = []string{profile, host, campaign, creative, media}
	updates = []string{profile, host, campaign}
)

// resource is the operation that a path belongs to, by the method where two share it.
func (r request) resource() string {
	path := r.URL.EscapedPath()
	switch {
	case strings.Contains(path, "/connection-profiles/") && strings.Contains(path, "/hosts/"):
		return host
	case strings.Contains(path, "/connection-profiles/"):
		return profile
	case strings.Contains(path, "/campaigns/"):
		return campaign
	case strings.Contains(path, "/creatives/") && strings.Contains(path, "/media-files"):
		return media
	case strings.Contains(path, "/creatives/"):
		return creative
	}
	return ""
}

func (r request) operation() string {
	resource := r.resource()
	method := map[string]string{creative: http.MethodDelete, media: http.MethodGet}[resource]
	if method == "" {
		method = http.MethodPatch
	}
	if r.Method != method {
		return ""
	}
	return resource
}

// ids are the segments in the places of ids, decoded.
func (r request) ids() []string {
	var ids []string
	segments := strings.Split(r.URL.EscapedPath(), "/")
	for i, segment := range segments[1:] {
		if slices.Contains([]string{"connection-profiles", "rules", "hosts", "campaigns", "creatives"}, segments[i]) {
			if decoded, err := url.PathUnescape(segment); err == nil {
				ids = append(ids, decoded)
			}
		}
	}
	return ids
}

func (r request) anyID(is func(string) bool) bool { return slices.ContainsFunc(r.ids(), is) }

func (r request) text(field string) string {
	text, _ := r.fields[field].(string)
	return text
}

// key is who asks.
func (r request) key() string { return r.Header.Get("X-API-Key") }

var (
	numberSyntax = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)
	digitsOnly   = regexp.MustCompile(`^[0-9]+$`)
	extension    = regexp.MustCompile(`\.[A-Za-z][A-Za-z0-9]*$`)
	badEscape    = regexp.MustCompile(`%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)`)
	mediaRange   = regexp.MustCompile(`^[^\s/]+/[^\s/]+$`)
	byteRange    = regexp.MustCompile(`^(\d*)-(\d*)$`)
	charsets     = regexp.MustCompile(`(?i)^(utf-?(8|16|32)([lb]e)?|us-ascii|ascii|iso-8859-\d+|latin-?1|` +
		`windows-125\d|shift_jis|euc-(jp|kr)|gbk|gb2312|gb18030|big5|koi8-r)$`)
)

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	http.MethodConnect, http.MethodOptions, http.MethodTrace,
	"PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "REPORT", "SEARCH", "LINK", "UNLINK", "PURGE",
}

// memory is what a defect keeps from one request to the next.
type memory struct{ known sync.Map }

func (m *memory) swap(key string, value bool) bool {
	before, _ := m.known.Swap(key, value)
	was, _ := before.(bool)
	return was
}

func (m *memory) get(key string) bool {
	value, _ := m.known.Load(key)
	is, _ := value.(bool)
	return is
}

func oddRange(r request) bool {
	values := r.Header.Values("Range")
	if len(values) == 0 {
		return false
	}
	unit, ranges, _ := strings.Cut(values[0], "=")
	if unit != "bytes" {
		return true
	}
	for one := range strings.SplitSeq(ranges, ",") {
		ends := byteRange.FindStringSubmatch(strings.TrimSpace(one))
		if ends == nil || ends[1]+ends[2] == "" {
			return true
		}
		first, err1 := strconv.Atoi(ends[1])
		last, err2 := strconv.Atoi(ends[2])
		if err1 == nil && err2 == nil && last < first {
			return true
		}
	}
	return false
}

func loneSurrogate(body string) bool {
	unit := func(at int) (rune, bool) {
		if at+6 > len(body) || body[at] != '\\' || body[at+1] != 'u' {
			return 0, false
		}
		n, err := strconv.ParseUint(body[at+2:at+6], 16, 32)
		return rune(n), err == nil
	}
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		first, ok := unit(i)
		if !ok {
			i++
			continue
		}
		i += 5
		switch {
		case first >= 0xDC00 && first <= 0xDFFF:
			return true
		case first >= 0xD800 && first <= 0xDBFF:
			second, ok := unit(i + 1)
			if !ok || second < 0xDC00 || second > 0xDFFF {
				return true
			}
			i += 6
		}
	}
	return false
}

// duplicateMember tells whether the outermost object has a member twice.
func duplicateMember(body string) bool {
	decoder := json.NewDecoder(strings.NewReader(body))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return false
	}
	seen := map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return false
		}
		if seen[name] {
			return true
		}
		seen[name] = true
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return false
		}
	}
	return false
}

func longInteger(body string) bool {
	decoder := json.NewDecoder(bytes.NewReader([]byte(body)))
	decoder.UseNumber()
	found := false
	for {
		token, err := decoder.Token()
		if err != nil {
			return found && errors.Is(err, io.EOF)
		}
		if number, ok := token.(json.Number); ok {
			digits := strings.TrimPrefix(number.String(), "-")
			found = found || len(digits) > 4300 && digitsOnly.MatchString(digits)
		}
	}
}

// depth is how deep arrays and objects nest, outside texts.
func depth(body string) int {
	deepest, now, text := 0, 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case !text && (c == '[' || c == '{'):
			now++
			deepest = max(deepest, now)
		case !text && (c == ']' || c == '}'):
			now--
		}
	}
	return deepest
}
