package main

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	broken  = `%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)`
	blanks  = `[\t\v\f \p{Z}\x{200B}\x{FEFF}]+` // a line break is another matter
	number  = `(?i)^(p|page|page_?(no|number|index)|page\[number\])$`
	size    = `(?i)^(limit|size|count|take|rows|per_?page|page_?size|max_?results|page\[(size|limit)\])$`
	paging  = number + `|` + size
	own     = `(campaigns|creatives|connection-profiles)`
	partial = `^/v2/(` + own + `|connection-profiles/[^/]+/rules(/[^/]+(/hosts)?)?)$`
	whole   = `^/v2/(campaigns/[^/]+|creatives/[^/]+(/media-files)?|connection-profiles/[^/]+(/rules/[^/]+/hosts/[^/]+)?)$`
	beyond  = `^/v2/(campaigns/[^/]+|creatives/[^/]+|connection-profiles/[^/]+)/[^/]`
	usual   = `(?i)^(/v2)?/(health[a-z]*|livez?|ready[a-z]*|ping|status|metrics|actuator|info|version|openapi[^/]*|swagger[^/]*|` +
		`api-docs|docs|graphql|favicon\.ico|robots\.txt|\.[a-z][a-z-]*|admin|login)(/|$)`
)

// Classes 1 to 10: path, IDs, query, method and first line.
var ofTargets = []member{
	// Slashes, dots and what else a router joins, drops or resolves.
	{"path-segments", "slash before all", path(`^//`)},
	{"path-segments", "empty ID", path(own + `/(/|$)|/(rules|hosts)/(/|$)`)},
	{"path-segments", "trailing slash", path(`[^/]/$`)},
	{"path-segments", "dot segment", segment(`(?i)^(\.|%2e){1,2}$`)},
	{"path-segments", "backslash", path(`(?i)\\|%5c`)},
	{"path-segments", "parameter", path(`(?i);|%3b`)},
	// Escapes that cannot be undone, or change what the target means once they are.
	{"percent-escapes", "broken", target(broken)},
	{"percent-escapes", "not UTF-8", func(r *request) bool { return utf8.ValidString(r.target) && !utf8.ValidString(decode(r.target)) }},
	{"percent-escapes", "slash", path(`(?i)%2f`)},
	{"percent-escapes", "question mark or hash", path(`(?i)%3f|%23`)},
	{"percent-escapes", "NUL or line break", target(`(?i)%0[0ad]`)},
	{"percent-escapes", "twice", target(`%25[0-9A-Fa-f]{2}`)},
	// A path near those of the interface, or one that every server is asked for.
	{"unrouted-path", "other base", path(`(?i)^/?$|^/v2/?$|^/v(\d{2,}|[013-9])(\.\d+)?/|^/(api|latest)/|^/` + own + `(/|$)`)},
	{"unrouted-path", "cut short", path(partial)},
	{"unrouted-path", "continued", both(path(beyond), not(path(partial)), not(path(whole)), not(segment(`^$|^\.+$`)))},
	{"unrouted-path", "letter case", func(r *request) bool {
		return slices.ContainsFunc(r.segments, func(s string) bool { return anotherLetterCase(fixed)(decode(s)) })
	}},
	{"unrouted-path", "file suffix", path(`[^./]\.(json|xml|html?|php|aspx?|jsp|do|csv|txt|js|css|ya?ml)$`)},
	{"unrouted-path", "unknown resource", both(path(`^/v2/[^/.]`), not(path(`(?i)^/v2/`+own+`(/|$)`)), not(path(usual)))},
	{"unrouted-path", "asked of every server", path(usual)},
	// The number of an ID in another notation.
	{"id-notation", "leading zeros", id(`^[+-]?0+[1-9]\d*$`)},
	{"id-notation", "plus sign", id(`^\+\d+$`)},
	{"id-notation", "fraction or exponent", id(`^[+-]?(\d+[.,]\d*|\d*\.\d+|\d+(\.\d*)?[eE][+-]?\d+)$`)},
	{"id-notation", "other base", id(`(?i)^0[xob][0-9a-f]+$`)},
	{"id-notation", "white space", id(`^` + blanks + `[+-]?\d|\d` + blanks + `$`)},
	{"id-notation", "other digits", id(`[^\x00-\x7f\P{N}]`)},
	// IDs outside of what a type of numbers holds.
	{"id-bounds", "zero", id(`^[+-]?0+$`)},
	{"id-bounds", "negative", id(`^-0*[1-9]\d*$`)},
	{"id-bounds", "past 31 bits", bits(32, 53)},
	{"id-bounds", "past 53 bits", bits(54, 63)},
	{"id-bounds", "past 63 bits", bits(64, 64)},
	{"id-bounds", "past 64 bits", bits(65, 1<<30)},
	// IDs that are no number, or begin with one and go on.
	{"id-text", "word", id(`^[A-Za-z][\w-]*$`)},
	{"id-text", "number and letters", id(`^\d+(-\w+|[A-DF-WYZa-df-wyz_]\w*)$`)},
	{"id-text", "number and line break", id(`^\d+[\r\n]`)},
	{"id-text", "number and delimiter", id("^\\d+[\\x00'\"`;,|&*()<>:]")},
	{"id-text", "UUID or hash", both(id(`(?i)^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$|^[0-9a-f]{24,64}$`), id(`[A-Fa-f]`))},
	{"id-text", "placeholder", id(`(?i)^(null|nil|none|undefined|nan)$|^[{<:$\[*]`)},
	// Numbers of pages and sizes with which offsets and slices go wrong.
	{"page-arithmetic", "page below one", parameter(number, `^-\d+$|^0+$`)},
	{"page-arithmetic", "page of 1,000 or more", parameter(number, `^[1-9]\d{3,8}$`)},
	{"page-arithmetic", "size below one", parameter(size, `^-\d+$|^0+$`)},
	{"page-arithmetic", "size of 1,000 or more", parameter(size, `^[1-9]\d{3,8}$`)},
	{"page-arithmetic", "ten digits", parameter(paging, `^-?\d{10,}$`)},
	{"page-arithmetic", "no whole number", parameter(paging, `[^\d-]|.-`)},
	// Parameters that frameworks make arrays and objects of, or that are no pairs.
	{"query-structure", "repeated", func(r *request) bool { return twice(namesOf(r.params)) }},
	{"query-structure", "list", asked(`\[\d*\]$`)},
	{"query-structure", "object", asked(`\[[^\]\d][^\]]*\]`)},
	{"query-structure", "value and structure", func(r *request) bool {
		all := namesOf(r.params)
		return slices.ContainsFunc(all, func(name string) bool {
			outer, _, ok := strings.Cut(name, "[")
			return ok && slices.Contains(all, outer)
		})
	}},
	{"query-structure", "open bracket", asked(`\[[^\]]*$|^[^\[]*\]`)},
	{"query-structure", "no pair", query(`(^|&)=|^&|&&|&$|(^|&)[^=&]+(&|$)`)},
	// Methods that the path does not have.
	{"unrouted-method", "POST or PUT", method(`^(POST|PUT)$`)},
	{"unrouted-method", "of another path", elsewhere},
	{"unrouted-method", "HEAD or OPTIONS", method(`^(HEAD|OPTIONS)$`)},
	{"unrouted-method", "seldom or unknown", both(not(method(`^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$`)), not(lowered))},
	{"unrouted-method", "letter case", lowered},
	{"unrouted-method", "override", either(has(`x-http-method-override|x-http-method|x-method-override`), parameter(`^_method$`, ``))},
	// A first line of another form than method, path and HTTP/1.1.
	{"request-line", "absolute form", target(`(?i)^[a-z][a-z0-9+.-]*://`)},
	{"request-line", "without a slash", both(target(`^[^/]`), not(target(`://`)))},
	{"request-line", "fragment", target(`#`)},
	{"request-line", "raw character", target("[\"<>{}|\\\\^`]|[^\\x21-\\x7e]")},
	{"request-line", "version", not(start(` HTTP/1\.1 *$`))},
	{"request-line", "spaces", start(`  |\t| $|^ `)},
}

func lowered(r *request) bool { return anotherLetterCase(methods)(r.method) }
