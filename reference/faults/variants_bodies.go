package faults

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
)

// onlyFieldVariants want the only field of an update, and no field of others.
func onlyFieldVariants() []Variant {
	v := harmless("required/only-field", "{} is refused where the only field is required, and taken elsewhere", func() behaviour {
		return func(x *exchange) *answer {
			single := x.op != nil && x.op.Updates() && len(x.op.Body.Fields) == 1
			if fields := x.fields(); !single || fields == nil || len(fields) > 0 {
				return x.forward()
			}
			if a := x.peek(x.request.with(saying([]byte("{}")))); !a.ok() {
				return a
			}
			return refusal(http.StatusUnprocessableEntity, x.op.Body.Fields[0].Name)
		}
	})
	v.Open = []string{"empty-object", "required-fields"}
	return []Variant{v}
}

// damagedVariants take texts that are no Unicode, or bodies that nest deeply, as
// frameworks do that look at neither. The answer shows what it was sent.
func damagedVariants() []Variant {
	echo := func(id, sentence string, damaged *regexp.Regexp) Variant {
		v := harmless("damaged/"+id, sentence, func() behaviour {
			return func(x *exchange) *answer {
				piece := damaged.Find(x.body)
				if x.op == nil || !x.op.Updates() || piece == nil {
					return x.forward()
				}
				stand := []byte("-in-place-of-it-")
				a := x.send(x.with(saying(damaged.ReplaceAllLiteral(x.body, stand))))
				a.body = bytes.ReplaceAll(a.body, stand, piece)
				return a
			}
		})
		v.Open = []string{"text-characters"}
		return v
	}
	refused := func(status int) Variant {
		return harmless(fmt.Sprintf("damaged/nested-%d", status), "A body that nests deeply is answered "+http.StatusText(status), func() behaviour {
			return func(x *exchange) *answer {
				if a := x.forward(); x.op == nil || a.status == http.StatusUnauthorized || !bytes.Contains(x.body, bytes.Repeat([]byte("["), 200)) {
					return a
				}
				return x.last.replaced(status, errorBody(status))
			}
		})
	}
	return []Variant{
		echo("surrogate-escaped", "Half a surrogate pair is taken, and shown as the escape that was sent", regexp.MustCompile(`\\ud[89ab][0-9a-f]{2}`)),
		echo("bytes", "Bytes that are no UTF-8 are taken, and shown as they were sent", regexp.MustCompile(`\xff`)),
		refused(http.StatusBadRequest), refused(http.StatusRequestEntityTooLarge),
	}
}
