package main

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	blank   = `[\s\p{Z}\x{200B}\x{2060}\x{FEFF}]`
	regex   = "regularExpression"
	direct  = `[\x{061C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{AD}\x{200B}-\x{200D}\x{2060}\x{FEFF}]`
	folding = `[\x{130}\x{131}\x{149}\x{17F}\x{1F0}\x{345}\x{390}\x{3B0}\x{1E9E}\x{212A}\x{212B}\x{FB00}-\x{FB06}]`
	noSense = `\p{Co}|[\x{FDD0}-\x{FDEF}\x{FFFE}\x{FFFF}\x{1FFFE}\x{1FFFF}\x{2FFFE}\x{2FFFF}\x{10FFFE}\x{10FFFF}]`
	queries = `(?i)['"]\)?\s*(or|and)\b.*(=|like)|['"]\)?(\s*(;|--)|#)|\bunion\s+(all\s+)?select\b|;\s*(drop table|delete from|select )`
	formats = `\{\{|\{%|\$\{|<%|#\{|%(\d+\$)?[-0-9.]*l?[sdnxp]\b|%\(\w+\)|\{\d*\}`
	program = "(?i)\\$\\{(jndi|env|sys|java|lower|upper|::)|\\$\\(|`[^`]+`|(&&|[;|])\\s*(cat|ls|id|sleep|ping|rm|curl|wget|echo|whoami|ps)\\b"
	files   = `(?i)\.\.[/\\]|/etc/|^[a-z]:\\|^\\\\|^(file|gopher|php|dict):|169\.254\.169\.254`
)

var (
	actions   = []string{"withCookiesAction", "withoutCookiesAction"}
	published = []string{"pass", "warn", "fail"}
	free      = []string{"name", "hostname"}
)

