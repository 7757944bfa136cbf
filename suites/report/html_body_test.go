package report

import (
	"strings"
	"testing"
)

func TestBodiesAreLaidOutWithThePlaceMarked(t *testing.T) {
	for name, c := range map[string]struct{ body, pointer, before, marked, note string }{
		"a value":            {`{"data":{"id":25,"name":"x"}}`, "/data/name", "{\n  \"data\": {\n    \"id\": 25,\n", "    \"name\": \"x\"\n", ""},
		"a container":        {`{"a":[1,{"b":[]}],"c":2}`, "/a/1", "{\n  \"a\": [\n    1,\n", "    {\n      \"b\": []\n    }\n", ""},
		"the first of two":   {`{"a":1,"a":{"x":1}}`, "/a", "{\n", "  \"a\": 1,\n", ""},
		"what is not there":  {`{"data":{"id":1}}`, "/data/name", "{\n", "  \"data\": {\n", "/data/name is not there; its nearest parent is marked"},
		"an escaped pointer": {`{"a/b":{"~":1}}`, "/a~1b/~0", "{\n  \"a/b\": {\n", "    \"~\": 1\n", ""},
		"not a prefix":       {`{"na":1,"name":2}`, "/name", "{\n  \"na\": 1,\n", "  \"name\": 2\n", ""},
		"numbers as sent":    {`{"n":1.00E+2,"s":"\u0041"}`, "/s", "{\n  \"n\": 1.00E+2,\n", "  \"s\": \"\\u0041\"\n", ""},
		"cut off":            {`{"a":{"b":1},"c":"tex`, "/a/b", "{\n  \"a\": {\n", "    \"b\": 1\n", ""},
	} {
		got := newHTMLBody(&Body{Text: c.body}, c.pointer)
		if got.Text[0] != c.before || got.Text[1] != c.marked || got.Note != c.note {
			t.Errorf("%s: got %q, %q", name, got.Text, got.Note)
		}
	}
	for text, want := range map[string]string{
		`{"a":1,"b":[2,3],"c":{}} tail`: "{\n  \"a\": 1,\n  \"b\": [\n    2,\n    3\n  ],\n  \"c\": {}\n}tail",
		"plain\ntext\x1b":               "plain\ntext\\x1b",
		"":                              "",
		`"text"`:                        `"text"`,
	} {
		if got := newHTMLBody(&Body{Text: text}, "").Text; got != (htmlText{want}) {
			t.Errorf("%q is laid out as %q", text, got)
		}
	}
}

func TestLongBodiesShowWhatIsAroundThePlace(t *testing.T) {
	body := `{"data":[` + strings.TrimSuffix(strings.Repeat("1,", 500), ",") + `]}`
	got := newHTMLBody(&Body{Text: body}, "/data/400")
	if got.Text[1] != "    1,\n" || strings.Count(strings.Join(got.Text[:], ""), "\n") >= htmlLines || !strings.Contains(got.Note, "of 504") {
		t.Errorf("got %q", got)
	}
}

// A body of nothing but brackets may not become a page of nothing but spaces.
func TestDeepBodiesStaySmall(t *testing.T) {
	lines, _, _ := layOut([]byte(strings.Repeat("[", 9_000)), "/0/0/0")
	if size := len(strings.Join(lines, "\n")); size > 9_000*(2*htmlIndents+2) {
		t.Errorf("%d bytes", size)
	}
}

func TestWordsThatDifferAreMarked(t *testing.T) {
	for _, c := range []struct {
		a, b        string
		left, right htmlWords
	}{
		{"status 401", "status 200", htmlWords{"status ", "401"}, htmlWords{"status ", "200"}},
		{`name "White Cow" is kept`, `name "Teal Cow" is kept`, htmlWords{`name "`, "White", ` Cow" is kept`}, htmlWords{`name "`, "Teal", ` Cow" is kept`}},
		{"an integer", "the text \"1\" and much else", htmlWords{"an integer"}, htmlWords{"the text \"1\" and much else"}},
		{"1 is there", "0 is there", htmlWords{"", "1", " is there"}, htmlWords{"", "0", " is there"}},
		{"same", "same", htmlWords{"same"}, htmlWords{"same"}},
		{"", "", nil, nil},
	} {
		left, right := compareWords(c.a, c.b)
		if strings.Join(left, "|") != strings.Join(c.left, "|") || strings.Join(right, "|") != strings.Join(c.right, "|") {
			t.Errorf("%q and %q: %q and %q", c.a, c.b, left, right)
		}
	}
}

func TestCellsShowTheWorst(t *testing.T) {
	for want, c := range map[string]htmlCell{
		"none 0": {}, "passed 3": {Passed: 3}, "failed 1/4": {Passed: 2, Failed: 1, NotTested: 1}, "partly 2/3": {Passed: 2, NotTested: 1}, "notTested 2": {NotTested: 2},
	} {
		if got := c.State() + " " + c.Number(); got != want {
			t.Errorf("%+v is %q, want %q", c, got, want)
		}
	}
}
