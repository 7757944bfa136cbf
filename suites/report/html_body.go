package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adconform/adconform/internal/wording"
)

// htmlText is a text of which a part may be marked: what comes before it, the
// part, what comes after it. All of it is printable, but for line breaks.
type htmlText [3]string

// htmlBody is a body as it is shown.
type htmlBody struct {
	Text htmlText
	Note string // what is not shown, or where the mark is
}

// What the page shows of a body.
const (
	htmlLines      = 60
	htmlLineLength = 240 // characters
	htmlIndents    = 12  // levels that are indented
)

// newHTMLBody is a body, JSON laid out, with the value at the pointer marked.
// Of a long one it shows the lines around the mark.
func newHTMLBody(b *Body, pointer string) htmlBody {
	if b == nil {
		return htmlBody{}
	}
	lines, from, to, exact := strings.Split(b.Text, "\n"), -1, -1, false
	if !b.Base64 {
		if laid, at, isJSON := layOut([]byte(b.Text), pointer); isJSON {
			lines = laid
			if strings.HasPrefix(pointer, "/") {
				from, to, exact = at.from, at.to, at.exact
			}
		}
	}
	var notes []string
	if b.Base64 {
		notes = append(notes, "not UTF-8, shown in base64")
	}
	if b.Cut {
		notes = append(notes, fmt.Sprintf("only the beginning of %d bytes was kept", b.Size))
	}
	if from >= 0 && !exact {
		notes = append(notes, fmt.Sprintf("%s is not there; its nearest parent is marked", Printable(pointer)))
	}
	start, end := 0, len(lines)
	if len(lines) > htmlLines {
		start = max(0, min(from-htmlLines/4, len(lines)-htmlLines))
		end = start + htmlLines
		to = min(to, end-1)
		notes = append(notes, fmt.Sprintf("lines %d to %d of %d; traffic.har has the body", start+1, end, len(lines)))
	}
	shown, long := make([]string, 0, end-start), false
	for _, l := range lines[start:end] {
		p := Printable(l)
		long = long || len([]rune(p)) > htmlLineLength
		shown = append(shown, wording.Clip(p, htmlLineLength))
	}
	if long {
		notes = append(notes, "long lines are cut")
	}
	return htmlBody{Text: newHTMLText(shown, from-start, to-start, from >= 0), Note: strings.Join(notes, "; ")}
}

// newHTMLText marks the lines from … to.
func newHTMLText(lines []string, from, to int, marked bool) htmlText {
	if !marked || from < 0 || to < from {
		return htmlText{strings.Join(lines, "\n")}
	}
	join := func(lines []string) string {
		if len(lines) == 0 {
			return ""
		}
		return strings.Join(lines, "\n") + "\n"
	}
	return htmlText{join(lines[:from]), join(lines[from : to+1]), strings.Join(lines[to+1:], "\n")}
}

// spot is where a pointer, or its nearest parent, is in laid out lines; from
// is -1 when it is nowhere.
type spot struct {
	from, to int
	exact    bool
}

// layOut indents a JSON text, which may have been cut, and finds the value at
// the pointer. Unlike a decoder it changes nothing else: numbers, escapes and
// members that come twice stay as they were sent.
func layOut(text []byte, pointer string) (lines []string, at spot, isJSON bool) {
	at = spot{from: -1, to: -1}
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if kind := d.PeekKind(); kind != '{' && kind != '[' {
		return nil, at, false
	}
	var line strings.Builder
	begin := func(depth int) {
		lines = append(lines, line.String())
		line.Reset()
		line.WriteString(strings.Repeat("  ", min(depth, htmlIndents)))
	}
	levels := strings.Count(pointer, "/")
	matched, open := -1, false // length of the pointer that is marked; its value has not ended
	for {
		kind, depth, read := d.PeekKind(), d.StackDepth(), d.InputOffset()
		within, n := d.StackIndex(depth)
		opens, closes := kind == '{' || kind == '[', kind == '}' || kind == ']'
		isName := within == '{' && n%2 == 0 && !closes
		raw, err := []byte{byte(kind)}, error(nil)
		if opens || closes {
			_, err = d.ReadToken()
		} else {
			raw, err = d.ReadValue()
		}
		if err != nil { // the end, or what is no JSON
			line.WriteString(strings.Join(strings.Fields(string(text[read:])), " "))
			return append(lines, line.String()), at, true
		}
		switch {
		case closes && n > 0:
			begin(depth - 1)
		case closes, depth == 0:
		case within == '{' && !isName:
			line.WriteString(": ")
		default:
			if n > 0 {
				line.WriteByte(',')
			}
			begin(depth)
		}
		line.Write(raw)
		if closes {
			depth--
		}
		if isName || depth > levels { // a pointer takes time that grows with its length
			continue
		}
		here := string(d.StackPointer())
		switch {
		case closes:
			if open && here == pointer {
				at.to, open = len(lines), false
			}
		case len(here) > matched && strings.HasPrefix(pointer+"/", here+"/"):
			matched = len(here)
			at = spot{len(lines), len(lines), here == pointer}
			open = opens && at.exact
		}
	}
}
