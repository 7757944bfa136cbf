package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adconform/adconform/internal/oracle"
)

// A body is the body of an update as the contract reads it.
type body struct {
	is      bodyKind
	media   mediaKind
	fields  map[string]any // of an object
	lenient map[string]any // of an object as a lenient parser reads it, whatever else the body is
}

// A bodyKind is what the bytes of a body are.
type bodyKind int

const (
	noBody     bodyKind = iota
	object              // one JSON object
	otherJSON           // one JSON text that is no object
	noJSON              // not JSON
	beforeText          // a JSON object with text after it
	nearlyJSON          // in braces, but not JSON
	oddJSON             // JSON that readers understand in different ways, or not at all
)

// A mediaKind is how the header describes a body.
type mediaKind int

const (
	plainJSON  mediaKind = iota // application/json in UTF-8, however that is spelled
	otherMedia                  // another media type, another charset, or a content coding
)

// Bounds that no client of the interface exceeds: the bytes of a body, and how deep its JSON nests.
const (
	maxBody = 64 << 10
	maxDeep = 32
)

func readBody(header http.Header, raw []byte) (b body) {
	if b.media = mediaOf(header); len(raw) == 0 {
		return b
	}
	value := oracle.Decode(raw)
	fields, isObject := value.(map[string]any)
	b.lenient = fields
	switch {
	case isOdd(raw):
		b.is = oddJSON
	case isObject && !json.Valid(raw):
		b.is = beforeText
		b.fields = fields
	case isObject:
		b.is = object
		b.fields = fields
	case json.Valid(raw):
		b.is = otherJSON
	case inBraces.Match(raw):
		b.is = nearlyJSON
	default:
		b.is = noJSON
	}
	return b
}

// inBraces matches what parsers may read that accept more than JSON (RFC 8259, 9), such as comments.
var inBraces = regexp.MustCompile(`^\s*\{[^\x00]*\}\s*$`)

func mediaOf(header http.Header) mediaKind {
	kind, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	isUTF8 := strings.EqualFold(cmp.Or(parameters["charset"], "utf-8"), "utf-8")
	isCoded := header.Get("Content-Encoding") != ""
	switch {
	case err != nil, kind != "application/json", !isUTF8, isCoded:
		return otherMedia
	}
	return plainJSON
}

// Escapes of a character beyond the basic multilingual plane, and of a surrogate.
var (
	surrogatePair = regexp.MustCompile(`(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	surrogate     = regexp.MustCompile(`(?i)\\ud[89a-f][0-9a-f]{2}`)
)

// isOdd reports whether RFC 8259 lets readers differ in what a body says: invalid Unicode (8.1, 8.2), a byte order mark
// (8.1), names that come twice (4), deep nesting (9).
func isOdd(raw []byte) bool {
	isHalf := surrogate.Match(surrogatePair.ReplaceAll(raw, nil))
	switch {
	case !utf8.Valid(raw), isHalf, bytes.HasPrefix(raw, []byte("\uFEFF")):
		return true
	case repeatsNames(raw), depth(raw) > maxDeep:
		return true
	}
	return false
}

func repeatsNames(raw []byte) bool {
	d := jsontext.NewDecoder(bytes.NewBuffer(raw))
	return errors.Is(d.SkipValue(), jsontext.ErrDuplicateName)
}

// depth returns how deep a body nests, JSON or not.
func depth(raw []byte) (deepest int) {
	d := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true))
	for deepest <= maxDeep {
		if _, err := d.ReadToken(); err != nil {
			return deepest
		}
		deepest = max(deepest, d.StackDepth())
	}
	return deepest
}
