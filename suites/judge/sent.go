package judge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Sent is the part of a request that matters: the key, where it is not that of the user
// whose object it is, or else the id that names none of the user's objects, which are given
// where there is one; a header; the body, or a field of it, where that which a pointer into the
// answer is about comes first; a query. nil: nothing sets it apart.
//
// It is read off the request, so that recorded traffic tells as much as a case.
func Sent(op *spec.Operation, r *wire.Request, pointer string, keyOrID *oracle.Sent) *oracle.Sent {
	return cmp.Or(keyOrID, header(r), body(op, r, pointer), query(r.Path))
}

// keyWords say what is sent in the place of a valid key, by the name of the credential.
var keyWords = map[string]string{
	"none":             "no key",
	"empty":            "an empty key",
	"percent":          "the key %",
	"unknown":          "an unknown key",
	"unknown-long":     "an unknown key of 200 characters",
	"owner-changed":    "the owner's key with one character changed",
	"owner-longer":     "the owner's key with x after it",
	"owner-shorter":    "the owner's key without its last character",
	"owner-other-case": "the owner's key in other letter case",
	"owner-last-third": "the owner's key with its last third changed",
	"owner-sql":        "the owner's key with a quote and SQL after it",
	"stranger":         "the key of another user",
}

// Key is the key of a request, where it is not the owner's; nil where it is.
func Key(r *wire.Request) *oracle.Sent {
	what, known := keyWords[r.Credential.Name]
	if !known {
		return nil
	}
	switch {
	case r.Header.Get("X-User-Id") != "":
		what += ", and headers that name a user or the server's own address"
	case r.Header.Get("X-Real-Ip") != "":
		what += ", and headers that name the server's own address"
	case r.Header.Get("Authorization") != "" && r.Credential.Name == "none":
		what += ", and a bearer token"
	}
	return &oracle.Sent{At: "key", What: what}
}

// tellingHeaders are those that say more than that a client sends JSON.
var tellingHeaders = []string{"Content-Encoding", "Content-Type", "If-Modified-Since", "If-None-Match"}

var jsonType = regexp.MustCompile(`(?i)^application/json *(; *charset="?utf-8"?)?$`)

func header(r *wire.Request) *oracle.Sent {
	for _, name := range tellingHeaders {
		if text := r.Header.Get(name); text != "" && !jsonType.MatchString(text) {
			return &oracle.Sent{At: "header:" + name, What: "the header " + name, Value: text}
		}
	}
	return nil
}

// query is what a page is asked for with.
func query(path string) *oracle.Sent {
	_, text, _ := strings.Cut(path, "?")
	values, err := url.ParseQuery(text)
	if err != nil || len(values) == 0 {
		return nil
	}
	name := sortedKeys(values)[0]
	s := &oracle.Sent{At: "query:" + name, Value: strings.Join(values[name], ", ")}
	if n, err := strconv.Atoi(s.Value); err != nil || n < 1 || n >= 1000 {
		s.What = "a page that does not exist"
	}
	return s
}

// body is what is wrong or odd in a body; the field that a pointer into the answer
// is about comes first, wrong or not.
func body(op *spec.Operation, r *wire.Request, pointer string) *oracle.Sent {
	if op.Body == nil || r.Method != op.Method {
		return nil
	}
	if what := bodyWords(r); what != "" {
		return &oracle.Sent{At: "body", What: what, Value: oracle.Shorten(string(r.Body))}
	}
	fields := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(r.Body))
	d.UseNumber()
	if d.Decode(&fields) != nil {
		return nil
	}
	member := func(name string) *oracle.Sent {
		return &oracle.Sent{At: "/" + name, What: memberWords(op, name, fields[name]), Value: oracle.Show(fields[name])}
	}
	if name := shownName(op, pointer); name != "" {
		if _, sent := fields[name]; sent {
			return member(name)
		}
	}
	names := sortedKeys(fields)
	slices.SortStableFunc(names, func(a, b string) int { return place(op, a) - place(op, b) })
	for _, name := range names {
		if s := member(name); s.What != "" {
			return s
		}
	}
	for _, f := range op.Body.Fields {
		if _, sent := fields[f.Name]; !sent && f.Required {
			return &oracle.Sent{At: "/" + f.Name, What: "a body without a required field"}
		}
	}
	return nil
}

