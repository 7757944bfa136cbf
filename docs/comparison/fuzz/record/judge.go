package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Predicates that are more than an expression.

const (
	charsets = `utf-?(8|16|32)([lb]e)?|us-ascii|ascii|iso-8859-\d+|latin-?1|windows-125\d|shift_jis|euc-(jp|kr)|` +
		`gbk|gb2312|gb18030|big5|koi8-r`
	commonCharset  = `(?i)^\s*(` + charsets + `)\b`
	commonLanguage = `(?i)^\s*(en|de|fr|es|it|pt|nl|pl|ru|ja|zh|ko|ar|tr|sv|da|fi|nb|no|cs|el|he|hi|hu|id|ro|th|uk|vi|ca)` +
		`([-_][a-z0-9]+)*\s*(;\s*q=[01](\.\d{0,3})?\s*)?(,|$)`
)

var (
	wholeNumber = regexp.MustCompile(`^[+-]?\d+$`)
	mediaRange  = regexp.MustCompile(`^[!#$%&'*+.^_` + "`" + `|~0-9A-Za-z-]+/[!#$%&'*+.^_` + "`" + `|~0-9A-Za-z-]+$`)
	produced    = regexp.MustCompile(`(?i)^(\*/\*|application/(\*|json|problem\+json))$`)
	weight      = regexp.MustCompile(`(?i);\s*q=([^;,]*)`)
	goodWeight  = regexp.MustCompile(`^(0(\.\d{0,3})?[1-9]?|1(\.0{0,3})?)$`)
	byteRange   = regexp.MustCompile(`(\d+)-(\d*)`)
	latin1      = regexp.MustCompile(`(?s)^[\x00-\x7f]*(?:[^\x00-\x7f][\x00-\x7f]+)+$`)
	surrogate   = regexp.MustCompile(`(?i)\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\ud[89a-f][0-9a-f]{2}`)
)

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	http.MethodConnect, http.MethodOptions, http.MethodTrace,
}

// repeated is a parameter that comes twice, with equal values or not.
func repeated(equal bool) func(*request) bool {
	return func(r *request) bool {
		seen := map[string]string{}
		for _, p := range r.params {
			if before, ok := seen[p.name]; ok && p.name != "" && (before == p.value) == equal {
				return true
			}
			seen[p.name] = p.value
		}
		return false
	}
}

func ranges(r *request) []string {
	var all []string
	for _, value := range r.values("Accept") {
		all = append(all, strings.Split(value, ",")...)
	}
	return all
}

func malformedRange(element string) bool {
	element, _, _ = strings.Cut(element, ";")
	return strings.TrimSpace(element) != "" && !mediaRange.MatchString(strings.TrimSpace(element))
}

func oddWeight(element string) bool {
	w := weight.FindStringSubmatch(element)
	return w != nil && (!goodWeight.MatchString(strings.TrimSpace(w[1])) || strings.Trim(w[1], "0. ") == "")
}

func notProduced(r *request) bool {
	all := ranges(r)
	return len(all) > 0 && all[0] != "" && !slices.ContainsFunc(all, func(element string) bool {
		element, _, _ = strings.Cut(element, ";")
		return produced.MatchString(strings.TrimSpace(element)) || malformedRange(element)
	})
}

func codings(r *request, name string) []string {
	var all []string
	for _, value := range r.values(name) {
		for element := range strings.SplitSeq(value, ",") {
			element, _, _ = strings.Cut(element, ";")
			all = append(all, strings.ToLower(strings.TrimSpace(element)))
		}
	}
	return all
}

func unknownCoding(coding string) bool {
	return !slices.Contains([]string{"", "*", "identity", "gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd"}, coding)
}

var (
	errNotSo = errors.New("not in this coding")
	errCut   = errors.New("cut off")
)

// inflates says what is wrong with a body for which a coding is announced. Only gzip is looked into.
func inflates(r *request) error {
	coding := strings.ToLower(r.first("Content-Encoding"))
	if len(r.body) == 0 {
		return nil
	}
	if !strings.Contains(coding, "gzip") {
		if r.json.depth > 0 && strings.HasPrefix(strings.TrimSpace(string(r.body)), "{") {
			return errNotSo
		}
		return nil
	}
	reader, err := gzip.NewReader(bytes.NewReader(r.body))
	if err == nil {
		_, err = io.Copy(io.Discard, io.LimitReader(reader, mostBody))
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return errCut
	default:
		return errNotSo
	}
}

// anotherCharset is a charset that the body, which is not ASCII alone, is not in.
func anotherCharset(r *request) bool {
	charset := strings.ToLower(r.first("Content-Type"))
	_, charset, ok := strings.Cut(charset, "charset=")
	if !ok || len(r.body) == 0 {
		return false
	}
	charset = strings.Trim(charset, `"' ;`)
	wide := bytes.IndexByte(r.body, 0) >= 0
	ascii := !slices.ContainsFunc(r.body, func(b byte) bool { return b > 127 })
	switch {
	case strings.HasPrefix(charset, "utf-8"):
		return !utf8.Valid(r.body) || wide
	case strings.HasPrefix(charset, "utf-16"), strings.HasPrefix(charset, "utf-32"):
		return !wide
	default:
		return !ascii && utf8.Valid(r.body)
	}
}

func byteRanges(r *request) [][2]int {
	var all [][2]int
	for _, value := range r.values("Range") {
		for _, ends := range byteRange.FindAllStringSubmatch(value, -1) {
			first, err := strconv.Atoi(ends[1])
			if err != nil {
				first = 1 << 62
			}
			last, err := strconv.Atoi(ends[2])
			if err != nil {
				last = 1 << 62
			}
			all = append(all, [2]int{first, last})
		}
	}
	return all
}

// addressesOf are the elements of the headers that say whom a proxy forwards for.
func addressesOf(r *request) []string {
	var all []string
	for _, f := range r.fields {
		if slices.Contains(strings.Split(addresses, "|"), strings.ToLower(f.name)) {
			all = append(all, strings.Split(f.value, ",")...)
		}
	}
	return all
}

func noAddress(element string) bool {
	_, err := netip.ParseAddr(strings.TrimSpace(element))
	return err != nil
}

func basicWithoutColon(r *request) bool {
	scheme, credentials, _ := strings.Cut(r.first("Authorization"), " ")
	text, err := base64.StdEncoding.DecodeString(strings.TrimSpace(credentials))
	return err == nil && strings.EqualFold(scheme, "basic") && credentials != "" && !bytes.ContainsRune(text, ':')
}

func halfPair(body string) bool {
	return slices.ContainsFunc(surrogate.FindAllString(body, -1), func(escape string) bool { return len(escape) == 6 })
}

// limit is a length around that of a column: 2^n and one less, from 63 on, and one to either side.
func limit(n int) bool {
	for column := 64; column <= 1<<16; column *= 2 {
		if n >= column-2 && n <= column+1 {
			return true
		}
	}
	return false
}

func invalidExpression(expression string) bool {
	_, err := syntax.Parse(expression, syntax.Perl)
	var at *syntax.Error
	return errors.As(err, &at) && slices.Contains([]syntax.ErrorCode{
		syntax.ErrMissingBracket, syntax.ErrMissingParen, syntax.ErrUnexpectedParen,
		syntax.ErrMissingRepeatArgument, syntax.ErrTrailingBackslash, syntax.ErrInvalidCharRange,
	}, at.Code)
}
