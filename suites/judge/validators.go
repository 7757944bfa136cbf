package judge

import (
	"net/http"
	"time"
)

// Validators are what an answer says that tells whether something has changed
// since (RFC 9110, 8.8).
type Validators struct {
	Tag      string    // as it stands in ETag, "" for none
	Modified time.Time // zero for none
	Answered time.Time // as the answer says; zero where it does not
}

// Validators are those of an answer, as far as they can be read.
func (a *Answer) Validators() (v Validators) {
	if a.Exchange.Response == nil {
		return v
	}
	h := a.Exchange.Response.Header
	v.Tag = h.Get("ETag")
	v.Modified, _ = http.ParseTime(h.Get("Last-Modified")) // zero for what is no date
	v.Answered, _ = http.ParseTime(h.Get("Date"))
	return v
}

// String names what there is.
func (v Validators) String() string {
	switch {
	case v.Tag != "" && !v.Modified.IsZero():
		return "ETag and Last-Modified"
	case v.Tag != "":
		return "ETag"
	case !v.Modified.IsZero():
		return "Last-Modified"
	}
	return "neither"
}

// settled is how much older than its answer a date has to be to tell of any change
// after the answer: it counts seconds, and is perhaps of another clock (RFC 9110,
// 8.8.2.2).
const settled = time.Minute

// Settled says whether any change after the answer gives another date.
func (v Validators) Settled() bool {
	return !v.Modified.IsZero() && !v.Answered.IsZero() && v.Answered.Sub(v.Modified) >= settled
}
