package main

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	badPercent = `%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)`
	more       = `^(/v2)?/(campaigns/[^/]+|creatives/[^/]+(/media-files)?|connection-profiles/[^/]+(/rules/[^/]+/hosts/[^/]+)?)/[\w-]+$`
	less       = `^(/v2)?/(campaigns|creatives|connection-profiles(/[^/]+/rules(/[^/]+(/hosts)?)?)?)/?$`
	paging     = `(?i)^(p|page|page_?(number|index|no)|offset|start|skip|cursor|limit|size|n|per_?page|page_?size|count|max|` +
		`max_?results|take|first|top|rows|items|page\[(number|offset|size|limit)\])$`
)

// Classes 1 to 10: path, query, paging and method.
var ofTargets = []member{
	{"path-structure", "dot segment", segment(`^\.{1,2}$`)},
	{"path-structure", "encoded dot segment", segment(`(?i)^(%2e|%2e%2e|\.%2e|%2e\.)$`)},
	{"path-structure", "doubled slash", path(`//`)},
	{"path-structure", "trailing slash", path(`[^/]/$`)},
	{"path-structure", "encoded slash", path(`(?i)%2f`)},
	{"path-structure", "backslash", path(`(?i)\\|%5c`)},
	{"path-escapes", "cut short", path(badPercent)},
	{"path-escapes", "percent u", path(`(?i)%u[0-9a-f]{4}`)},
	{"path-escapes", "double", path(`%25[0-9A-Fa-f]{2}`)},
	{"path-escapes", "control character", path(`(?i)%([01][0-9a-f]|7f)`)},
	{"path-escapes", "not UTF-8", func(r *request) bool { return utf8.ValidString(r.path) && !utf8.ValidString(decode(r.path)) }},
	{"path-escapes", "needless", path(`(?i)%(2d|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])`)},
	{"path-escapes", "raw byte", path(`[^\x00-\x7f]`)},
	{"path-near-route", "letter case", func(r *request) bool {
		return slices.ContainsFunc(r.segments, func(s string) bool { return anotherLetterCase(fixed)(decode(s)) })
	}},
	{"path-near-route", "suffix of a format", path(`[^./]\.[A-Za-z][A-Za-z0-9]*$`)},
	{"path-near-route", "matrix parameter", path(`(?i)(;|%3b)[^/;=]+(=|%3d)`)},
	{"path-near-route", "a segment more", both(path(more), not(path(less)), not(path(`/media-files$`)))},
	{"path-near-route", "without an ID", path(less)},
	{"path-near-route", "underscore", segment(`^(connection_profiles|media_files)$`)},
	{"id-spelling", "leading zeros", id(`^[+-]?0+\d+$`)},
	{"id-spelling", "plus sign", id(`^\+\d`)},
	{"id-spelling", "fraction or exponent", id(`^[+-]?\d+(\.\d*|(\.\d*)?[eE][+-]?\d+)$`)},
	{"id-spelling", "prefix of a base", id(`(?i)^0[xob][0-9a-f]+$`)},
	{"id-spelling", "digits of another script", id(`[^\x00-\x7f\P{N}]`)},
	{"id-spelling", "padded", id(`^[\s\p{Z}\x{200B}\x{FEFF}]+[+-]?\d|\d[\s\p{Z}\x{200B}\x{FEFF}]+$`)},
	{"id-spelling", "placeholder", id(`(?i)^(null|nil|none|undefined|nan|[+-]?inf(inity)?|true|false|\{.*\}|:\w+|<.*>|\[object object\])$`)},
	{"id-range", "zero", id(`^[+-]?0+$`)},
	{"id-range", "negative", id(`^-0*[1-9]\d*$`)},
	{"id-range", "over 31 bits", sized(1<<31, 1<<53)},
	{"id-range", "over 53 bits", sized(1<<53, 1<<63)},
	{"id-range", "over 63 bits", sized(1<<63, 1e98)},
	{"id-range", "over 100 digits", sized(1e100, math.Inf(1))},
	{"paging-values", "zero", parameter(paging, `^[+-]?0+$`)},
	{"paging-values", "negative", parameter(paging, `^-0*[1-9]`)},
	{"paging-values", "enormous", parameter(paging, `^\d{10,}$`)},
	{"paging-values", "not a number", parameter(paging, `^[^\d\s][^\d]*$`)},
	{"paging-values", "empty", parameter(paging, `^$`)},
	{"paging-values", "fraction or exponent", parameter(paging, `^[+-]?(\d*\.\d+|\d+[eE]\d+)$`)},
	{"paging-values", "signed or padded", parameter(paging, `^\s*\+\d|^\s+-?\d|\d\s+$`)},
	{"query-form", "repeated", func(r *request) bool { return twice(namesOf(r.params)) }},
	{"query-form", "brackets", query(`(?i)(^|&)[^=&]*(\[|%5b)`)},
	{"query-form", "without a value", query(`(^|&)[^=&]+(&|$)`)},
	{"query-form", "empty pair", query(`^&|&&|&$`)},
	{"query-form", "cut short", query(badPercent)},
	{"query-form", "question mark", query(`\?`)},
	{"query-form", "semicolon", query(`;`)},
	{"query-unasked", "field of the body", both(updating, parameter(`^(`+strings.Join(known, "|")+`)$`, ``))},
	{"query-unasked", "ID", parameter(`(?i)^((connection_?profile|profile|rule|host|campaign|creative|parent|user|owner|account)_?)?id$`, ``)},
	{
		"query-unasked", "projection",
		parameter(`(?i)^(sort|order|fields?|select|columns?|include|expand|embed|filters?|where|q|query|search)(_?by)?(\[|\.|$)`, ``),
	},
	{"query-unasked", "callback", parameter(`(?i)^(callback|jsonp|cb)$`, ``)},
	{"query-unasked", "switch", parameter(`(?i)^_?(debug|force|dry_?run|admin|verbose|test|trace|cascade|recursive|pretty)$`, ``)},
	{"query-unasked", "format", parameter(`(?i)^_?(format|output|alt)$`, ``)},
	{"method-other", "PUT or POST", method(`^(PUT|POST)$`)},
	{"method-other", "HEAD", method(`^HEAD$`)},
	{"method-other", "OPTIONS", method(`^OPTIONS$`)},
	{"method-other", "of another path", elsewhere},
	{"method-other", "letter case", func(r *request) bool { return anotherLetterCase(methods)(r.method) }},
	{"method-other", "unknown", func(r *request) bool { return !slices.Contains(methods, strings.ToUpper(r.method)) }},
	{"method-other", "TRACE or CONNECT", method(`^(TRACE|CONNECT)$`)},
	{"method-override", "X-HTTP-Method-Override", has("x-http-method-override")},
	{"method-override", "X-HTTP-Method", has("x-http-method")},
	{"method-override", "X-Method-Override", has("x-method-override")},
	{"method-override", "parameter", parameter(`^_method$`, ``)},
}
