package recording_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites/passive/recording"
)

// What is no recording is told in one line: which file, which entry, and why.
func TestBrokenRecordings(t *testing.T) {
	good := entry(0, 1, "GET", "/v2/creatives/1/media-files", "", 404, refusal)
	for name, c := range map[string]struct{ text, want string }{
		"empty":             {"", "it is empty"},
		"text":              {"hello", "it is no recording"},
		"list":              {"[]", "it is no recording"},
		"other JSON":        {`{"openapi":"3.0.3","paths":{}}`, "it is no recording"},
		"version 2":         {`{"log":{"version":"2.0","entries":[]}}`, `log.version is "2.0"`},
		"no entries":        {`{"log":{"version":"1.2"}}`, "log.entries is missing"},
		"entries no list":   {`{"log":{"entries":{}}}`, "log.entries: "},
		"entries twice":     {`{"log":{"entries":[],"entries":[]}}`, "log.entries is there twice"},
		"log twice":         {`{"log":{"entries":[]},"log":{"entries":[]}}`, "log is there twice"},
		"log no object":     {`{"log":7}`, `"7" stands where "{"`},
		"cut":               {har(good)[:len(har(good))-40], "entry 1: it ends too early: is it complete?"},
		"cut after entries": {har(good)[:len(har(good))-1], "it ends too early"},
		"not JSON":          {`{"log":{"entries":[` + good + `,{"request":tru}]}}`, "entry 2: it is not JSON, at byte"},
		"more after it":     {har(good) + "{}", "there is more after its end"},
		"no request":        {har(good, `{"response":{}}`), "entry 2: request is missing"},
		"no URL":            {har(`{"request":{"method":"GET"}}`), "entry 1: request.url is missing"},
		"no method":         {har(`{"request":{"url":"http://a.example/v2/campaigns/25"}}`), "entry 1: request.method is missing"},
		"entry is a text":   {har(`"x"`), "entry 1: it is of the wrong type (string)"},
		"URL is a number":   {har(`{"request":{"url":7}}`), "entry 1: request.url is of the wrong type (number)"},
		"entry is null":     {har(`null`), "entry 1: request is missing"},
		"deep":              {har(`{"x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`), "entry 1: "},
		"UTF-16":            {"\xff\xfe{\x00", "UTF-16"},
		"packed, cut":       {"\x1f\x8b\x08", "it is not whole"},
		"collection":        {`{"info":{},"item":[{"response":[{"code":200}]}]}`, "entry 1: originalRequest.url is missing"},
		"collection, wrong": {`{"info":{},"item":7}`, "it is not a Postman collection of version 2.1: item is of the wrong type"},
		"Newman":            {`{"run":{"executions":[{}]}}`, "entry 1: request is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "a.har", c.text)
			_, err := recording.Open(path, nil, reftest.Contract(t))
			if err == nil {
				t.Fatal("no error")
			}
			if text := err.Error(); !strings.HasPrefix(text, path+": ") || !strings.Contains(text, c.want) ||
				strings.Contains(text, "\n") || len(text) > len(path)+200 {
				t.Errorf("got %q, want %q", text, c.want)
			}
		})
	}
}

// Whoever wrote a recording need not say so, nor in the usual form.
func TestARecorderOfAnotherForm(t *testing.T) {
	text := strings.Replace(har(entry(0, 1, "GET", "/v2/creatives/1/media-files", "", 404, refusal)), `{"name":"test"}`, `"test"`, 1)
	if r := check(t, write(t, "a.har", text)); r.Recording.Judged != 1 {
		t.Errorf("%+v", r.Recording)
	}
}

func TestAFileThatIsNotThere(t *testing.T) {
	_, err := recording.Open("nowhere.har", nil, reftest.Contract(t))
	if err == nil || err.Error() != "nowhere.har: no such file or directory" {
		t.Errorf("got %v", err)
	}
	if _, err := recording.Open(t.TempDir(), nil, reftest.Contract(t)); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("got %v", err)
	}
	if _, err := recording.Find(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no recording in this folder") {
		t.Errorf("got %v", err)
	}
}

// An entry that would take all memory is refused.
func TestALargeEntryIsRefused(t *testing.T) {
	path := write(t, "a.har",
		har(fmt.Sprintf(`{"request":{"url":"http://a.example/"},"response":{"content":{"text":%q}}}`, strings.Repeat("x", 33<<20))))
	_, err := recording.Open(path, nil, reftest.Contract(t))
	if err == nil || !strings.Contains(err.Error(), "entry 1: it is larger than 32 MiB") {
		t.Errorf("got %v", err)
	}
}

func TestWhichBaseIsJudged(t *testing.T) {
	list := func(url string) string {
		return fmt.Sprintf(`{"startedDateTime":"2026-01-02T03:04:05Z","time":1,"request":{"method":"GET","url":%q}}`, url)
	}
	path := write(t, "a.har", har(
		list("HTTP://user:secret@A.example:80/v2/creatives/1/media-files"), list("http://a.example/v2/creatives/2/media-files#x"),
		list("https://b.example/creatives/1/media-files?page=2"), list("https://b.example/other"), list("data:text/plain,x"),
	))
	r, err := recording.Open(path, nil, reftest.Contract(t))
	if err != nil {
		t.Fatal(err)
	}
	bases := recording.Bases([]*recording.Recording{r})
	if got := recording.Name(bases); got != "http://a.example/v2 (2), https://b.example (1)" || r.Others != 2 {
		t.Errorf("%s, %d others", got, r.Others)
	}
	for _, c := range []struct{ url, path, want, problem string }{
		{want: "", problem: "several base URLs: http://a.example/v2 (2), https://b.example (1); choose one with --base-url"},
		{url: "http://a.EXAMPLE:80/v2/", want: "http://a.example/v2"},
		{url: "https://b.example", want: "https://b.example"},
		{url: "https://c.example/v2", want: ""},
		{url: "a.example/v2", problem: "--base-url"},
		{path: "/v2", want: "http://a.example/v2"},
		{path: "/", want: "https://b.example"},
		{path: "/v3", want: ""},
		{path: "v2", problem: "--base-path v2: want a path"},
	} {
		got, err := recording.ChooseBase(bases, c.url, c.path)
		if got != c.want || (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%q %q: got %q, %v", c.url, c.path, got, err)
		}
	}
}
