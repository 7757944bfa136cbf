package faults_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// message is a request before it is sent.
type message struct {
	method, path, query, body string // path is escaped
	key                       string // of the owner if it is empty
	header                    http.Header
	isChunked, isAbsolute     bool
}

// escaped writes each match of a pattern in a format for its one byte.
func escaped(pattern, format string) func(string) string {
	found := regexp.MustCompile(pattern)
	return func(s string) string {
		return found.ReplaceAllStringFunc(s, func(c string) string { return fmt.Sprintf(format, c[0]) })
	}
}

// spelling is a form of a request.
type spelling struct {
	name    string
	ofBody  bool
	open    []string // statuses with which a server may refuse all such requests
	rewrite func(*message)
}

// spellings are forms of a request that HTTP or JSON hold equal, and forms of the path that the reference serves.
var spellings = []spelling{
	{"encoded letter", false, encoded, func(m *message) { m.path = strings.Replace(m.path, "/c", "/%63", 1) }},
	{"encoded base", false, encoded, func(m *message) { m.path = strings.Replace(m.path, "/v2", "/%762", 1) }},
	{"encoded digits", false, encoded, func(m *message) { m.path = "/v2" + escaped(`\d`, "%%%02x")(m.path[len("/v2"):]) }},
	{"encoded path", false, encoded, func(m *message) { m.path = escaped(`[^/]`, "%%%02X")(m.path) }},
	{"absolute form", false, nil, func(m *message) { m.isAbsolute = true }},
	{"empty query", false, nil, func(m *message) { m.query += "?" }},
	{"media types accepted", false, nil, func(m *message) { m.header.Set("Accept", "application/json, text/plain, */*") }},
	{"escapes", true, nil, func(m *message) {
		m.body = texts.ReplaceAllStringFunc(m.body, escaped(`[a-zA-Z.]`, `\u%04X`))
		m.body = strings.ReplaceAll(m.body, "😀", `\ud83d\uDE00`)
	}},
	{"white space", true, nil, func(m *message) { m.body = strings.ReplaceAll(m.body, ",", "\r\n\t, ") + "\n" }},
	{"padding", true, []string{"413"}, func(m *message) { m.body += strings.Repeat(" ", 20_000) }},
	{"other order", true, nil, func(m *message) { m.body = reversed(m.body) }},
	{"charset", true, nil, func(m *message) { m.header.Set("Content-Type", "application/json; charset=UTF-8") }},
	{"quoted charset", true, nil, func(m *message) { m.header.Set("Content-Type", `application/json;charset="utf-8"`) }},
	{"media type", true, nil, func(m *message) { m.header.Set("Content-Type", "Application/JSON") }},
	{"chunks", true, []string{"411"}, func(m *message) { m.isChunked = true }},
}

var encoded = []string{"308", "400", "404", "405"}

var texts = regexp.MustCompile(`"[^"]*"`)

// reversed writes the members of a flat object in reverse order.
func reversed(body string) string {
	members := strings.Split(strings.Trim(body, "{}"), ",")
	slices.Reverse(members)
	return "{" + strings.Join(members, ",") + "}"
}

// site serves a variant, with a client whose requests have connections of their own.
type site struct {
	server      *httptest.Server
	credentials fixtures.Credentials
}

func newSite(t *testing.T, v faults.Server) site {
	t.Helper()
	world := fixtures.DefaultWorld()
	target := world.Target("")
	env := faults.Env{Contract: spec.Load(), World: world}
	server := httptest.NewServer(env.Around(reftest.New(t, world, v.Choices), v))
	t.Cleanup(server.Close)
	env.Target(target, v)
	return site{server, target.Credentials}
}

