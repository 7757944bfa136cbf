package main

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	keyNames  = `(?i)^(x[-_])?(api|access|auth)[_-]?(key|token)$|^(key|token)$`
	token     = "!#$%&'*+.^_`|~0-9A-Za-z-"
	endToEnd  = `host|x-[a-z-]+|authorization|content-[a-z]+|accept[a-z-]*|transfer-encoding|cookie|user-agent`
	loopback  = `(?i)^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$`
	plainHost = `(?i)^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9.-]*[a-z0-9])?)(:\d{1,5})?$`
	badPort   = `:$|:0+$|:\d{6,}$|:(6553[6-9]|655[4-9]\d|65[6-9]\d\d|6[6-9]\d{3}|[7-9]\d{4})$|:[^:\]]*[^\d:\]][^:\]]*$`
	fitting   = `(?i)(^|,)\s*(\*/\*|application/(\*|([a-z0-9.-]+\+)?json))\s*(;|,|$)`
	fixedDate = `^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$`
	dated     = `if-(un)?modified-since`
	b3        = `^([0-9a-f]{16}([0-9a-f]{16})?-[0-9a-f]{16}(-[01d](-[0-9a-f]{16})?)?|[01d])$`
	addresses = `x-real-ip|(x-|true-|x-cluster-)?client-ip|cf-connecting-ip`
	written   = `=(j:|s:|[{\[]|%7b|%5b|[ao]:\d+:|rO0|gAS)|(^|;)\s*[^=;]*\[`
)

// Classes 11 to 21: headers.
var ofHeaders = []member{
	// A Host that names another server, or none.
	{"host-header", "absent", both(not(has("host")), not(start(` HTTP/1\.0$`)))},
	{"host-header", "empty", header("host", `^$`)},
	{"host-header", "twice", repeats("host")},
	{"host-header", "other name", both(header("host", plainHost), not(header("host", loopback)))},
	{"host-header", "no port", header("host", badPort)},
	{"host-header", "odd character", header("host", `[^\w.:\[\]-]`)},
	// What proxies tell of the request as it was, in forms that few of them write.
	{"proxy-headers", "several hops", header("x-forwarded-for", `,`)},
	{"proxy-headers", "no address", noAddress},
	{"proxy-headers", "addresses disagree", disagree},
	{"proxy-headers", "scheme or port", either(other("x-forwarded-(proto|scheme)", `^https?$`), other("x-forwarded-port", `^[1-9]\d{0,4}$`))},
	{"proxy-headers", "other host or path", either(has(`x-(original|rewrite)-ur[li]|x-forwarded-(uri|path|prefix)`), otherHost)},
	{"proxy-headers", "Forwarded", has("forwarded")},
	// Accept and its like, with which no answer can be chosen, or not even read.
	{"accept-forms", "JSON refused", both(header("accept", `\S`), not(header("accept", fitting)))},
	{"accept-forms", "weight of zero", header("accept(-encoding)?", `(?i);\s*q=0(\.0*)?\s*(,|$)`)},
	{"accept-forms", "malformed weight", weight("accept(-encoding|-charset)?")},
	{"accept-forms", "no media range", header("accept", `(^|,)\s*[^/,;\s]+\s*([,;]|$)|^$|/[^,;]*/`)},
	{"accept-forms", "parameter", header("accept", `(?i)(json|\*)\s*;\s*[a-pr-z][\w-]*\s*=`)},
	{"accept-forms", "other charset", other("accept-charset", `(?i)utf-?8|\*`)},
	// Languages that libraries of locales do not know.
	{"accept-language", "underscore", header("accept-language", `[A-Za-z]_[A-Za-z]`)},
	{"accept-language", "malformed weight", weight("accept-language")},
	{"accept-language", "unknown", header("accept-language", `(?i)(^|,)\s*(xx|zz|qq|yy|tlh|x|i|q[a-t][a-z]|[a-z]{4,})\s*([-,;]|$)`)},
	{"accept-language", "many", header("accept-language", `(,.*){15}|(-[0-9A-Za-z]+){5}`)},
	{"accept-language", "no tag", header("accept-language", `[^A-Za-z0-9*;=.,\s_-]|^$|(^|,)\s*[\d-]`)},
	// Preconditions and ranges, of the kinds that a client seldom sends.
	{"preconditions", "any tag", header("if-(none-)?match", `^\*$`)},
	{"preconditions", "tag without quotes", header("if-(none-)?match", `^[^"*]+$`)},
	{"preconditions", "weak or several", either(header("if-match", `^W/`), header("if-(none-)?match", `",\s*(W/)?"`))},
	{"preconditions", "other form of date", other(dated, fixedDate)},
	{"preconditions", "impossible date", both(header(dated, fixedDate), impossible)},
	{"preconditions", "range", has("range|if-range")},
	// Cookies that parsers stumble over.
	{"cookies", "broken escape", header("cookie", broken)},
	{"cookies", "quoted", header("cookie", `=\s*"`)},
	{"cookies", "object or brackets", header("cookie", `(?i)`+written)},
	{"cookies", "no pair", header("cookie", `(^|;)\s*[^=;\s][^=;]*(;|$)|(^|;)\s*=|;\s*;`)},
	{"cookies", "name twice", func(r *request) bool { return twice(namesOf(r.cookies)) }},
	{"cookies", "odd byte", header("cookie", `[^\x20-\x7e]|\\`)},
	// What is meant for tracing, and malformed.
	{"tracing", "parent", other("traceparent", `^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$`)},
	{"tracing", "zeros or other version", header("traceparent", `^..-0{32}-|^..-[0-9a-f]{32}-0{16}-|^([1-9a-f].|0[1-9a-f])-`)},
	{"tracing", "state or baggage", other("tracestate|baggage", `^[\w*/@.-]+\s*=[^,]*(,\s*[\w*/@.-]+\s*=[^,]*)*$`)},
	{"tracing", "B3", either(other("b3", b3), other("x-b3-(trace|span)id", `^([0-9a-f]{16}){1,2}$`))},
	{"tracing", "request ID", other("(x-)?(request|correlation)-id|x-trace-id", `^[\w.:=+/|-]{1,128}$`)},
	// A key that is there, and odd, or is elsewhere.
	{"credentials", "empty key", header(keyHeader, `^$`)},
	{"credentials", "two keys", either(repeats(keyHeader), header(keyHeader, `[,;]`))},
	{"credentials", "odd byte", header(keyHeader, `[^\x21-\x7e]|["'\\]`)},
	{"credentials", "key in the query", parameter(keyNames, ``)},
	{"credentials", "underscored name", fieldName(`(?i)^(x_api[_-]key|x-api_key)$`)},
	{"credentials", "Basic without a pair", unpaired},
	{"credentials", "other Authorization", other("authorization", `(?i)^basic\b`)},
	// What only browsers send, and they not so.
	{"browser-headers", "null origin", header("origin", `^null$`)},
	{"browser-headers", "malformed origin", other("origin", `^null$|^https?://[\w.-]+(:\d+)?$`)},
	{"browser-headers", "preflight", both(method(`^OPTIONS$`), has("access-control-request-(method|headers)"))},
	{"browser-headers", "malformed Referer", other("referer", `^https?://[^\s/?#]+([/?#][!-~]*)?$`)},
	{"browser-headers", "User-Agent", header("user-agent", `^$|^[^ -~]|[ -~][^ -~]|^.{1000}`)},
	// Lines of the head that are no name, colon and value.
	{"field-lines", "folded", head(`\n[ \t]+[^\s]`)},
	{"field-lines", "space before the colon", head(`\n[^\s:][^:\r\n]*[ \t]+:`)},
	{"field-lines", "without a colon", head(`\n[^\s:][^:\r\n]*\r?\n`)},
	{"field-lines", "line feed alone", head(`[^\r]\n`)},
	{"field-lines", "control or not ASCII", head(`\n[^\n]*:[^\n]*([\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r[^\n]|[^\x00-\x7f])`)},
	{"field-lines", "malformed name", fieldName("^$|^[^ \\t]*[^ \\t" + token + "]")},
	// A head that is longer, or of more parts, than what is set aside for it.
	{"head-volume", "long segment", longer(func(r *request) []string { return r.segments }, 255)},
	{"head-volume", "long query", longer(func(r *request) []string { return []string{r.query} }, 2000)},
	{"head-volume", "many parameters", func(r *request) bool { return len(r.params) >= 100 }},
	{"head-volume", "long header", longer(headers(`.*`), 4096)},
	{"head-volume", "many headers", func(r *request) bool { return len(r.fields) >= 100 }},
	{"head-volume", "over 64 KiB", func(r *request) bool { return len(r.head) > 64<<10 }},
}

