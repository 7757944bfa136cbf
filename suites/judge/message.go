package judge

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Answer is what an answer tells of itself, for a finding that shows it; nil where none
// came. Present makes texts fit to be shown: they are given whole, as a part of a key would
// not be known for one.
func AnsweredWith(c *spec.Contract, ex *wire.Exchange, present func(string) string) *oracle.Answer {
	if ex.Response == nil || ex.Err != nil {
		return nil
	}
	kind, _, _ := strings.Cut(present(ex.Response.Header.Get("Content-Type")), ";")
	a := &oracle.Answer{Status: ex.Response.Status, Type: kind}
	if a.Status >= http.StatusBadRequest || a.Status/100 == 3 {
		a.Says = wording.ClipWords(present(message(c, ex.Response)), maxSays)
	}
	return a
}

const (
	maxSays = 200     // characters of a server's message that a finding repeats
	maxRead = 4 << 10 // bytes of it that are looked at: a key at their end is beyond what is shown
)

// message is what a refusal or a failure says in its body: the issues of the contract's
// error object, the member of another object that tells most, the words of a page, or
// the text as it is. What redirects says where to.
func message(c *spec.Contract, r *wire.Response) string {
	if to := r.Header.Get("Location"); to != "" && r.Status/100 == 3 {
		return "Location: " + to
	}
	body := oracle.Decode(r.Body)
	if issues := issueWords(c, body); issues != "" {
		return issues
	}
	if text := told(body); text != "" {
		return text
	}
	if body != nil {
		text := oracle.JSON(body)
		return string(text[:min(len(text), maxRead)])
	}
	text := string(r.Body[:min(len(r.Body), maxRead)])
	if title := pageTitle.FindStringSubmatch(text); title != nil {
		text = title[1]
	}
	return strings.Join(strings.Fields(markup.ReplaceAllString(text, " ")), " ")
}

var (
	pageTitle = regexp.MustCompile(`(?is)<title>(.*?)</title>`)
	markup    = regexp.MustCompile(`(?s)<(script|style).*?</(script|style)>|<[^>]*>`)
)

// issueWords are the issues of an error: "invalid (name): must not be empty".
func issueWords(c *spec.Contract, body any) string {
	issue := c.Error.Field("error").Object.Field("issues").Items
	var all []string
	for _, i := range oracle.Issues(c, body) {
		text := func(meaning string) string { s, _ := i[issue.Field(meaning).Name].(string); return s }
		words := text("type")
		if field := text("relatedField"); field != "" {
			words += " (" + field + ")"
		}
		all = append(all, strings.TrimPrefix(strings.TrimSuffix(words+": "+text("message"), ": "), ": "))
	}
	return strings.Join(all, "; ")
}

// telling are the members by which servers tell what went wrong, the best first: those
// of RFC 9457, Spring, ASP.NET, FastAPI, Rails and others.
var telling = []string{"detail", "message", "error_description", "msg", "reason", "title", "error", "errors", "description"}

// told is the text under the first telling member of an object, however deep.
func told(body any) string {
	switch v := body.(type) {
	case string:
		return v
	case []any:
		if len(v) > 0 {
			return told(v[0])
		}
	case map[string]any:
		for _, name := range telling {
			if text := told(v[name]); text != "" {
				return text
			}
		}
	}
	return ""
}