// answers returns the status, the media type and the body of an answer, or why there is none. The date of an update keeps
// only its form.
func (s site) answers(t *testing.T, m message) string {
	t.Helper()
	key := map[string]string{"": s.credentials.Owner, "stranger": s.credentials.Stranger}[m.key]
	var body io.Reader
	if m.body != "" {
		body = strings.NewReader(m.body)
		if m.isChunked {
			body = io.MultiReader(body) // of unknown length
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), m.method, s.server.URL, body)
	reftest.NoError(t, err)
	r.Header = m.header.Clone()
	r.URL.RawPath = m.path
	r.URL.Path, err = url.PathUnescape(m.path)
	reftest.NoError(t, err)
	r.URL.RawQuery = strings.TrimSuffix(m.query, "?")
	r.URL.ForceQuery = r.URL.RawQuery != m.query
	if form := s.credentials.Form(); form.Query != "" {
		r.URL.RawQuery = strings.Trim(r.URL.RawQuery+"&"+form.Query+"="+key, "&")
	} else if key != "" {
		r.Header.Set(form.Header, form.Value(key))
	}
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	if m.isAbsolute {
		proxy, err := url.Parse(s.server.URL)
		reftest.NoError(t, err)
		transport.Proxy = http.ProxyURL(proxy)
	}
	answer, err := transport.RoundTrip(r)
	if err != nil {
		return "no answer"
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	reftest.NoError(t, err)
	return fmt.Sprint(answer.StatusCode, " ", answer.Header.Get("Content-Type"), " ", undated(string(text)))
}

var (
	updateDate = regexp.MustCompile(`"updatedAt":\s*("[^"]*"|\d[.\d]*)`)
	dateWord   = regexp.MustCompile(`[A-Za-z]+|\d+`)
)

func undated(text string) string {
	return updateDate.ReplaceAllStringFunc(text, func(member string) string { return dateWord.ReplaceAllString(member, "x") })
}

// A variant conforms only if it answers each spelling of a request as it answers the plain one: what differs where a letter
// is encoded is no choice at an open point. Two servers of the variant get the same requests, one of them in that spelling.
func TestVariantsAnswerEachSpelling(t *testing.T) {
	variants := append(faults.Variants(), faults.Server{ID: "reference", Sentence: "The reference itself."})
	variants = slices.DeleteFunc(variants, func(v faults.Server) bool {
		return slices.Contains(v.Open, "rate-limit") || slices.Contains(v.Open, "read-delay") // two servers do not go at one pace
	})
	for _, v := range reftest.Few(12, variants) {
		v.Dialect, v.HTTP2 = nil, false // TestRequests of package dialect has paths of dialects
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			plain, other := newSite(t, v), newSite(t, v)
			for round, s := range spellings {
				s.compare(t, messages(round), plain, other)
			}
		})
	}
}

// compare sends requests to a server, and in the spelling to another, and reports where their answers differ.
func (s spelling) compare(t *testing.T, all []message, plain, other site) {
	t.Helper()
	refusal := "" // of the first request in this spelling, where a server may refuse that
	for i, m := range all {
		if s.ofBody && m.body == "" {
			continue
		}
		spelt := m
		spelt.header = m.header.Clone()
		s.rewrite(&spelt)
		want, got := plain.answers(t, m), other.answers(t, spelt)
		if i == 0 && slices.Contains(s.open, got[:3]) {
			refusal = got[:3]
		}
		if refusal != "" && strings.HasPrefix(got, refusal) {
			got = other.answers(t, m) // so that both servers hold the same
		} else if refusal != "" {
			t.Errorf("%s: another answer than %s to %s %s of %q: %s", s.name, refusal, spelt.method, spelt.path, m.key, got)
		}
		if d := gocmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s %s%s %.200s of %q:\n%s", s.name, spelt.method, spelt.path, spelt.query, spelt.body, m.key, d)
		}
	}
}

// messages returns plain requests of all operations, with values of a round.
func messages(round int) (all []message) {
	add := func(key, method, path, body string) {
		path, query, _ := strings.Cut(path, "?")
		m := message{method: method, path: reference.BasePath + path, query: query, key: key, header: http.Header{}}
		if m.body = strings.ReplaceAll(body, "N", fmt.Sprint(round)); body != "" {
			m.header.Set("Content-Type", "application/json")
		}
		all = append(all, m)
	}
	const profile, campaign = "/connection-profiles/12", "/campaigns/25"
	const whole = `{"name":"Teal N 😀","withCookiesAction":"fail","withoutCookiesAction":"warn"}`
	const host = `{"hostname":"cdnN.example.com","regularExpression":"^/a/N"}`
	for _, key := range []string{"", "stranger", "nobody"} {
		add(key, "PATCH", profile, whole)
		add(key, "PATCH", campaign, `{"name":"Teal N"}`)
		add(key, "GET", campaign, "")
		add(key, "GET", "/creatives/200/media-files", "")
		add(key, "DELETE", "/creatives/300", "")
	}
	add("", "PATCH", profile, strings.Replace(whole, `"fail"`, `["fail"]`, 1))
	add("", "PATCH", profile, `{"withCookiesAction":"pass"}`)
	add("", "PATCH", "/connection-profiles/4000000000", whole)
	add("", "PATCH", profile+"/rules/34/hosts/56", host)
	add("", "PATCH", profile+"/rules/34/hosts/56", `{"hostname":["cdnN.example.com"],"regularExpression":null}`)
	add("", "PATCH", profile+"/rules/35/hosts/56", host)
	add("", "PATCH", "/connection-profiles/91/rules/34/hosts/56", host)
	add("", "PATCH", campaign, `{}`)
	add("", "PATCH", campaign, `{"name":"Teal N","adconformUnknown":"x"}`)
	add("", "PATCH", campaign+"x", `{"name":"Teal N"}`)
	for _, id := range []string{"210", "230", "96", "4000000000", "220"} {
		add("", "GET", "/creatives/"+id+"/media-files", "")
	}
	add("", "GET", "/creatives/220/media-files?page=2", "")
	for _, id := range []string{fmt.Sprint(301 + round), "93", "241"} {
		add("", "DELETE", "/creatives/"+id, "")
	}
	return all
}
