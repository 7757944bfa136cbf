package faults

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// freeVariants use freedoms that the reference has no choice for; some of them
// are worth a notice, none a violation.
func freeVariants() []Variant {
	item := func(id, sentence string, change func(item map[string]any)) Variant {
		return answering("list/"+id, sentence, func(a *answer) *answer {
			return a.page(func(_ map[string]any, items []any) []any {
				for _, i := range items {
					change(i.(map[string]any))
				}
				return items
			})
		})
	}
	free := func(v Variant, open ...string) Variant {
		v.Open = open
		return v
	}
	emptyPages := func(id string, pages int) Variant {
		return answering("list/"+id, "An empty list has as many pages as its id says", func(a *answer) *answer {
			return a.page(func(p map[string]any, items []any) []any {
				if number(p["totalCount"]) == 0 {
					p["totalPages"] = pages
				}
				return items
			})
		})
	}
	restated := func(id, sentence string, when func(x *exchange, a *answer) bool, status int) Variant {
		return harmless(id, sentence, func() behaviour {
			return func(x *exchange) *answer {
				a := x.forward()
				if x.op != nil && when(x, a) {
					return a.replaced(status, errorBody(status))
				}
				return a
			}
		})
	}
	return []Variant{
		emptyPages("empty-0-pages", 0), emptyPages("empty-1-page", 1),
		free(item("parent-null", "The parentId of a media file is null", func(i map[string]any) { i["parentId"] = nil }), "media-file-parent"),
		free(item("parent-other", "The parentId of a media file is another creative's", func(i map[string]any) { i["parentId"] = 7 }), "media-file-parent"),
		free(item("scan-status-only", "A scan is an object with a status and nothing else", func(i map[string]any) {
			if scan, ok := i["latestScanStatus"].(map[string]any); ok {
				i["latestScanStatus"] = map[string]any{"processingStatus": scan["processingStatus"]}
			}
		}), "scan-fields"),
		free(item("scan-other-words", "The status of a scan is a word of the vendor's", func(i map[string]any) {
			if scan, ok := i["latestScanStatus"].(map[string]any); ok {
				scan["processingStatus"] = "on hold"
			}
		}), "scan-fields"),
		free(item("source-types", "sourceType is a word of the vendor's", func(i map[string]any) { i["sourceType"] = "x-vendor/asset" }), "source-types"),
		item("nulls", "Whatever may be null in a creative is", func(i map[string]any) {
			for _, name := range []string{"parentId", "previewAnimationURL", "width", "height", "nbVariations", "nbMediaFiles", "latestScanStatus"} {
				i[name] = nil
			}
		}),
		free(restated("path/mixed-403", "A path with ids of two users is answered 403", func(x *exchange, a *answer) bool {
			foreign := len(x.ids) == 3 && slices.ContainsFunc(x.foreign(x.op), func(id string) bool { return slices.Contains(x.ids, id) })
			return foreign && x.byOwner() && a.status == http.StatusNotFound
		}, http.StatusForbidden), "mixed-owners"),
		free(restated("value/too-large-413", "A body with a name of 5,000 characters is answered 413", func(x *exchange, a *answer) bool {
			return a.status == http.StatusUnprocessableEntity && len(x.body) > 5000
		}, http.StatusRequestEntityTooLarge), "text-length"),
		free(restated("list/malformed-page-400", "A page that is no number is answered 400", func(x *exchange, a *answer) bool {
			return x.op.Lists() && x.query != "" && a.status == http.StatusUnprocessableEntity
		}, http.StatusBadRequest), "page-beyond"),
		free(restated("path/malformed-per-operation", "A malformed id is answered 404, and 422 where campaigns are updated", func(x *exchange, a *answer) bool {
			return x.op.ID == campaignUpdate && a.status == http.StatusNotFound && strings.Trim(x.lastID(), "0123456789") != ""
		}, http.StatusUnprocessableEntity), "malformed-id"),
		free(answering("answer/dates-of-two-forms", "createdAt is a day, updatedAt a moment", func(a *answer) *answer {
			return a.shown(func(data map[string]any) {
				if s, ok := data["createdAt"].(string); ok {
					data["createdAt"], _, _ = strings.Cut(s, "T")
				}
			})
		}), "date-format"),
		free(answering("answer/dates-with-microseconds", "Dates have six digits behind the second", func(a *answer) *answer {
			return a.shown(func(data map[string]any) {
				for _, name := range []string{"createdAt", "updatedAt"} {
					if s, ok := data[name].(string); ok {
						if t, err := time.Parse(time.RFC3339, s); err == nil {
							data[name] = t.Format("2006-01-02T15:04:05.000000Z07:00")
						}
					}
				}
			})
		}), "date-format"),
		answering("answer/no-content-type", "Answers have no Content-Type", func(a *answer) *answer {
			a.header["Content-Type"] = nil
			return a
		}),
		answering("answer/integers-with-fraction", "Integers are written as 12.0", func(a *answer) *answer {
			return a.shown(func(data map[string]any) {
				for name, v := range data {
					if n, ok := v.(json.Number); ok {
						data[name] = json.Number(n.String() + ".0")
					}
				}
			})
		}),
		answering("answer/location", "A success is 201 with a Location", func(a *answer) *answer {
			if a.status == http.StatusOK {
				a.status = http.StatusCreated
				a.header.Set("Location", "/v2/somewhere")
			}
			return a
		}),
		free(harmless("body/empty-object-touches", "An update that changes nothing sets updatedAt", func() behaviour {
			return func(x *exchange) *answer {
				return x.forward().shown(func(data map[string]any) { data["updatedAt"] = time.Now().UTC().Format(time.RFC3339) })
			}
		})),
	}
}
