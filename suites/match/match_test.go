package match_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/internal/judge"
	. "github.com/adconform/adconform/suites/match"
)

const (
	campaign = `{"data":{"id":25,"name":"Spring","createdAt":"2024-01-01T00:00:00Z","updatedAt":"2024-02-01T00:00:00Z",` +
		`"type":"video","shareURL":"https://example.com/c/25","adspecId":3,"userId":1}}`
	refusal = `{"error":{"responseCode":422,"issues":[{"type":"invalidType","message":"name must be a string","relatedField":"/name"}]}}`
	denial  = `{"error":{"responseCode":401,"issues":[]}}`
	nothing = `{"meta":{"pagination":{"count":0,"totalCount":0,"page":1,"totalPages":0}},"data":[]}`
)

// Whoever has read a body before is told so, unless a recorder still has it.
func TestABodyThatWasReadBefore(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, campaign)
	}))
	defer s.Close()
	for name, spoil := range map[string]func(*http.Response){
		"read":          func(r *http.Response) { _, _ = io.ReadAll(r.Body) },
		"read partly":   func(r *http.Response) { _, _ = r.Body.Read(make([]byte, 1)) },
		"closed":        func(r *http.Response) { r.Body.Close() },
		"read, removed": func(r *http.Response) { r.Body = http.NoBody },
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			response, err := http.Get(s.URL)
			g.Expect(err).NotTo(HaveOccurred())
			defer response.Body.Close()
			spoil(response)
			_, err = ConformTo("updateCampaign").Match(response)
			g.Expect(err).To(MatchError(ContainSubstring("was read before: match it first")))
		})
	}
	g, drained, asked := NewWithT(t), recorded(200, campaign), recorded(200, campaign)
	_, _ = io.ReadAll(drained.Body)
	_, err := ConformTo("updateCampaign").Match(drained)
	g.Expect(err).To(MatchError(ContainSubstring("was read before")))
	_, _ = io.ReadAll(asked.Result().Body)
	g.Expect(asked).To(ConformTo("updateCampaign"))
}

// recorded is what a handler answers in a test without a server.
func recorded(status int, body string) *httptest.ResponseRecorder {
	r := httptest.NewRecorder()
	if body != "" {
		r.Header().Set("Content-Type", "application/json")
	}
	r.WriteHeader(status)
	_, _ = io.WriteString(r, body)
	return r
}

// received is what a client of a server receives.
func received(method, path string, status int, body string) *http.Response {
	r := recorded(status, body).Result()
	r.Request = httptest.NewRequest(method, path, nil)
	return r
}

func TestAnAnswerThatConforms(t *testing.T) {
	for name, c := range map[string]struct {
		answer any
		to     *Matcher
	}{
		"named by operationId":      {recorded(200, campaign), ConformTo("updateCampaign")},
		"named by method and path":  {recorded(200, campaign), ConformTo("PATCH /campaigns/25")},
		"an error, too":             {recorded(401, denial), ConformTo("updateCampaign")},
		"known by its request":      {received("PATCH", "/v2/campaigns/25", 200, campaign), BeAccepted()},
		"shows what was sent":       {recorded(200, campaign), BeAccepted().Showing(map[string]any{"name": "Spring"}).Of("updateCampaign")},
		"a delete":                  {received("DELETE", "/v2/creatives/301", 204, ""), BeAccepted()},
		"refused":                   {recorded(401, denial), BeRefused(401).Of("updateCampaign")},
		"refused with one of two":   {recorded(401, denial), BeRefused(401, 404).Of("updateCampaign")},
		"refused with any status":   {recorded(401, denial), BeRefused().Of("updateCampaign")},
		"names the field":           {recorded(422, refusal), BeRefused(422).Naming("name").Of("updateCampaign")},
		"accepted or refused":       {recorded(422, refusal), BeAccepted().Or(422).Of("updateCampaign")},
		"refused or an empty list":  {received("GET", "/creatives/9/media-files", 200, nothing), BeRefused(404).OrEmpty()},
		"any answer that is no 5xx": {recorded(418, "teapot"), BeAnswered().Of("updateCampaign")},
	} {
		t.Run(name, func(t *testing.T) { NewWithT(t).Expect(c.answer).To(c.to) })
	}
}

func TestAnAnswerThatDoesNotSaysWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		answer any
		to     *Matcher
		says   []string
	}{
		"not refused": {
			recorded(200, campaign), BeRefused(401).Of("updateCampaign"), []string{"AUTH-1 (stated)", "expected status 401", "got      status 200"},
		},
		"a status of an error that is not expected": {
			recorded(401, denial), BeRefused(403).Of("updateCampaign"), []string{"AUTH-2 (stated)", "expected status 403", "got      status 401"},
		},
		"not accepted": {
			recorded(401, denial), BeAccepted().Of("updateCampaign"),
			[]string{"CAMPAIGN-1", "a 2xx status with the representation", "status 401"},
		},
		"no error body": {
			recorded(401, ""), BeRefused(401).Of("updateCampaign"), []string{"ERR-6", "an object with the section error", "no JSON"},
		},
		"another field is named": {
			recorded(422, refusal), BeRefused(422).Naming("title").Of("updateCampaign"),
			[]string{"ERR-10", `names "title"`, `issues that name "/name"`},
		},
		"another value is shown": {
			recorded(200, campaign), BeAccepted().Showing(map[string]any{"name": "Summer"}).Of("updateCampaign"),
			[]string{"CAMPAIGN-3", "at       /data/name", `name "Summer", as sent`, `got      "Spring"`},
		},
		"a runner is commanded": {
			recorded(200, strings.Replace(campaign, "Spring", "##vso[a]", 1)),
			BeAccepted().Showing(map[string]any{"name": "b"}).Of("updateCampaign"),
			[]string{`got      "#\u0023vso[a]"`},
		},
		"a schema is broken": {
			recorded(200, strings.Replace(campaign, `"id":25`, `"id":"25"`, 1)), ConformTo("updateCampaign"), []string{"at       /data/id"},
		},
		"no body at all": {
			&http.Response{StatusCode: 200}, ConformTo("updateCampaign"), []string{"CAMPAIGN-1", "The body is empty: was it read before?"},
		},
		"a recorder of nothing":               {&httptest.ResponseRecorder{}, ConformTo("updateCampaign"), []string{"The body is empty"}},
		"a status that the operation has not": {recorded(302, ""), ConformTo("updateCampaign"), []string{"ERR-12", "302"}},
		"a failure of the server":             {recorded(500, ""), BeAnswered().Of("updateCampaign"), []string{"HTTP-1", "500"}},
		"an error out of form": {
			recorded(422, `{"error":{"responseCode":404,"issues":[]}}`), BeAnswered().InForm().Of("updateCampaign"), []string{"ERR-7"},
		},
		"the list itself": {
			received("GET", "/v2/creatives/200/media-files", 200, strings.Replace(nothing, `"data":[]`, `"data":[{"id":200}]`, 1)),
			BeAccepted(),
			[]string{"MEDIA-7"},
		},
		"the clause of the test": {recorded(200, campaign), BeRefused(404).Citing("ERR-2").Of("updateCampaign"), []string{"ERR-2 (stated)"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			matched, err := c.to.Match(c.answer)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(matched).To(BeFalse())
			for _, text := range c.says {
				g.Expect(c.to.FailureMessage(c.answer)).To(ContainSubstring(text))
			}
		})
	}
}

func TestWhatCannotBeJudgedIsAnError(t *testing.T) {
	for name, c := range map[string]struct {
		answer any
		to     *Matcher
		says   string
	}{
		"no response":                  {"200 OK", BeAccepted(), "expected an *http.Response or an *httptest.ResponseRecorder, got string"},
		"nothing":                      {nil, BeAccepted(), "expected an *http.Response or an *httptest.ResponseRecorder, got <nil>"},
		"a nil response":               {(*http.Response)(nil), BeAccepted(), "expected an *http.Response"},
		"a nil recorder":               {(*httptest.ResponseRecorder)(nil), BeAccepted(), "expected an *http.Response"},
		"a nil answer of a run":        {(*judge.Answer)(nil), BeAccepted(), "expected an *http.Response"},
		"a nil request":                {(*http.Request)(nil), BeAccepted(), "expected an *http.Response"},
		"an unknown, empty request":    {&http.Response{Request: new(http.Request)}, BeAccepted(), "name the operation"},
		"an operation that is not":     {recorded(200, campaign), ConformTo("renameCampaign"), `no operation "renameCampaign"`},
		"a path of no operation":       {recorded(200, campaign), ConformTo("PATCH /campaign/25"), "PATCH /campaign/25 is no operation"},
		"a request for something else": {received("GET", "/healthz", 200, ""), BeAccepted(), "GET /healthz is no operation"},
		"a clause that is not":         {recorded(200, campaign), BeRefused(404).Citing("ERR-99").Of("updateCampaign"), `no clause "ERR-99"`},
		"nothing says what was asked":  {recorded(200, campaign), BeAccepted(), "name the operation"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.to.Match(c.answer)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(c.says)))
		})
	}
}

func TestTheBodyCanBeReadAfterwards(t *testing.T) {
	g := NewWithT(t)
	answer := received("PATCH", "/campaigns/25", 200, campaign)
	g.Expect(answer).To(BeAccepted())
	g.Expect(answer).To(ConformTo("updateCampaign"))
	g.Expect(answer).To(HaveHTTPBody(campaign))
}
