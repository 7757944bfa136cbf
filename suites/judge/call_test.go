package judge

import (
	"testing"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Invalid Unicode in the request excuses invalid Unicode in the answer, and nothing else does.
func TestDamageThatMayBeShown(t *testing.T) {
	for _, tc := range []struct {
		sent, got string
		may       bool
	}{
		{`{"name":"a\ud800"}`, `{"name":"a\ud800"}`, true},
		{`{"name":"a\uDC00\uD800"}`, `{"name":"a\uDC00\uD800"}`, true},
		{"{\"name\":\"\xff\"}", "{\"name\":\"\xff\"}", true},
		{`{"name":"a\ud800"}`, `{"name":"a\ud800"}]`, false},
		{`{"name":"a\ud83d\ude00"}`, `{"name":"a\ud83d"}`, false},
		{`{"name":"a😀"}`, `{"name":"a\ud83d"}`, false},
		{`{"name":"é"}`, "{\"name\":\"\xe9\"}", false},
	} {
		a := &Answer{Exchange: &wire.Exchange{Response: &wire.Response{Body: []byte(tc.got)}}}
		if may := a.mayShowDamage(&Call{Body: oracle.RawBody(tc.sent)}); may != tc.may {
			t.Errorf("%s after %s: %t", tc.got, tc.sent, may)
		}
	}
}

// A read that was not sent, because the target is gone, is not judged.
func TestAnAnswerThatDidNotComeShowsNothing(t *testing.T) {
	m, op := newTestModel(t)
	a := Unsent("c", "the target is gone")
	if m.Begin(&Case{ID: "c", Operation: op}).JudgeGet(a) || len(a.Judge(oracle.Expect{Success: true})) > 0 {
		t.Error("a read that was not sent is judged")
	}
}