// shownName is the member of a request that a pointer into the answer shows.
func shownName(op *spec.Operation, pointer string) string {
	rep := op.Representation()
	if rep == nil || op.Lists() {
		return ""
	}
	name := pointer[strings.LastIndexByte(pointer, '/')+1:]
	if r := rep.Named(name); r != nil && op.Body.Field(r.Meaning) != nil {
		return op.Body.Field(r.Meaning).Name
	}
	return name
}

// place is that of a member among the fields of a body; those that it does not have come last.
func place(op *spec.Operation, name string) int {
	if i := slices.Index(op.Body.Fields, op.Body.Named(name)); i >= 0 {
		return i
	}
	return len(op.Body.Fields)
}

// memberWords say what is wrong or odd about a member of a body; "" for nothing.
func memberWords(op *spec.Operation, name string, v any) string {
	if f := op.Body.Named(name); f != nil {
		return valueWords(f, v)
	}
	if rep := op.Representation(); rep != nil && rep.Named(name) != nil {
		return "a field that cannot be changed"
	}
	return "a field that the document does not know"
}

// megabyte is the size from which that of a body is what matters.
const megabyte = 1 << 20

// bodyWords say what is wrong with a body as a whole; "" where it is an object.
func bodyWords(r *wire.Request) string {
	text := bytes.TrimSpace(r.Body)
	d := json.NewDecoder(bytes.NewReader(text))
	var v any
	err := d.Decode(&v)
	switch {
	case !r.HasBody || len(text) == 0:
		return "a request without a body"
	case len(text) > megabyte:
		return "a body of more than a megabyte"
	case !utf8.Valid(text):
		return "a body that is not UTF-8"
	case bytes.Contains(text, []byte(`\ud800`)):
		return "a text with half a character (a lone surrogate)"
	case bytes.Contains(text, []byte(strings.Repeat("[", 100))):
		return "a body that nests a thousand deep"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "JSON that is cut off"
	case err != nil:
		return "a body that is not JSON"
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return "text after the JSON object"
	}
	switch v.(type) {
	case map[string]any:
		return ""
	case nil:
		return "a body that is null"
	}
	return "a body that is " + kindWords(v)
}

// kindWords name the JSON type of a value.
func kindWords(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	case bool:
		return "a boolean"
	case string:
		return "a text"
	}
	return "a number"
}

// typeWords name what a field holds.
func typeWords(f *spec.Field) string {
	switch {
	case f.Type == "integer":
		return "an integer"
	case f.Type == "string" || f.Type == "":
		return "a text"
	}
	return kindWords(map[string]any{"array": []any{}, "object": map[string]any{}, "boolean": true, "number": 1}[f.Type])
}

