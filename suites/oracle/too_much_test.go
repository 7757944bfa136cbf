package oracle

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestTooMuch(t *testing.T) {
	long := strings.Repeat("a", maxString)
	for name, test := range map[string]struct{ body, want string }{
		"short":             {`{"a":[1,2]}`, ""},
		"a long list":       {"[" + strings.Repeat("7,", maxValues-2) + "7]", ""},
		"one value more":    {"[" + strings.Repeat("7,", maxValues) + "7]", "too many to judge"},
		"commas in strings": {`["` + strings.Repeat(",", maxValues) + `"]`, ""},
		"a long string":     {`["` + long + `"]`, ""},
		"one byte more":     {`["` + long + `a"]`, "too long to judge"},
		"escaped quotes":    {`["` + strings.Repeat(`\"`, maxString/2+1) + `"]`, "too long to judge"},
		"escaped backslash": {`["` + strings.Repeat(`\\`, maxString/2) + `",` + strings.Repeat("7,", maxValues) + `7]`, "too many to judge"},
		"too deep":          {strings.Repeat("[", maxValues+1), ""},
		"no end":            {`["` + long + long, "too long to judge"},
	} {
		if got := TooMuch([]byte(test.body)); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want … %s …", name, got, test.want)
		}
	}
}

// Judged in parts a long list gives the findings that it gives as a whole.
func TestLongListsAreJudgedInParts(t *testing.T) {
	const items = 3*partSize + 7
	c := contract(t)
	o, op := New(c), c.Operation(listMedia)
	body := listBody(items, items, 1, 1, numbered(1, items)...)
	if f := o.Judge(op, answer(200, body)).Findings; len(f) > 0 {
		t.Fatalf("a good list: %v", f)
	}
	at := 2*partSize + 3
	broken := strings.Replace(body, fmt.Sprintf(`"id":%d,`, at+1), `"id":"no",`, 1)
	if broken == body {
		t.Fatal("the item is written in another way")
	}
	want := fmt.Sprintf("/data/%d/id", at)
	if f := o.Judge(op, answer(200, broken)).Findings; !slices.ContainsFunc(f, func(f Finding) bool { return f.Pointer == want }) {
		t.Errorf("no finding at %s: %v", want, f)
	}
}