func repeats(name string) func(*request) bool {
	return func(r *request) bool { return len(r.values(name)) > 1 }
}

// noAddress is one of the addresses that proxies tell, with a port or without, that is none.
func noAddress(r *request) bool {
	return slices.ContainsFunc(passed(r), func(value string) bool {
		return slices.ContainsFunc(strings.Split(value, ","), func(one string) bool {
			_, err := netip.ParseAddr(strings.TrimSpace(one))
			_, withPort := netip.ParseAddrPort(strings.TrimSpace(one))
			return err != nil && withPort != nil
		})
	})
}

func otherHost(r *request) bool {
	return r.first("X-Forwarded-Host") != "" && r.first("X-Forwarded-Host") != r.first("Host")
}

func disagree(r *request) bool {
	for _, f := range r.fields {
		claimed := r.first("X-Forwarded-For")
		if told.MatchString(f.name) && claimed != "" && !strings.Contains(claimed, f.value) {
			return true
		}
	}
	return false
}

var (
	weights = regexp.MustCompile(`(?i);\s*q\s*=\s*([^,;]*)`)
	aWeight = regexp.MustCompile(`^(0(\.\d{0,3})?|1(\.0{0,3})?)\s*$`)
	basic   = regexp.MustCompile(`(?i)^basic(\s+|$)`)
	passed  = headers("x-forwarded-for|" + addresses)
	told    = regexp.MustCompile("(?i)^(" + addresses + ")$")
)

func weight(name string) func(*request) bool {
	of := headers(name)
	return func(r *request) bool {
		return slices.ContainsFunc(weights.FindAllStringSubmatch(strings.Join(of(r), ","), -1), func(found []string) bool {
			return !aWeight.MatchString(found[1])
		})
	}
}

// impossible is a date that has the form and is none, or is of no time that a service was up.
func impossible(r *request) bool {
	at, err := time.Parse(http.TimeFormat, cmp.Or(r.first("If-Modified-Since"), r.first("If-Unmodified-Since")))
	return err != nil || at.Year() < 1970 || at.Year() > 2037
}

// unpaired is Basic without a name and a password in Base64.
func unpaired(r *request) bool {
	value := r.first("Authorization")
	pair, err := base64.StdEncoding.DecodeString(basic.ReplaceAllString(value, ""))
	return basic.MatchString(value) && (err != nil || !strings.Contains(string(pair), ":"))
}
