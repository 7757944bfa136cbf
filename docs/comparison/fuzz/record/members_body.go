package main

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Classes 39 to 45: JSON, texts and sequences.
var ofBodies = []member{
	{"json-encoding", "byte order mark", body(`^\xef\xbb\xbf|^\x{FEFF}`)},
	{"json-encoding", "UTF-16", func(r *request) bool {
		b := r.body
		return len(b) > 3 && (b[0] == 0 && b[2] == 0 || b[1] == 0 && b[3] == 0 || b[0] == 0xff && b[1] == 0xfe || b[0] == 0xfe && b[1] == 0xff)
	}},
	{"json-encoding", "Latin-1", func(r *request) bool { return !utf8.Valid(r.body) && latin1.Match(r.body) }},
	{"json-encoding", "not UTF-8", func(r *request) bool { return !utf8.Valid(r.body) }},
	{"json-encoding", "half surrogate pair", func(r *request) bool { return halfPair(string(r.body)) }},
	{"json-encoding", "white space", func(r *request) bool { return len(r.body) > 0 && len(bytes.TrimSpace(r.body)) == 0 }},
	{"json-members", "twice", func(r *request) bool {
		return len(r.json.names) != len(slices.Compact(slices.Sorted(slices.Values(r.json.names))))
	}},
	{"json-members", "letter case", func(r *request) bool {
		return slices.ContainsFunc(r.json.names, func(name string) bool {
			return !slices.Contains(known, name) && slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
		})
	}},
	{"json-members", "empty", names(`^$`)},
	{"json-members", "long", func(r *request) bool {
		return slices.ContainsFunc(r.json.names, func(n string) bool { return len(n) >= 200 })
	}},
	{"json-members", "dots or dollars", names(`[.$]`)},
	{
		"json-members", "inherited",
		names(`^(__proto__|constructor|prototype|hasOwnProperty|toString|valueOf|__defineGetter__|__class__|__init__)$`),
	},
	{"json-members", "read-only", names(`^(id|createdAt|updatedAt|userId|type|adspecId|shareURL|parentId|campaignId)$`)},
	{"json-numbers", "beyond machine types", number(`^-?\d{20,}`)},
	{"json-numbers", "overflow", number(`^-?[\d.]+[eE]\+?(30[89]|3[1-9]\d|[4-9]\d\d|\d{4,})$`)},
	{"json-numbers", "thousands of digits", func(r *request) bool {
		return slices.ContainsFunc(r.json.numbers, func(n string) bool { return len(n) >= 2000 })
	}},
	{"json-numbers", "negative zero", number(`^-0(\.0+)?([eE][+-]?\d+)?$`)},
	{"json-numbers", "NaN", number(`(?i)^[+-]?(nan|inf|infinity)$`)},
	{"json-shape", "array", body(`^\s*\[`)},
	{"json-shape", "text", body(`^\s*"`)},
	{"json-shape", "number", body(`^\s*-?[0-9]+[0-9.eE+-]*\s*$`)},
	{"json-shape", "null", body(`^\s*(null|true|false)\s*$`)},
	{"json-shape", "another type", func(r *request) bool {
		for i, name := range r.json.names {
			if slices.Contains(known, name) && r.json.kinds[i] != '"' {
				return true
			}
		}
		return false
	}},
	{"json-shape", "deep", func(r *request) bool { return r.json.depth >= 64 }},
	{"json-shape", "thousands of members", func(r *request) bool { return r.json.members >= 1000 }},
	{"json-shape", "large", func(r *request) bool { return len(r.body) > 100<<10 }},
	{"text-characters", "control characters", text(func(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) })},
	{"text-characters", "noncharacters", texts(`[\x{FDD0}-\x{FDEF}\x{FFFE}\x{FFFF}\x{1FFFE}\x{1FFFF}\x{2FFFE}\x{10FFFE}\x{10FFFF}]`)},
	{"text-characters", "direction marks", texts(`[\x{061C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}]`)},
	{"text-characters", "combining", texts(`\p{M}`)},
	{"text-characters", "without a letter", texts(`^[^\pL\pN]+$`, "name")},
	{"text-characters", "braces", texts(`[{}]`, "name", "hostname")},
	{"text-characters", "quotes", texts("[\"'`]", "name", "hostname")},
	{"text-characters", "escapes of other languages", texts(`[\\%]|--|/\*|;|\$\(|<[a-z!/]|&[a-z#]`, "name", "hostname")},
	{"text-characters", "limits in characters", text(func(s string) bool { return limit(utf8.RuneCountInString(s)) })},
	{"text-characters", "limits in bytes", text(func(s string) bool { return utf8.RuneCountInString(s) != len(s) && limit(len(s)) })},
	{"text-formats", "invalid expression", text(invalidExpression, "regularExpression")},
	{
		"text-formats", "expression of a dialect",
		texts(`\(\?([=!>]|<[=!]|[A-Za-z-]*[:)]|P?[<'#|&R]|\()|\\[1-9pPkKgGAzZ]|[*+?}]\+|\[\[:`, "regularExpression"),
	},
	{"text-formats", "backtracking", texts(`[+*}]\)+[+*{]|\|[^()]*\)[+*{]|(\.\*.*){3}|\([^()]*[+*][^()]*\)[+*{]`, "regularExpression")},
	{"text-formats", "empty label", texts(`^\.|\.\.|\.$`, "hostname")},
	{"text-formats", "long label", texts(`[^.]{64}`, "hostname")},
	{"text-formats", "underscore", texts(`_`, "hostname")},
	{"text-formats", "brackets", texts(`[\[\]]`, "hostname")},
	{"text-formats", "port", texts(`:\d+$`, "hostname")},
	{"text-formats", "scheme", texts(`^[a-z]+:/?/?[^0-9]`, "hostname")},
	{"text-formats", "wildcard", texts(`\*`, "hostname")},
	{"text-formats", "other scripts", texts(`[^\x00-\x7f\P{L}]|(?i)^xn--|(?i)\.xn--`, "hostname")},
	{"text-formats", "action in other case", text(func(s string) bool {
		return !slices.Contains(published, s) && slices.Contains(published, strings.ToLower(s))
	}, actions...)},
	{
		"text-formats", "action outside the list",
		text(func(s string) bool { return !slices.Contains(published, strings.ToLower(s)) }, actions...),
	},
	sequence("delete twice"),
	sequence("list after its parent"),
	sequence("update after a failed one"),
	sequence("same update twice"),
	sequence("at the same moment"),
	sequence("slow body"),
	sequence("broken off"),
}

var (
	actions   = []string{"withCookiesAction", "withoutCookiesAction"}
	published = []string{"pass", "warn", "fail"}
)

// sequence is what only the requests before tell, see recorder.sequences.
func sequence(name string) member {
	return member{"order-of-requests", name, func(r *request) bool { return r.sequences[name] }}
}