// Classes 34 to 45: texts of the fields, and sequences.
var ofTexts = []member{
	// Texts of no characters, of blanks, or of more than a column holds.
	{"text-length", "empty or blank", texts(`^`+blank+`*$`, free...)},
	{"text-length", "padded", texts(`^`+blank+`+\S|\S`+blank+`+$`, free...)},
	{"text-length", "over 255 characters", text(func(s string) bool { return utf8.RuneCountInString(s) > 255 }, "name", regex)},
	{"text-length", "over 255 bytes alone", text(func(s string) bool { return len(s) > 255 && utf8.RuneCountInString(s) < 256 }, "name")},
	{"text-length", "over 64 KiB", text(func(s string) bool { return len(s) > 64<<10 })},
	// Characters that storage, sorting, folding or display get wrong.
	{"text-characters", "beyond 16 bits", texts(`[\x{10000}-\x{10FFFF}]`)},
	{"text-characters", "combining", texts(`[\p{Latin}\p{Greek}\p{Cyrillic}]\p{Mn}`)},
	{"text-characters", "unseen", texts(direct)},
	{"text-characters", "longer in another case", texts(folding)},
	{"text-characters", "control or separator", texts(`[\x00-\x1f\x7f-\x{9f}\x{2028}\x{2029}]`)},
	{"text-characters", "private or none", texts(noSense)},
	// Texts that are code for what they are put into.
	{"text-as-code", "SQL", texts(queries, free...)},
	{"text-as-code", "HTML or XML", texts(`(?i)<[a-z!/?]|&(#\d+|[a-z]+);`, free...)},
	{"text-as-code", "template or format", texts(formats, free...)},
	{"text-as-code", "formula", texts(`^(=\S|@[A-Z]+\(|[+-]\d+[+*|-])`, "name")},
	{"text-as-code", "file or address", texts(files, free...)},
	{"text-as-code", "command or look-up", texts(program, free...)},
	// Names that loose typing takes for a value that is no text.
	{"text-like-value", "nothing", texts(`(?i)^(null|nil|none|undefined|n/?a|\[object object\])$`, "name")},
	{"text-like-value", "boolean", texts(`(?i)^(true|false|yes|no|on|off)$`, "name")},
	{"text-like-value", "number", texts(`(?i)^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|^0x[0-9a-f]+$|^[+-]?(nan|inf|infinity)$`, "name")},
	{"text-like-value", "date or time", texts(`^\d{4}-\d\d-\d\d([T ].*)?$|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$|^\d\d:\d\d(:\d\d)?$`, "name")},
	{"text-like-value", "JSON", texts(`^\s*(\{.*\}|\[.*\]|".*")\s*$`, "name")},
	// Hostnames that say more than a name, or are an address.
	{"hostname-form", "URL", texts(`^([A-Za-z][A-Za-z0-9+.-]*:)?//`, "hostname")},
	{"hostname-form", "port", texts(`^[^:/]+:\d+(/|$)|\]:\d+`, "hostname")},
	{"hostname-form", "path, user or list", texts(`^[^/]+[^/:]/|@|[?#]|\S[\s,;]+\S`, "hostname")},
	{"hostname-form", "wildcard", texts(`\*|^\.`, "hostname")},
	{"hostname-form", "IPv4", texts(`^(\d+|0[xX][0-9A-Fa-f]+)(\.(\d+|0[xX][0-9A-Fa-f]+)){0,3}\.?$`, "hostname")},
	{"hostname-form", "IPv6", texts(`^\[?[0-9A-Fa-f]*:[0-9A-Fa-f.%a-z]*:?.*:|^\[`, "hostname")},
	// Labels that DNS or IDNA does not know.
	{"hostname-labels", "long label", texts(`^[^/]*[^./]{64}`, "hostname")},
	{"hostname-labels", "long", text(func(s string) bool { return len(s) > 253 }, "hostname")},
	{"hostname-labels", "empty label", texts(`^\.|\.\.|[^.]\.$`, "hostname")},
	{"hostname-labels", "hyphen or underscore", texts(`(^|\.)-|-(\.|$)|_`, "hostname")},
	{"hostname-labels", "not ASCII", texts(`[^\x00-\x7f]`, "hostname")},
	{"hostname-labels", "Punycode", texts(`(?i)(^|\.)xn--`, "hostname")},
	// Expressions that no engine compiles.
	{"regex-invalid", "open group", fault(``, syntax.ErrMissingParen, syntax.ErrUnexpectedParen)},
	{"regex-invalid", "open class", fault(``, syntax.ErrMissingBracket)},
	{"regex-invalid", "trailing backslash", fault(``, syntax.ErrTrailingBackslash)},
	{"regex-invalid", "nothing to repeat", fault(``, syntax.ErrMissingRepeatArgument)},
	{"regex-invalid", "reversed", either(fault(`^[^\[\\].*-`, syntax.ErrInvalidCharRange), text(reversedCount, regex))},
	{"regex-invalid", "unknown class", fault(`^\\[pP]|^\[:`, syntax.ErrInvalidCharRange)},
	// Expressions that compile in one engine and not, or otherwise, in the next.
	{"regex-dialect", "lookaround", texts(`\(\?<?[=!]`, regex)},
	{"regex-dialect", "backreference", texts(`\\[1-9]|\\[kg][<{']|\(\?P=`, regex)},
	{"regex-dialect", "named group", texts(`\(\?P?[<'][A-Za-z_]`, regex)},
	{"regex-dialect", "possessive, atomic or conditional", texts(`[\w).\]][+*?}]\+|\(\?>|\(\?\(|\(\?R\)`, regex)},
	{"regex-dialect", "class or anchor", texts(`\\[pP][{A-Z]|\[\[:|\\[hHvRXAZzGKQ<>y]|\[[^\]]*&&`, regex)},
	{"regex-dialect", "flags or delimiters", texts(`\(\?[A-Za-z]*-?[A-Za-z]+[:)]|^/.*/(g|i|m|s|u|x|[gimsu]{2})$|^([#~]).*[#~][a-z]*$`, regex)},
	// Expressions that take long to compile or to match.
	{"regex-cost", "nested repeats", texts(`[+*}](\\?.[?*])?\)[+*{]|\(\.[*+][^()]*\)\{`, regex)},
	{"regex-cost", "overlapping alternatives", text(overlapping, regex)},
	{"regex-cost", "large count", texts(`\{(\d*,)?\d{4,}(,\d*)?\}`, regex)},
	{"regex-cost", "many wildcards", texts(`(\.[*+].*){4}`, regex)},
	{"regex-cost", "long", text(func(s string) bool { return len(s) > 1000 }, regex)},
	// Actions that are none, or are once they are folded or looked up.
	{"action-values", "letter case", text(anotherLetterCase(published), actions...)},
	{"action-values", "blank, padded or look-alike", texts(`^$|[^\x21-\x7e]`, actions...)},
	{"action-values", "number or boolean", texts(`(?i)^([+-]?\d+(\.\d+)?|true|false|null|yes|no)$`, actions...)},
	{"action-values", "list", texts(`\w[,;|+/ ]+\w`, actions...)},
	{"action-values", "inherited", texts(inherits, actions...)},
	{"action-values", "another word", text(func(s string) bool {
		return aWord.MatchString(s) && !slices.Contains(published, strings.ToLower(s))
	}, actions...)},
	// What was done is done again, elsewhere or at the same moment.
	sequence("writes-again", "delete twice"),
	sequence("writes-again", "list after delete"),
	sequence("writes-again", "same three times"),
	sequence("writes-again", "back and forth"),
	sequence("writes-again", "at once"),
	sequence("writes-again", "name of another object"),
	// Profiles, rules and hosts that do not belong together.
	sequence("mixed-parents", "other profile"),
	sequence("mixed-parents", "other rule"),
	sequence("mixed-parents", "in another order"),
}
