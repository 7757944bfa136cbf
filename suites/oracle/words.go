package oracle

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/adconform/adconform/internal/wording"
)

// Words say what is wrong, without the operation and the field that show it. Findings with the
// same words have one cause.
type Words struct {
	Subject string // an array for a text
	// Failure is the outcome: "makes the server fail with 500". Where ordinary requests have it
	// too, it is the cause, and not what was odd about this one.
	Failure string
	Rest    string // ", which the operation does not have"
	Tells   bool   // the words say what was sent
}

// String joins the words.
func (w Words) String() string { return strings.TrimSuffix(w.Subject+" "+w.Failure, " ") + w.Rest }

// Ordinary is a request with which nothing is wrong or odd.
const Ordinary = "an ordinary request"

// StrangersKey are the words for the key of a user without permission.
const StrangersKey = "the key of another user"

// RequestOf describes the request of a finding by the part that matters.
func RequestOf(f *Finding) Words {
	switch s := f.Sent; {
	case s == nil || s.What == "":
		return Words{Subject: Ordinary}
	case s.At == "key" || strings.HasPrefix(s.At, "request:"):
		return Words{Subject: "a request with " + s.What, Tells: true}
	default:
		return Words{Subject: s.What, Tells: true}
	}
}

// requestBy describes a request like RequestOf, but all invalid keys alike.
func requestBy(f *Finding) Words {
	switch s := f.Sent; {
	case s == nil || s.At != "key":
		return RequestOf(f)
	case strings.HasPrefix(s.What, StrangersKey):
		return Words{Subject: "a user without permission"}
	}
	return Words{Subject: "a request without a valid key"}
}

func failsServer(f *Finding) Words {
	w := RequestOf(f)
	w.Failure = fmt.Sprintf("makes the server fail with %d", f.Answer.Status)
	return w
}

func undeclared(f *Finding) Words {
	w := requestBy(f)
	w.Failure, w.Rest = fmt.Sprintf("is answered %d", f.Answer.Status), ", which the operation does not have"
	return w
}

// Accepted describes a request that was carried out and has to be refused.
func Accepted(f *Finding) Words {
	switch s := f.Sent; {
	case f.Clause == "AUTH-3":
		return Words{Subject: "a request is answered as if it were another user's"}
	case s == nil || s.What == "":
		return Words{Subject: "a request that has to be refused is carried out"}
	case s.At == "key" && f.Clause == "AUTH-2":
		return Words{Subject: "a user without permission can access an object"}
	case s.At == "key":
		return Words{Subject: "a request without a valid key is carried out"}
	default:
		value, kind, typed := strings.Cut(s.What, valueFor)
		if typed && !strings.HasPrefix(s.At, "path:") {
			return Words{Subject: value + " is accepted as " + kind, Tells: true}
		}
		return Words{Subject: s.What + " is accepted", Tells: true}
	}
}

// valueFor stands between a value and the kind of the field that it is no value of.
const valueFor = " for "

// WrongStatus describes an answer with a status other than the expected one.
func WrongStatus(f *Finding) Words {
	w, allowed, status := requestBy(f), f.Allowed, strings.TrimPrefix(f.Got, "status ")
	switch s := f.Sent; {
	case f.Clause == "AUTH-4": // whatever else the request is about
		return Words{Subject: "the owner's key", Failure: "is answered " + status}
	case f.Clause == "EFFECT-3":
		number, _, _ := strings.Cut(status, " ")
		return Words{Subject: "an existing object", Failure: "is answered " + number}
	case f.Clause == "AUTH-2":
		w, allowed = Words{Subject: "a user without permission"}, allowed[:1]
	case strings.HasPrefix(f.Clause, "AUTH-"):
		allowed = allowed[:1] // where a request has more than one fault
	case f.Clause == "ERR-3":
		w = Words{Subject: "a malformed body"}
	case s != nil && strings.Contains(s.What, valueFor), f.Clause == "ERR-5":
		w = Words{Subject: "a value that a field may not have"}
	}
	switch {
	case w.Subject == Ordinary: // which of several answers is the right one says nothing of the cause
		w.Failure = "is answered " + status
		return w
	case ofLength.MatchString(w.Subject): // one limit refuses all lengths beyond it
		w = Words{Subject: "a long text"}
	}
	w.Rest = fmt.Sprintf(" is answered %s where %s was expected", status, wording.Or(allowed))
	return w
}

// ofLength is a text that is odd by its length alone.
var ofLength = regexp.MustCompile(`^a text of [0-9]+ characters( beyond ASCII)?$`)

// Kind names the JSON type of a value.
func Kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	}
	return "a number"
}
