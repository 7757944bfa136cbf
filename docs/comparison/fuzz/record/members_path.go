package main

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	pageNames = `(?i)^(p|page|page_?(number|index|no)|offset|start|skip|cursor|page\[(number|offset)\])$`
	sizeNames = `(?i)^(limit|size|n|per_?page|page_?size|count|max|max_?results|take|first|top|rows|items|page\[(size|limit)\])$`
)

// Classes 1 to 20: path, query and paging.
var ofPath = []member{
	{"path-reserved-encoded", "slash", path(`(?i)%2f`)},
	{"path-reserved-encoded", "backslash", path(`(?i)%5c`)},
	{"path-reserved-encoded", "semicolon", path(`(?i)%3b`)},
	{"path-reserved-encoded", "question mark", path(`(?i)%3f`)},
	{"path-reserved-encoded", "percent", path(`%25`)},
	{"path-bytes-not-utf8", "not UTF-8", func(r *request) bool { return !utf8.ValidString(decode(r.path)) }},
	{"path-bytes-not-utf8", "overlong", path(`(?i)%c[01]%[89ab][0-9a-f]|%e0%[89][0-9a-f]`)},
	{"path-control", "NUL", path(`%00`)},
	{"path-control", "line feed", path(`(?i)%0a`)},
	{"path-control", "carriage return", path(`(?i)%0d`)},
	{"path-control", "tab", path(`%09`)},
	{"path-other-digits", "Arabic-Indic", id(`[٠-٩۰-۹]`)},
	{"path-other-digits", "full-width", id(`[０-９]`)},
	{"path-other-digits", "superscript", id(`[⁰¹²³⁴-⁹]`)},
	{"path-other-digits", "others", id(`[^\x00-\x7f٠-٩۰-۹０-９⁰¹²³⁴-⁹\P{N}]`)},
	{"path-number-form", "sign", id(`^[+-]\d`)},
	{"path-number-form", "fraction", id(`^[+-]?\d+\.\d*$`)},
	{"path-number-form", "exponent", id(`^[+-]?[\d.]+[eE][+-]?\d+$`)},
	{"path-number-form", "leading zeros", id(`^[+-]?0\d+$`)},
	{"path-number-form", "grouping", id(`^\d+[,_ ' ]\d+$`)},
	{"path-number-form", "hexadecimal", id(`^0[xX][0-9a-fA-F]+$`)},
	{"path-number-form", "NaN", id(`(?i)^nan$`)},
	{"path-number-form", "Infinity", id(`(?i)^[+-]?inf(inity)?$`)},
	{"path-number-size", "32 bits", sized(math.MaxInt32, 1<<53-1)},
	{"path-number-size", "53 bits", sized(1<<53-1, math.MaxInt64)},
	{"path-number-size", "63 bits", sized(math.MaxInt64, math.MaxUint64)},
	{"path-number-size", "64 bits", sized(math.MaxUint64, 1e98)},
	{
		"path-number-size", "hundreds of digits",
		func(r *request) bool {
			return slices.ContainsFunc(r.ids, func(s string) bool { return len(s) > 99 && wholeNumber.MatchString(s) })
		},
	},
	{"path-dots", "one", segment(`^\.$`)},
	{"path-dots", "two", segment(`^\.\.$`)},
	{"path-dots", "encoded", segment(`(?i)^(%2e|%2e%2e|\.%2e|%2e\.)$`)},
	{"path-dots", "at the end", last(`(?i)^(\.|%2e){1,2}$`)},
	{"path-extension", "extension", last(`^[^.]+\.[A-Za-z][A-Za-z0-9]*$`)},
	{"path-extension", "version", last(`(?i)[.;@~-]v(ersion)?=?\d`)},
	{"path-empty-and-extra", "empty segment", func(r *request) bool { return strings.Contains(r.path, "//") }},
	{"path-empty-and-extra", "trailing slash", path(`[^/]/$`)},
	{"path-empty-and-extra", "too many", func(r *request) bool {
		return slices.ContainsFunc(shapes, func(s string) bool {
			rest, ok := strings.CutPrefix(r.shape(), s+"/")
			return ok && strings.Trim(rest, "/") != "" && !slices.Contains(shapes, r.shape())
		})
	}},
	{"path-empty-and-extra", "too few", func(r *request) bool {
		shape := strings.TrimRight(r.shape(), "/")
		return !slices.Contains(shapes, shape) && slices.ContainsFunc(shapes, func(s string) bool { return strings.HasPrefix(s, shape+"/") })
	}},
	{"path-length", "segment", func(r *request) bool {
		return slices.ContainsFunc(r.segments, func(s string) bool { return len(s) > 255 })
	}},
	{"path-length", "path", func(r *request) bool { return len(r.path) > 1024 }},
	{"path-letter-case", "letter case", func(r *request) bool {
		return slices.ContainsFunc(r.segments, func(s string) bool {
			return !slices.Contains(fixed, decode(s)) && slices.Contains(fixed, strings.ToLower(decode(s)))
		})
	}},
	{"path-letter-case", "needlessly encoded", path(`(?i)%(2d|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])`)},
	{"target-absolute-form", "whole URL", matched(func(r *request) []string { return []string{r.target} }, `(?i)^https?://`)},
	{"query-malformed", "percent", query(`%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)`)},
	{"query-malformed", "not UTF-8", func(r *request) bool { return !utf8.ValidString(decode(r.query)) }},
	{"query-malformed", "ampersands", query(`^&+$`)},
	{"query-malformed", "without a name", query(`(^|&)=`)},
	{"query-repeated", "equal", repeated(true)},
	{"query-repeated", "different", repeated(false)},
	{"query-structured", "brackets", query(`(?i)(^|&)[^=&]*(\[|%5b)`)},
	{
		"query-structured", "operators",
		query(`(?i)(^|&)[^=&]*(\$|%24|__(gte?|lte?|in|ne|not|contains)\b|` +
			`(\[|%5b)\$?(gte?|lte?|ne|eq|in|regex|where)(\]|%5d)|[<>!])`),
	},
	{"paging-bounds", "zero", paged(pageNames, 0, 1)},
	{"paging-bounds", "negative", paged(pageNames, math.Inf(-1), 0)},
	{"paging-bounds", "far beyond", paged(pageNames, 1000, math.MaxInt32/20)},
	{"paging-bounds", "multiplied", paged(pageNames, math.MaxInt32/20, math.Inf(1))},
	{"paging-size", "zero", paged(sizeNames, 0, 1)},
	{"paging-size", "negative", paged(sizeNames, math.Inf(-1), 0)},
	{"paging-size", "one", paged(sizeNames, 1, 2)},
	{"paging-size", "enormous", paged(sizeNames, 10000, math.Inf(1))},
	{"paging-not-a-number", "empty", parameter(pageNames+"|"+sizeNames, `^$`)},
	{"paging-not-a-number", "word", parameter(pageNames+"|"+sizeNames, `^[^\d\s][^\d]*$`)},
	{"paging-not-a-number", "fraction", parameter(pageNames+"|"+sizeNames, `^[+-]?\d*\.\d+$`)},
	{"paging-not-a-number", "space", parameter(pageNames+"|"+sizeNames, `^\s+[+-]?\d+\s*$|^\s*[+-]?\d+\s+$`)},
	{"query-sort-and-filter", "sort", parameter(`(?i)^sort`, ``)},
	{"query-sort-and-filter", "order", parameter(`(?i)^order`, ``)},
	{"query-sort-and-filter", "field", parameter(`(?i)^(fields?|select|columns?|include|expand|embed)\b`, ``)},
	{"query-sort-and-filter", "filter", parameter(`(?i)^(filters?|where|q|query|search)\b`, ``)},
	{"query-volume", "parameters", func(r *request) bool { return len(r.params) >= 1000 }},
	{"query-volume", "kilobytes", func(r *request) bool { return len(r.query) >= 4096 }},
}
