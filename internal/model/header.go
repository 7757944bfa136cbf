package model

import (
	"cmp"
	"mime"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/spec"
)

// pageParameter returns the query parameter that selects a page, "" if the target file says that there is none.
func (w *World) pageParameter(op *spec.Operation) string {
	pin, isPinned := w.Target.Open[spec.PageParameter]
	if name, _ := pin.(string); isPinned {
		return cmp.Or(op.Page, name)
	}
	return cmp.Or(op.Page, "page")
}

// maxValue is the length of a header or a query that every server takes.
const maxValue = 2 << 10

// visible matches the value of a header that every server takes (RFC 9110, 5.5).
var visible = regexp.MustCompile(`^[\t -~]*$`)

func hasDamagedQuery(r *reading) bool {
	_, query, _ := strings.Cut(r.Path, "?")
	plain, err := url.QueryUnescape(query)
	switch {
	case err != nil, len(query) > maxValue:
		return true
	case !utf8.ValidString(plain), strings.ContainsAny(plain, ";\x00"):
		return true
	}
	return false
}

func hasOddHeader(r *reading) bool {
	isOdd := func(value string) bool { return len(value) > maxValue || !visible.MatchString(value) }
	for _, values := range r.Header {
		if slices.ContainsFunc(values, isOdd) {
			return true
		}
	}
	return false
}

// wantsNoJSON reports whether no media range of Accept allows JSON (RFC 9110, 12.5.1).
func wantsNoJSON(r *reading) bool {
	wanted := strings.Join(r.Header.Values("Accept"), ",")
	return wanted != "" && !slices.ContainsFunc(strings.Split(wanted, ","), allowsJSON)
}

func allowsJSON(mediaRange string) bool {
	kind, parameters, err := mime.ParseMediaType(mediaRange)
	isOfJSON := slices.Contains([]string{"*/*", "application/*", "application/json"}, kind)
	if err != nil || !isOfJSON {
		return false
	}
	return weight(parameters) > 0
}

// weight returns the weight of a media range, 1 if none is given, and 0 if it cannot be read.
func weight(parameters map[string]string) float64 {
	n, err := strconv.ParseFloat(cmp.Or(parameters["q"], "1"), 64)
	if err != nil {
		return 0
	}
	return n
}
