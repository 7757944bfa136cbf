// Package wording provides the pieces of English that messages share: counts, lists, shortened texts, and
// suggestions for misspelt words. It keeps texts of a target from acting on a terminal or on the runner of a pipeline.
package wording

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// Count returns a number of things in words: "1 entry", "3 entries", "2 keys".
func Count(n int, thing string) string {
	return fmt.Sprintf("%d %s", n, Noun(n, thing))
}

// Noun returns the word for n things, with a regular plural.
func Noun(n int, thing string) string {
	stem, endsInY := strings.CutSuffix(thing, "y")
	switch {
	case n == 1:
		return thing
	case endsInY && !strings.ContainsAny(stem[max(0, len(stem)-1):], "aeiou"):
		return stem + "ies"
	}
	return thing + "s"
}

// List joins words as in a sentence: a, b and c.
func List(words []string) string { return join(words, " and ") }

// Or joins choices: a, b or c.
func Or(words []string) string { return join(words, " or ") }

func join(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + last + words[n]
}

// MostNamed is how many of the fields, keys or ids that show something a text names at most.
const MostNamed = 5

// Some lists at most n of the words, and the number of the others.
func Some(words []string, n int) string {
	if more := len(words) - n; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:n], ", "), more)
	}
	return strings.Join(words, ", ")
}

// Clip shortens a text to n characters, with an ellipsis as the last one.
func Clip(text string, n int) string {
	if len(text) <= n { // bytes, hence also characters
		return text
	}
	if runes := []rune(text); len(runes) > n {
		return string(runes[:max(0, n-1)]) + "…"
	}
	return text
}

// ClipWords is like Clip but cuts at the end of a word if one is near.
func ClipWords(text string, n int) string {
	clipped := Clip(text, n)
	if i := strings.LastIndexByte(clipped, ' '); clipped != text && i > len(clipped)/2 {
		clipped = strings.TrimRight(clipped[:i], " ,;:") + "…"
	}
	return clipped
}

// Printable makes a text harmless on a terminal and in a log: it escapes what is not printable, such as an escape
// sequence, a line break or a character that changes the writing direction (\x1b, \n, \u202e).
func Printable(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !unicode.IsPrint(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// ClipPrintable is Printable with at most n characters, with an ellipsis as the last one.
func ClipPrintable(text string, n int) string {
	return Clip(Printable(Clip(text, n)), n)
}

// DidYouMean suggests the known word nearest to a misspelt one, as the end of a message: ` (did you mean x?)`. It
// returns "" if none is near.
func DidYouMean(word string, known []string) string {
	nearest, distance := Nearest(word, known)
	if distance >= min(len(word), 1+max(2, len(word)/3)) {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", nearest)
}

// Nearest returns the known word nearest to a word, and the number of letters in which they differ, in any case.
func Nearest(word string, known []string) (nearest string, distance int) {
	distance = math.MaxInt
	for _, k := range known {
		if d := levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(k)); d < distance {
			nearest = k
			distance = d
		}
	}
	return nearest, distance
}

// Alike proposes, as the end of a message, the known words that begin with a word, or the nearest one:
// "; beginning alike: a/b, a/c and 3 more".
func Alike(word string, known []string) string {
	var alike []string
	for _, k := range known {
		if strings.HasPrefix(k, word) {
			alike = append(alike, k)
		}
	}
	if len(alike) > 0 && len(word) > 2 {
		return "; beginning alike: " + Some(alike, 5)
	}
	return DidYouMean(word, known)
}

// WithoutPath returns the cause of a file error, without the name of the file.
func WithoutPath(err error) error {
	if e, isPath := errors.AsType[*fs.PathError](err); isPath {
		return e.Err
	}
	return err
}

// mediaTypes names what people give in place of a text.
var mediaTypes = map[string]string{
	"text/html":       "a web page (HTML)",
	"text/xml":        "an XML document",
	"application/pdf": "a PDF",
	"application/zip": "a ZIP archive",
}

// ReadText is ReadFile for a text. It returns an error for another kind of file: "is a PDF".
func ReadText(path string, mebibytes int64) ([]byte, error) {
	data, err := ReadFile(path, mebibytes)
	return data, cmp.Or(NotText(data), err) // the kind of a file says more than its size
}

// NotText returns an error if a file is not a text: "is a PDF".
func NotText(data []byte) error {
	kind, _, _ := strings.Cut(http.DetectContentType(data), ";")
	switch general, _, _ := strings.Cut(kind, "/"); {
	case mediaTypes[kind] != "":
		return errors.New("is " + mediaTypes[kind])
	case general == "image":
		return errors.New("is an image")
	case general != "text":
		return errors.New("is not a text file")
	}
	return nil
}

// ReadFile reads a file that a user named, of at most so many MiB: a device such as /dev/zero has no
// end. Its errors do not name the file.
func ReadFile(path string, mebibytes int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, WithoutPath(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mebibytes<<20+1))
	if err == nil && int64(len(data)) > mebibytes<<20 {
		err = fmt.Errorf("is larger than %d MiB", mebibytes)
	}
	return data, WithoutPath(err)
}

// Slug turns words into a part of an id: lower-case letters and digits, separated by hyphens.
func Slug(words ...any) string {
	text := strings.ToLower(fmt.Sprintln(words...))
	isSeparator := func(r rune) bool {
		isLetter := r >= 'a' && r <= 'z'
		isDigit := r >= '0' && r <= '9'
		return !isLetter && !isDigit
	}
	return strings.Join(strings.FieldsFunc(text, isSeparator), "-")
}

var bareWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// Quote returns a text as one word of a POSIX shell.
func Quote(text string) string {
	if bareWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// AnyItem returns a pointer with * for the positions in arrays.
func AnyItem(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, t := range tokens {
		if t != "" && strings.Trim(t, "0123456789") == "" {
			tokens[i] = "*"
		}
	}
	return strings.Join(tokens, "/")
}
