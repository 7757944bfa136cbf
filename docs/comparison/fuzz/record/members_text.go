package main

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	blank = `[\s\p{Z}\x{200B}\x{2060}\x{FEFF}]`
	regex = "regularExpression"
)

var (
	actions   = []string{"withCookiesAction", "withoutCookiesAction"}
	published = []string{"pass", "warn", "fail"}
)

// Classes 34 to 45: texts of the fields, and sequences.
var ofTexts = []member{
	{"name-extent", "empty", texts(`^$`, "name")},
	{"name-extent", "blank", texts(`^`+blank+`+$`, "name")},
	{"name-extent", "padded", texts(`^`+blank+`+\S|\S`+blank+`+$`, "name")},
	{"name-extent", "line break", texts(`[\n\r\x{85}\x{2028}\x{2029}]`, "name")},
	{"name-extent", "over 255", text(func(s string) bool { return utf8.RuneCountInString(s) > 255 }, "name")},
	{"name-extent", "over 64 KiB", text(func(s string) bool { return len(s) > 64<<10 }, "name")},
	{"name-characters", "bidirectional", texts(`[\x{061C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}]`)},
	{"name-characters", "without width", texts(`[\x{AD}\x{200B}-\x{200D}\x{2060}\x{FEFF}]`)},
	{"name-characters", "decomposed", texts(`[\p{Latin}\p{Greek}\p{Cyrillic}][\x{300}-\x{36F}]`)},
	{"name-characters", "joined emoji", texts(`\p{S}\x{FE0F}?[\x{200D}\x{1F3FB}-\x{1F3FF}]`)},
	{"name-characters", "unassigned", texts(`\p{Co}|[\x{FDD0}-\x{FDEF}\x{FFFE}\x{FFFF}\x{1FFFE}\x{1FFFF}\x{10FFFE}\x{10FFFF}]`)},
	{"name-characters", "mixed scripts", texts(`\p{Latin}[\p{Cyrillic}\p{Greek}]|[\p{Cyrillic}\p{Greek}]\p{Latin}`)},
	{"name-markup", "HTML", texts(`(?i)<[a-z!/]`, "name")},
	{"name-markup", "SQL", texts(`(?i)['"]\s*(or|and)\s+['"\d(]|['"]\)?\s*(;|--)|\bunion\s.*select\b|;\s*(drop|delete|select)\b`, "name")},
	{"name-markup", "template", texts(`\{\{|\{%|\$\{|<%|#\{`, "name")},
	{"name-markup", "formula", texts(`^(=\S|@[A-Z]+\(|[+-]\d+[+*|-])`, "name")},
	{"name-markup", "path", texts(`(?i)\.\.[/\\]|/etc/|^[a-z]:\\|^file:`, "name")},
	{"name-markup", "shell", texts("\\$\\(|`|[;|&]\\s*(cat|ls|id|sleep|ping|rm|curl|wget|echo|whoami|touch)\\b", "name")},
	{"name-markup", "lookup", texts(`(?i)\$\{(jndi|env|sys|java|lower|upper|ctx|date|::)`, "name")},
	{"hostname-form", "URL", texts(`^([A-Za-z][A-Za-z0-9+.-]*:)?//`, "hostname")},
	{"hostname-form", "port", texts(`^[^:/]+:\d+(/|$)|\]:\d+`, "hostname")},
	{"hostname-form", "path", texts(`^[^/]+[^/:]/|^[A-Za-z]+://[^/]+/.`, "hostname")},
	{"hostname-form", "user", texts(`@`, "hostname")},
	{"hostname-form", "wildcard", texts(`\*`, "hostname")},
	{"hostname-form", "IPv4", texts(`^(\d+|0[xX][0-9A-Fa-f]+)(\.(\d+|0[xX][0-9A-Fa-f]+)){0,3}\.?$`, "hostname")},
	{"hostname-form", "IPv6", texts(`^\[?[0-9A-Fa-f]*:[0-9A-Fa-f.]*:`, "hostname")},
	{"hostname-labels", "long label", texts(`[^.]{64}`, "hostname")},
	{"hostname-labels", "long", text(func(s string) bool { return len(s) > 253 }, "hostname")},
	{"hostname-labels", "empty label", texts(`^\.|\.\.`, "hostname")},
	{"hostname-labels", "hyphen at an edge", texts(`(^|\.)-|-(\.|$)`, "hostname")},
	{"hostname-labels", "trailing dot", texts(`[^.]\.$`, "hostname")},
	{"hostname-labels", "single", texts(`^[A-Za-z][A-Za-z0-9_-]*$`, "hostname")},
	{"hostname-labels", "international", texts(`[^\x00-\x7f]|(?i)(^|\.)xn--`, "hostname")},
	{"regex-broken", "open group", fault(syntax.ErrMissingParen, syntax.ErrUnexpectedParen)},
	{"regex-broken", "open class", fault(syntax.ErrMissingBracket)},
	{"regex-broken", "trailing backslash", fault(syntax.ErrTrailingBackslash)},
	{"regex-broken", "nothing to repeat", fault(syntax.ErrMissingRepeatArgument)},
	{"regex-broken", "reversed range", fault(syntax.ErrInvalidCharRange)},
	{"regex-broken", "reversed count", text(reversedCount, regex)},
	{"regex-engine", "nested repeats", texts(`[+*}](\\?.[?*])?\)[+*{]|\(\.[*+][^()]*\)\{`, regex)},
	{"regex-engine", "lookaround", texts(`\(\?<?[=!]`, regex)},
	{"regex-engine", "backreference", texts(`\\[1-9]|\\[kg][<{']|\(\?P=`, regex)},
	{"regex-engine", "possessive or atomic", texts(`(^|[^\\])[+*?}]\+|\(\?>`, regex)},
	{"regex-engine", "inline flags", texts(`\(\?[A-Za-z]*-?[A-Za-z]+[:)]`, regex)},
	{"regex-engine", "delimiters", texts(`^/.*/(g|i|u|s|x|gi|ig|im|gm|iu|gim)$|^([#~]).*[#~][a-z]*$`, regex)},
	{"regex-engine", "large count", texts(`\{(\d*,)?\d{4,}(,\d*)?\}`, regex)},
	{"action-values", "letter case", text(anotherLetterCase(published), actions...)},
	{"action-values", "padded", texts(`^`+blank+`+\S|\S`+blank+`+$`, actions...)},
	{"action-values", "empty", texts(`^`+blank+`*$`, actions...)},
	{"action-values", "number or boolean", texts(`(?i)^(-?\d+|true|false|null)$`, actions...)},
	{"action-values", "list", texts(`[,;|]`, actions...)},
	{"action-values", "unknown", text(func(s string) bool {
		return strings.Trim(s, " \t\r\n") == s && s != "" && !slices.Contains(published, strings.ToLower(s))
	}, actions...)},
	sequence("delete-again", "delete twice"),
	sequence("delete-again", "list after delete"),
	sequence("update-again", "same three times"),
	sequence("update-again", "back and forth"),
	sequence("update-again", "at once"),
	sequence("connection-use", "pipelined"),
	sequence("connection-use", "after a refusal"),
	sequence("connection-use", "broken off"),
	sequence("crossed-parents", "other profile"),
	sequence("crossed-parents", "other rule"),
	sequence("crossed-parents", "swapped"),
}
