package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	standard = `(?i)^((x-)?(gzip|compress)|deflate|br|zstd|identity|[,\s])*$`
	derived  = `(?i)^(type|status|sourceType(Label)?|shareURL|livePreviewURL|previewAnimationURL|nb[a-z]+|latestScanStatus|width|height)$`
)

// Classes 23 to 33: encoding of the body, JSON and its values.
var ofBodies = []member{
	{"content-type", "absent", func(r *request) bool { return len(r.body) > 0 && updating(r) && len(r.values("Content-Type")) == 0 }},
	{"content-type", "form", header("content-type", `(?i)^application/x-www-form-urlencoded`)},
	{"content-type", "multipart", header("content-type", `(?i)^multipart/`)},
	{"content-type", "text or XML", header("content-type", `(?i)^(text/|application/([a-z0-9.-]+\+)?xml)`)},
	{"content-type", "patch", header("content-type", `(?i)patch(\+json|;|$)`)},
	{"content-type", "charset", both(header("content-type", `(?i)charset=`), not(header("content-type", `(?i)charset="?utf-8"?\s*(;|$)`)))},
	{"content-type", "malformed or twice", malformedType},
	{"content-coding", "true", both(header("content-encoding", `(?i)(gzip|deflate|br|zstd)$`), packed)},
	{"content-coding", "untrue", func(r *request) bool { return r.untrue != nil }},
	{"content-coding", "unknown", both(has("content-encoding"), not(header("content-encoding", standard)))},
	{"content-coding", "stacked", func(r *request) bool { return len(codings(r)) > 1 }},
	{"content-coding", "expands", func(r *request) bool { return len(r.body) > 0 && len(r.unpacked) >= 100*len(r.body) }},
	{"text-encoding", "byte order mark", octets(`^\x{EF}\x{BB}\x{BF}`)},
	{"text-encoding", "UTF-16", octets(`^(\x{FE}\x{FF}|\x{FF}\x{FE})?(\x00[^\x00]\x00[^\x00]|[^\x00]\x00[^\x00]\x00)`)},
	{"text-encoding", "UTF-32", octets(`^(\x00\x00\x{FE}\x{FF}|\x{FF}\x{FE}\x00\x00)?(\x00{3}[^\x00]|[^\x00]\x00{3})`)},
	{"text-encoding", "not UTF-8", both(octets(`[^\x00]{4}`), func(r *request) bool { return !utf8.Valid(r.body) })},
	{"text-encoding", "surrogate", octets(`\x{ED}[\x{A0}-\x{BF}][\x{80}-\x{BF}]`)},
	{"text-encoding", "overlong", octets(`[\x{C0}\x{C1}][\x{80}-\x{BF}]|\x{E0}[\x{80}-\x{9F}][\x{80}-\x{BF}]|\x{F0}[\x{80}-\x{8F}]`)},
	{"body-delivery", "none on update", func(r *request) bool { return r.method == "PATCH" && updating(r) && len(r.body) == 0 && r.complete }},
	{"body-delivery", "on GET", func(r *request) bool { return len(r.body) > 0 && r.method == http.MethodGet }},
	{"body-delivery", "on DELETE", func(r *request) bool { return len(r.body) > 0 && r.method == http.MethodDelete }},
	{"body-delivery", "extension of a chunk", framing("extension")},
	{"body-delivery", "trailer", framing("trailer")},
	{"body-delivery", "tiny chunks", func(r *request) bool { return len(r.chunks) > 2 && slices.Max(r.chunks) <= 4 }},
	{"body-delivery", "padded size of a chunk", framing("padded size")},
	{"json-lenient", "trailing comma", bare(`,[\]}]`)},
	{"json-lenient", "comment", bare(`/\*|//`)},
	{"json-lenient", "single quotes", bare(`[{\[:,]'`)},
	{"json-lenient", "name without quotes", bare(`[{,][A-Za-z_$][\w$]*:`)},
	{"json-lenient", "NaN", word(`(?i)^[+-]?(nan|inf|infinity)$`)},
	{"json-lenient", "odd number", word(`^[+-]?0[\dxX]|^\+\d|^[+-]?\.\d|^-?\d+\.([eE].*)?$|^-?\d[\d_]*_\d`)},
	{"json-lenient", "other literal", both(word(`(?i)^(true|false|null|none|nil|undefined|yes|no)$`), not(word(`^(true|false|null)$`)))},
	ended("cut off"),
	ended("second document"),
	ended("trailing text"),
	{"json-ends", "prefix", both(func(r *request) bool { return r.json.end == "prefix" }, bare(`[\[{]`))},
	{"json-ends", "blank", body(`^\s+$`)},
	{"json-ends", "trailing NUL", octets(`^[^\x00]+\x00+$`)},
	{"json-names", "twice", repeated},
	{"json-names", "twice and escaped", both(repeated, body(`\\u00[0-9A-Fa-f]{2}[^"]*"\s*:`))},
	{"json-names", "letter case", func(r *request) bool { return slices.ContainsFunc(r.json.names, anotherLetterCase(known)) }},
	{"json-names", "prototype", names(`^(__proto__|constructor|prototype|hasOwnProperty|toString|valueOf|__class__|__init__)$`)},
	{"json-names", "empty", names(`^$`)},
	{"json-names", "padded", names(`^[\s\p{Z}]+\S|\S[\s\p{Z}]+$`)},
	{"json-names", "operator", names(`^\$|\.|\[`)},
	{"json-strings", "NUL", escape(`^\\u0000$`)},
	{"json-strings", "half surrogate pair", units(`^.{6}$`)},
	{"json-strings", "unknown escape", escape(`(?s)^\\([^"\\/bfnrtu]|u.{0,3}$|u.{0,3}[^0-9A-Fa-f])`)},
	{"json-strings", "raw control character", func(r *request) bool { return r.json.control }},
	{"json-strings", "needless escape", escape(`(?i)^\\u00(2[013-5789a-f]|3[0-9abdf]|4[0-9a-f]|5[0-9abd-f]|6[0-9a-f]|7[0-9a-e])$`)},
	{"json-size", "deep arrays", func(r *request) bool { return r.json.arrays >= 100 }},
	{"json-size", "deep objects", func(r *request) bool { return r.json.objects >= 100 }},
	{"json-size", "many members", func(r *request) bool { return r.json.members >= 1000 }},
	{"json-size", "many elements", func(r *request) bool { return r.json.elements >= 1000 }},
	{"json-size", "much space", func(r *request) bool { return r.json.blanks >= 1000 }},
	{"value-types", "null", kind("n")},
	{"value-types", "boolean", kind("tf")},
	{"value-types", "number", kind("-0123456789")},
	{"value-types", "array", kind("[")},
	{"value-types", "object", kind("{")},
	{"value-types", "huge number", word(`^-?\d{20,}|^-?[\d.]+[eE]\+?(30[89]|3[1-9]\d|[4-9]\d\d|\d{4,})$`)},
	{"value-types", "no object", func(r *request) bool { return json.Valid([]byte(r.text)) && !strings.HasPrefix(r.json.bare, "{") }},
	{"unlisted-members", "ID", names(`^_?id$`)},
	{"unlisted-members", "date", names(`(?i)^(created|updated|deleted|modified)_?(at|on|date)?$`)},
	{"unlisted-members", "owner", names(`(?i)^(user|owner|account|tenant|role|isAdmin|admin)(_?id)?$`)},
	{"unlisted-members", "parent", names(`(?i)^(parent|campaign|connection_?profile(_?rule)?|profile|rule|creative|(default_?)?adspec)_?id$`)},
	{"unlisted-members", "derived", names(derived)},
}

func ended(how string) member {
	return member{"json-ends", how, func(r *request) bool { return r.json.end == how }}
}

func packed(r *request) bool { return len(r.body) > 0 && r.untrue == nil }

func repeated(r *request) bool { return twice(r.json.names) }
