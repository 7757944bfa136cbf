package main

import (
	"encoding/json"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	valueOf  = `"(name|withoutCookiesAction|withCookiesAction|hostname|regularExpression)"\s*:\s*`
	codes    = `(?i)^((x-)?gzip|deflate|br|zstd|(x-)?compress|identity|)$`
	derived  = `(?i)^(type|status|state|sourceType(Label)?|[a-z]+URLs?|nb[A-Z][a-z]+|latestScanStatus|width|height|version|_links)$`
	inherits = `^(__proto__|constructor|prototype|hasOwnProperty|toString|valueOf|__class__|__init__|__dict__)$`
	guarded  = `(?i)^((user|owner|account|tenant|creator|campaign|parent|connection_?profile|profile|rule|(default_?)?adspec)_?id|` +
		`owner|user|roles?|(is_?)?admin|permissions)$`
)

// Classes 22 to 33: framing and connection, the body and its JSON.
var ofBodies = []member{
	// Lengths and chunks that two readers take for bodies of different ends.
	{"body-framing", "length and chunks", both(has("content-length"), has("transfer-encoding"))},
	{"body-framing", "several lengths", repeats("content-length")},
	{"body-framing", "malformed length", header("content-length", `^$|\D`)},
	{"body-framing", "other coding", both(has("transfer-encoding"), not(header("transfer-encoding", `(?i)chunked`)))},
	{"body-framing", "disguised coding", both(header("transfer-encoding", `(?i)chunked`), not(header("transfer-encoding", `^chunked$`)))},
	{"body-framing", "line of a chunk", either(framing("extension"), framing("odd size"))},
	{"body-framing", "trailer", framing("trailer")},
	// A connection that carries more, or less, than one request after another.
	sequence("connection-use", "pipelined"),
	sequence("connection-use", "after a refusal"),
	sequence("connection-use", "broken off"),
	{"connection-use", "other expectation", both(has("expect"), not(both(header("expect", `(?i)^100-continue$`), announced)))},
	{"connection-use", "upgrade", both(has("upgrade"), not(both(header("upgrade", `^h2c$`), has("http2-settings"))))}, // Java's clients do
	{"connection-use", "names a field", header("connection", `(?i)\b(`+endToEnd+`)\b`)},
	// A Content-Type that is not that of the interface.
	{"media-type", "absent", func(r *request) bool { return len(r.body) > 0 && updating(r) && len(r.values("Content-Type")) == 0 }},
	{"media-type", "form or multipart", header("content-type", `(?i)^(application/x-www-form-urlencoded|multipart/)`)},
	{"media-type", "text or XML", header("content-type", `(?i)^(text/|application/([a-z0-9.-]+\+)?xml)`)},
	{"media-type", "other JSON", header("content-type", `(?i)^(application/[^;]*(\+|patch|-|nd|seq)json|application/json-[a-z]|text/json)`)},
	{"media-type", "parameter", both(header("content-type", `;`), not(header("content-type", `(?i);\s*charset="?utf-8"?\s*$`)))},
	{"media-type", "malformed or twice", malformedType},
	// Bytes of a body that are not plainly UTF-8.
	{"body-bytes", "byte order mark", octets(`^\x{EF}\x{BB}\x{BF}`)},
	{"body-bytes", "two or four a character", octets(`^(\x{FE}\x{FF}|\x{FF}\x{FE})|^\x00{1,3}[^\x00]|^[^\x00](\x00[^\x00]\x00|\x00{3})`)},
	{"body-bytes", "not UTF-8", both(octets(`^([^\x00]{4}|[^\x00]{1,3}$)`), func(r *request) bool { return !utf8.Valid(r.body) })},
	{"body-bytes", "compressed", func(r *request) bool { return len(codings(r)) > 0 && len(r.body) > 0 && r.untrue == nil }},
	{"body-bytes", "not as it says", func(r *request) bool { return r.untrue != nil }},
	{"body-bytes", "coding unknown or several", either(other("content-encoding", codes), stacked)},
	// A body that as a whole is no object, or comes where none belongs.
	{"body-whole", "none", func(r *request) bool { return r.method == "PATCH" && updating(r) && len(r.body) == 0 && r.complete }},
	{"body-whole", "blank", body(`^\s+$`)},
	{"body-whole", "null", bare(`^null$`)},
	{"body-whole", "text, number or boolean", both(bare(`^("|-?\d[^,\[{]*|true|false)$`), valid)},
	{"body-whole", "array", both(bare(`^\[`), valid)},
	{"body-whole", "where none belongs", func(r *request) bool {
		return len(r.body) > 0 && slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodDelete, http.MethodOptions}, r.method)
	}},
	// JSON that some parsers take and others do not.
	{"json-broken", "cut off", func(r *request) bool { return r.json.end == "cut off" }},
	{"json-broken", "more before or after", func(r *request) bool { return strings.HasPrefix(r.json.end, "more") }},
	{"json-broken", "comma too many or few", bare(`,[\]},]|[\[{],|["\w\]}]["{\[]|"\w`)},
	{"json-broken", "comment", bare(`/\*|//|(^|[,{\[}])#`)},
	{"json-broken", "name or text without quotes", bare(`[{\[:,]'|[{,][A-Za-z_$][\w$]*:`)},
	{"json-broken", "literal of another language", both(word(`(?i)^[+-]?(true|false|null|none|nil|undefined|yes|no|nan|inf|infinity)$`),
		not(word(`^(true|false|null)$`)))},
	// Numbers that do not fit, or that only some parsers take, anywhere in a body.
	{"json-numbers", "past 63 bits", wide},
	{"json-numbers", "past a double", word(`^-?[\d.]+[eE](\+?(30[89]|3[1-9]\d|[4-9]\d\d|\d{4,})|-(32[4-9]|3[3-9]\d|[4-9]\d\d|\d{4,}))$`)},
	{"json-numbers", "many digits of a fraction", word(`\.\d{20}`)},
	{"json-numbers", "minus zero", word(`^-0(\.0*)?([eE].*)?$`)},
	{"json-numbers", "integer as a fraction", word(`^-?[1-9]\d*(\.0+|(\.0+)?[eE]\+?\d{1,2})$`)},
	{"json-numbers", "malformed", word(`^[+-]?0[\dxXoObB]|^\+\d|^-?\.\d|^-?\d+\.([eE].*)?$|^-?\d[\d_]*_\d|^-?\d[\d.]*[eE][+-]?$`)},
	// JSON that is deep, wide or long.
	{"json-extent", "deep arrays", func(r *request) bool { return r.json.arrays >= 100 }},
	{"json-extent", "deep objects", func(r *request) bool { return r.json.objects >= 100 }},
	{"json-extent", "many members", func(r *request) bool { return r.json.members >= 1000 }},
	{"json-extent", "many elements", func(r *request) bool { return r.json.elements >= 1000 }},
	{"json-extent", "long name", longer(func(r *request) []string { return r.json.names }, 1000)},
	{"json-extent", "a megabyte", func(r *request) bool { return max(len(r.body), len(r.unpacked)) >= 1_000_000 }},
	// Names of members that two readers take for different ones, or that have a meaning of their own.
	{"member-names", "twice", func(r *request) bool { return twice(r.json.names) }},
	{"member-names", "letter case", func(r *request) bool { return slices.ContainsFunc(r.json.names, anotherLetterCase(known)) }},
	{"member-names", "other style", func(r *request) bool { return slices.ContainsFunc(r.json.names, restyled) }},
	{"member-names", "inherited", names(inherits)},
	{"member-names", "operator or path", names(`^\$|\w[./]\w|\[`)},
	{"member-names", "empty or padded", names(`^$|^[\s\p{Z}\p{Cf}]|[\s\p{Z}\p{Cf}\x00]$`)},
	// Escapes in texts, and what should have been one.
	{"text-escapes", "NUL", escape(`^\\u0000$`)},
	{"text-escapes", "half a pair", units(`^.{6}$`)},
	{"text-escapes", "unknown or short", escape(`(?s)^\\([^"\\/bfnrtu]|u.{0,3}$|u.{0,3}[^0-9A-Fa-f])`)},
	{"text-escapes", "control character as it is", func(r *request) bool { return r.json.control }},
	{"text-escapes", "letter or digit", escape(`(?i)^\\u00(3\d|4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])$`)},
	// A field whose value is of another type.
	{"value-type", "null", kind("n")},
	{"value-type", "boolean", kind("tf")},
	{"value-type", "number", kind("-0123456789")},
	{"value-type", "empty array or object", body(valueOf + `(\[\s*\]|\{\s*\})`)},
	{"value-type", "array", body(valueOf + `\[\s*[^\]\s]`)},
	{"value-type", "object", body(valueOf + `\{\s*[^}\s]`)},
	// Members that an update does not offer, which a mapper may set all the same.
	{"members-not-offered", "ID", names(`^_?id$`)},
	{"members-not-offered", "date", names(`(?i)^(created|updated|deleted|modified)_?(at|on|date)?$`)},
	{"members-not-offered", "owner, parent or role", names(guarded)},
	{"members-not-offered", "derived", names(derived)},
	{"members-not-offered", "type tag", names(`^(@(type|class|id|context)|\$(type|ref|schema|class)|_?_type(name)?|_?class|_method|_token)$`)},
	{"members-not-offered", "envelope", body(`"(data|attributes|payload|body|params|input|patch|campaign|profile|host|creative)"\s*:\s*\{`)},
}

func stacked(r *request) bool { return len(codings(r)) > 1 }

func valid(r *request) bool { return json.Valid([]byte(r.text)) }

func announced(r *request) bool {
	return len(r.body) > 0 || r.chunked() || r.first("Content-Length") > "0"
}

func wide(r *request) bool {
	return slices.ContainsFunc(r.json.words, func(word string) bool {
		n, ok := new(big.Int).SetString(word[:min(len(word), 1000)], 10)
		return ok && n.BitLen() > 63
	})
}

// restyled is the name of a field, written as is usual in another language.
func restyled(name string) bool {
	plain := strings.NewReplacer("_", "", "-", "", " ", "").Replace(name)
	return plain != name && slices.ContainsFunc(known, func(own string) bool { return strings.EqualFold(own, plain) })
}
