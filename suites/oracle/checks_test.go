package oracle

import (
	"encoding/json"
	"net/http"
	"reflect"
	"testing"

	"github.com/adconform/adconform/spec"
)

// Whatever a server sends, Judge returns findings that can be reported, and the
// same ones each time.
func FuzzJudge(f *testing.F) {
	c := spec.Load()
	o := New(c, nil)
	list := listBody(2, 2, 1, 1, 241, 242)
	for _, body := range []string{
		profileBody, hostBody, campaign, list, errorBody, "", "null", "{}", "[]", `{"data":null}`, "\ufeff{}", "{\"data\":\"\xff\"}",
		`{"data":{"id":1e400}}`, `{"data":{"id":1.0,"id":2}}`, `{"error":{"status":422,"causes":[{"x":"\ud800"}]}}`, listHuge,
		`{"meta":{"pagination":{"count":-1,"totalCount":-9223372036854775808,"page":1,"totalPages":9223372036854775807}},` +
			`"data":[1,{"id":1},{"id":1}]}`,
	} {
		for _, status := range []int{200, 204, 404, 422} {
			f.Add([]byte(body), status, "application/json; charset=utf-8", "0")
		}
	}
	f.Add([]byte("x"), 500, "text/html", "")
	f.Fuzz(func(t *testing.T, body []byte, status int, contentType, length string) {
		r := Response{
			Status: status, Body: body, Header: http.Header{"Content-Type": {contentType}, "Content-Length": {length}}, PathID: 241,
			RequestedPage: 2,
		}
		for _, op := range c.Operations {
			j := o.Judge(op, r)
			for _, finding := range j.Findings {
				checkFinding(t, c, j, finding)
			}
			if j.Valid && !json.Valid(body) {
				t.Errorf("%s: %q is taken for JSON", op.ID, body)
			}
			if again := o.Judge(op, r); !reflect.DeepEqual(again, j) {
				t.Errorf("%s: judged %+v, then %+v", op.ID, j, again)
			}
		}
	})
}