// valueWords say what is wrong or odd about the value of a field; "" for an ordinary one.
func valueWords(f *spec.Field, v any) string {
	text, isText := v.(string)
	_, isNumber := v.(json.Number)
	switch {
	case v == nil:
		return "null"
	case isNumber && len(f.Enum) > 0:
		return "a number for a listed value"
	case f.Type == "string" && isText && len(f.Enum) > 0 && !slices.Contains(f.Enum, text):
		if slices.ContainsFunc(f.Enum, func(listed string) bool { return strings.EqualFold(listed, text) }) {
			return "a listed value in other letter case"
		}
		return "a value that is not listed"
	case f.Type == "string" && isText:
		return textWords(f, text)
	case kindWords(v) != typeWords(f) && !(isNumber && f.Numbers()):
		return kindWords(v) + " for " + typeWords(f)
	}
	return ""
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// longText and longHost are the lengths from which that of a text is what matters.
const longText, longHost = 60, 50

// oddities are what texts may stumble over a server with, the most telling first.
var oddities = []struct {
	words string
	in    func(text string) bool
}{
	{"U+0000", has("\x00")},
	{"a tab", has("\t")},
	{"a line break", has("\n")},
	{"control characters", func(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }},
	{"half a character (a lone surrogate)", has("\ufffd")},
	{"an emoji", func(s string) bool { return strings.ContainsFunc(s, func(r rune) bool { return r > 0xffff }) }},
	{"letters beyond Latin-1", func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return r > 0xff && r <= 0xffff })
	}},
	{"an accent", func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return r > 0x7f && r <= 0xff })
	}},
	{"an apostrophe", has("'")},
	{"a quotation mark", has(`"`)},
	{"a backslash", has(`\`)},
	{"markup", has("<")},
	{"an ampersand", has("&")},
	{"a percent sign", has("%")},
	{"SQL words", has("SELECT")},
}

func has(part string) func(string) bool {
	return func(text string) bool { return strings.Contains(text, part) }
}

// ManyOddities are the words for a text with so many that none is named.
const ManyOddities = "a text with special characters"

var (
	onlyDigits = regexp.MustCompile(`^[0-9]+$`)
	quantifier = regexp.MustCompile(`\{[0-9]{3,}\}`)
)

// textWords say what is odd about a text for a field; "" for an ordinary one.
func textWords(f *spec.Field, text string) string {
	n := utf8.RuneCountInString(text)
	switch {
	case text == "":
		return "an empty text"
	case strings.TrimSpace(text) == "":
		return "a text of spaces"
	case f.Regex && quantifier.MatchString(text):
		return "an expression with a huge quantifier"
	case n >= longText, f.Hostname && n >= longHost:
		if n < len(text) {
			return fmt.Sprintf("a text of %d characters beyond ASCII", n)
		}
		return fmt.Sprintf("a text of %d characters", n)
	case onlyDigits.MatchString(text):
		return "a text of digits"
	case text == "true":
		return "the text true"
	case f.Hostname && strings.ContainsAny(text, " "):
		return "a text that is not a hostname"
	case f.Hostname && strings.ToLower(text) != text:
		return "a hostname with capitals"
	case f.Regex && (strings.HasPrefix(text, "([") || strings.HasPrefix(text, "(?P<")):
		return "a text that is not an expression"
	case strings.TrimSpace(text) != text:
		return "a text with spaces around it"
	case !norm.NFC.IsNormalString(text):
		return "a text that is not normalised"
	case f.Regex:
		text = strings.ReplaceAll(text, `\.`, "") // belongs in an expression
	}
	var all []string
	for _, o := range oddities {
		if o.in(text) {
			all = append(all, o.words)
		}
	}
	switch {
	case len(all) == 0:
		return ""
	case len(all) > 3:
		return ManyOddities
	case all[0] == "a tab" || all[0] == "a line break" || all[0] == "U+0000": // control characters, too
		return "a text with " + all[0]
	}
	return "a text with " + strings.Join(all, " and ")
}

// Changed are words with what became of a text that does not come back as it was sent:
// "escaped for HTML"; "" where no known change makes the one of the other.
func Changed(words string, sent, got any) string {
	s, ok := sent.(string)
	g, isText := got.(string)
	switch {
	case !ok || s == "":
		return ""
	case got == nil:
		return words + "as null, or not at all"
	case !isText:
		return words + "as " + kindWords(got)
	}
	decoded, err := url.QueryUnescape(s)
	for _, d := range []struct {
		words string
		is    bool
	}{
		{"escaped for HTML", g == html.EscapeString(s) || html.UnescapeString(g) == s},
		{"empty", g == ""},
		{"cut off", strings.HasPrefix(s, g)},
		{"cut off within a character", strings.HasPrefix(s, strings.TrimRight(g, "\ufffd"))},
		{"in lower case", g == strings.ToLower(s)},
		{"in capitals", g == strings.ToUpper(s)},
		{"decoded as a URL", err == nil && g == decoded},
		{"with its quotes doubled or escaped", unquoted(g) == unquoted(s)},
		{"without some of its characters", utf8.RuneCountInString(g) < utf8.RuneCountInString(s) && within(g, s)},
		{"with other characters in the place of some", utf8.RuneCountInString(g) == utf8.RuneCountInString(s) && mostly(g, s)},
	} {
		if d.is {
			return words + d.words
		}
	}
	return ""
}

// unquoted is a text with quotation marks that nothing doubles or escapes.
func unquoted(s string) string {
	return strings.NewReplacer(`\`, "", `''`, `'`, `""`, `"`).Replace(s)
}

// within says whether a text is another with characters left out.
func within(part, whole string) bool {
	rest := []rune(part)
	for _, r := range whole {
		if len(rest) > 0 && rest[0] == r {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}

// mostly says whether two texts of one length have more than half of their characters in
// common.
func mostly(a, b string) bool {
	same, other := 0, []rune(b)
	for i, r := range []rune(a) {
		if r == other[i] {
			same++
		}
	}
	return 2*same > len(other)
}
