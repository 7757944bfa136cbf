package faults

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// looseVariants answer in forms that are worth a notice: dates as numbers, folded
// white space, 404 for a list without items.
func looseVariants() []Variant {
	empty := choice("list/empty-404", "The list of a VAST creative without media files is answered 404", "media-files-of-empty", func(c *reference.Choices) { c.MediaFilesOfEmpty = 404 })
	orphans := choice("list/empty-404-one-file", "An empty list is answered 404, and containers with files cannot be deleted", "media-files-of-empty delete-container", func(c *reference.Choices) {
		c.MediaFilesOfEmpty, c.DeleteContainerWithFiles = 404, reference.RefuseContainer
	})
	return []Variant{
		empty, orphans,
		dated("seconds", "numbers of seconds", func(t time.Time) any { return json.Number(fmt.Sprint(t.Unix())) }, ""),
		dated("seconds-fraction", "numbers of seconds with a fraction", func(t time.Time) any { return json.Number(fmt.Sprintf("%d.250", t.Unix())) }, ""),
		dated("milliseconds", "numbers of milliseconds", func(t time.Time) any { return json.Number(fmt.Sprint(t.UnixMilli())) }, ""),
		dated("seconds-in-campaigns", "numbers of seconds where campaigns are updated", func(t time.Time) any { return json.Number(fmt.Sprint(t.Unix())) }, campaignUpdate),
		dated("milliseconds-in-lists", "numbers of milliseconds in lists", func(t time.Time) any { return json.Number(fmt.Sprint(t.UnixMilli())) }, mediaFileList),
		folding("folded", "White space in texts is folded and trimmed", func(s string) string { return strings.Join(strings.Fields(s), " ") }, false),
		folding("stored-folded", "Texts are shown as sent, and stored with folded white space", func(s string) string { return strings.Join(strings.Fields(s), " ") }, true),
		folding("lines-folded", "Line breaks and tabs in texts become spaces", strings.NewReplacer("\n", " ", "\t", " ").Replace, false),
		folding("stored-trimmed", "Texts are shown as sent, and stored without white space around them", strings.TrimSpace, true),
	}
}

// dated writes all dates otherwise, in one operation or, for "", in all.
func dated(id, sentence string, write func(t time.Time) any, op string) Variant {
	v := answering("answer/date-"+id, "Dates are "+sentence, nil)
	v.Open = []string{"date-format"}
	rewrite := func(object map[string]any) {
		for _, name := range []string{"createdAt", "updatedAt"} {
			if s, ok := object[name].(string); ok {
				if t, err := time.Parse(time.RFC3339, s); err == nil {
					object[name] = write(t)
				}
			}
		}
	}
	v.Wrap = each(func(x *exchange) *answer {
		a := x.forward()
		if x.op == nil || op != "" && x.op.ID != op {
			return a
		}
		return a.shown(rewrite).page(func(_ map[string]any, items []any) []any {
			for _, item := range items {
				rewrite(item.(map[string]any))
			}
			return items
		})
	})
	return v
}

// folding changes the texts of updates that are taken: in what is shown too, or
// only in what is stored.
func folding(id, sentence string, fold func(string) string, storedOnly bool) Variant {
	folded := func(x *exchange) request {
		return x.request.alter(func(doc map[string]any) {
			for _, f := range x.op.Body.Fields {
				if s, ok := doc[f.Name].(string); ok && free(f) {
					doc[f.Name] = fold(s)
				}
			}
		})
	}
	return Variant{
		ID: "value/" + id, Sentence: sentence + ".", Open: []string{"trimming"}, Choices: permissive,
		Wrap: each(func(x *exchange) *answer {
			if x.op == nil || !x.op.Updates() {
				return x.forward()
			}
			if !storedOnly {
				return x.send(folded(x))
			}
			a := x.forward()
			if r := folded(x); a.ok() && !r.equal(x.request) {
				answered := x.last
				x.send(r)
				x.last = answered
			}
			return a
		}),
	}
}

// free says whether a field may hold any text.
func free(f *spec.Field) bool { return len(f.Enum) == 0 && !f.Hostname }
