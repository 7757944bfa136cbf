package fuzz

import (
	"iter"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/adconform/adconform/spec"
)

// However lax a server reads an id, it finds that of the request's own object, of another parent
// that the target file names, or one that nothing has. So it is with what is drawn later, and with
// what a finding is shrunk to.
func TestNoPathNamesAnotherObject(t *testing.T) {
	t.Parallel()
	s := against(t, httptest.NewServer(nil))
	h := hand(t, s)
	told := map[string]bool{}
	names := func(in Input) {
		t.Helper()
		d, call := makes(h, in)
		may := slices.Clone(d.path)
		if in.Class() == "path/other-parent" {
			for _, param := range d.op.Params {
				may = append(may, strconv.FormatInt(h.Known().Lookup(spec.Other(param.Object)), 10))
			}
		}
		for _, id := range idsOf(d.op, call.Target) {
			if key := in.Class() + id; mayExist(id) && !slices.Contains(may, id) && !told[key] {
				told[key] = true
				t.Errorf("%s names %s: %s %.80s", in, id, call.Method, call.Target)
			}
		}
	}
	for in := range everyPath(s.Model.Contract) {
		names(in)
		tried := map[string]bool{}
		for queue := []Input{in}; len(queue) > 0 && len(tried) < 20; queue = queue[1:] {
			for _, shorter := range queue[0].Shorter() {
				if !tried[shorter.String()] {
					tried[shorter.String()] = true
					queue = append(queue, shorter)
					names(shorter)
				}
			}
		}
	}
}

// everyPath are the inputs that change a path: those that come first, and some that are drawn.
func everyPath(contract *spec.Contract) iter.Seq[Input] {
	return func(yield func(Input) bool) {
		f := New(contract.Operations, 1, 0, nil, false)
		for _, a := range f.arms {
			if a.class.family() != "path" {
				continue
			}
			for n := range a.class.variants() + drawnOfEach {
				if !yield(Input{a.op.ID, []Mutation{f.mutation(a.class, 0, n)}}) {
					return
				}
			}
		}
	}
}

const drawnOfEach = 8

// number is what begins a segment, but for signs, blanks, quotation marks and the like.
var number = regexp.MustCompile(`^([^0-9A-Za-z%]*)([0-9]+)`)

// idsOf are the ids that servers may read where the path of an operation has them.
func idsOf(op *spec.Operation, target string) []string {
	target, _, _ = strings.Cut(target, "?")
	target, _, _ = strings.Cut(target, "#")
	var ids []string
	for range 3 { // as it is, decoded, decoded twice
		digits := strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return digit(r)
			}
			return r
		}, target)
		segments := strings.Split(path.Clean(strings.ReplaceAll(digits, `\`, "/")), "/")
		for i, part := range strings.Split(op.Path, "/") {
			if !strings.HasPrefix(part, "{") || i >= len(segments) {
				continue
			}
			if found := number.FindStringSubmatch(segments[i]); found != nil && !strings.Contains(found[1], "-") {
				ids = append(ids, found[2])
				if n, err := strconv.ParseUint(found[2], 10, 64); err == nil {
					ids = append(ids, strconv.Itoa(int(int32(n)))) // in 32 bits
				}
			}
		}
		target = decoded(target)
	}
	return ids
}

// digit is the ASCII digit of a digit: those of a script stand together, from zero on.
func digit(r rune) rune {
	if r >= '𝟎' && r <= '𝟿' {
		return '0' + (r-'𝟎')%10
	}
	zero := r
	for unicode.IsDigit(zero-1) && r-zero < 9 {
		zero--
	}
	return '0' + r - zero
}

// decoded leaves what is no percent-encoding as it is.
func decoded(text string) string {
	return percentEncoded.ReplaceAllStringFunc(text, func(part string) string {
		if c, err := url.PathUnescape(part); err == nil {
			return c
		}
		return part
	})
}

var percentEncoded = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

// mayExist: unknown ids are just below 2^31.
func mayExist(id string) bool {
	n, err := strconv.ParseInt(id, 10, 64)
	return err == nil && n > 0 && n < 1<<31-1000
}
