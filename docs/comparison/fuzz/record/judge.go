package main

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"mime"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Predicates that are more than an expression.

var (
	mediaType   = regexp.MustCompile("^[" + token + "]+/[" + token + "]+$")
	surrogates  = regexp.MustCompile(`(?i)\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\ud[89a-f][0-9a-f]{2}`)
	escapes     = regexp.MustCompile(`(?s)\\(u.{0,4}|.)`)
	counts      = regexp.MustCompile(`\{(\d+),(\d+)\}`)
	alternation = regexp.MustCompile(`\((?:\?:)?([^()|]+)\|([^()|]+)\)[+*{]`)
	aWord       = regexp.MustCompile(`^[A-Za-z_-]+$`)
)

var methods = strings.Fields("GET HEAD POST PUT PATCH DELETE CONNECT OPTIONS TRACE")

func namesOf(fields []field) []string {
	var all []string
	for _, f := range fields {
		all = append(all, f.name)
	}
	return all
}

func twice(names []string) bool {
	return len(names) != len(slices.Compact(slices.Sorted(slices.Values(names))))
}

// elsewhere is a method of the interface on a path where it is not.
func elsewhere(r *request) bool {
	own, ok := operations[r.shape()]
	return ok && own != r.method && slices.Contains([]string{"GET", "PATCH", "DELETE"}, r.method)
}

func anotherLetterCase(words []string) func(string) bool {
	return func(word string) bool {
		return !slices.Contains(words, word) && slices.ContainsFunc(words, func(own string) bool { return strings.EqualFold(own, word) })
	}
}

func malformedType(r *request) bool {
	of, _, err := mime.ParseMediaType(strings.Join(r.values("Content-Type"), ","))
	return len(r.values("Content-Type")) > 0 && (err != nil || !mediaType.MatchString(of))
}

// codings are those that the body is said to be in, the outermost last.
func codings(r *request) []string {
	var all []string
	for coding := range strings.SplitSeq(strings.ToLower(strings.Join(r.values("Content-Encoding"), ",")), ",") {
		if coding = strings.TrimSpace(coding); coding != "" && coding != "identity" {
			all = append(all, coding)
		}
	}
	return all
}

var errUntrue = errors.New("not in this coding")

// unpack undoes the outermost coding of a body, where that is gzip or deflate.
func unpack(r *request) ([]byte, error) {
	all := codings(r)
	if len(all) == 0 || len(r.body) == 0 {
		return r.body, nil
	}
	var reader io.Reader
	var err error
	switch all[len(all)-1] {
	case "gzip", "x-gzip":
		reader, err = gzip.NewReader(bytes.NewReader(r.body))
	case "deflate":
		reader, err = zlib.NewReader(bytes.NewReader(r.body))
	case "br", "zstd", "compress", "x-compress":
		if utf8.Valid(r.body) {
			err = errUntrue
		}
		return nil, err
	default:
		return r.body, nil
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(reader, mostBody))
}

// characters are the bytes of a body that is in no coding, each as the character of its number.
func characters(r *request) []string {
	if len(codings(r)) > 0 {
		return nil
	}
	all := make([]rune, len(r.body))
	for i, b := range r.body {
		all[i] = rune(b)
	}
	return []string{string(all)}
}

// fault is a regular expression that does not parse, for one of these reasons, in such a part of it.
func fault(part string, codes ...syntax.ErrorCode) func(*request) bool {
	in := regexp.MustCompile(part)
	return text(func(expression string) bool {
		_, err := syntax.Parse(expression, syntax.Perl)
		var at *syntax.Error
		return errors.As(err, &at) && slices.Contains(codes, at.Code) && in.MatchString(at.Expr)
	}, regex)
}

// overlapping is a repeated choice between two of which one begins the other.
func overlapping(expression string) bool {
	return slices.ContainsFunc(alternation.FindAllStringSubmatch(expression, -1), func(of []string) bool {
		return strings.HasPrefix(of[1], of[2]) || strings.HasPrefix(of[2], of[1])
	})
}

func reversedCount(expression string) bool {
	return slices.ContainsFunc(counts.FindAllStringSubmatch(expression, -1), func(of []string) bool {
		least, _ := strconv.Atoi(of[1])
		most, _ := strconv.Atoi(of[2])
		return least > most
	})
}
