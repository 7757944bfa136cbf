package reference

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

const (
	ownerKey    = "Owner-key-0123456789"
	strangerKey = "Stranger-key-0123456789"
	ownerID     = 1
	strangerID  = 2
)

var created = time.Date(2024, time.March, 1, 9, 0, 0, 123456000, time.UTC)

// testWorld has, beside the ids: profile 12 with rules 34 (hosts 56, 58) and 35
// (host 57), profile 13 with rule 36 (host 59), campaigns 25 and 26, the VAST
// creatives 200 (files 201 to 205) and 210 (none), the plain creative 230. The
// stranger's ids are from 91 to 97.
func testWorld() fixtures.World {
	host := func(id int64, regex *string) spec.ConnectionProfileRuleHost {
		return spec.ConnectionProfileRuleHost{
			ID: id, Hostname: "h" + strconv.FormatInt(id, 10) + ".example.com", RegularExpression: regex, CreatedAt: created,
		}
	}
	rule := func(id int64, hosts ...spec.ConnectionProfileRuleHost) fixtures.Rule {
		r := fixtures.Rule{Hosts: hosts}
		r.ID, r.Action, r.Type, r.CreatedAt = id, "fail", "custom", created
		return r
	}
	profile := func(user, id int64, rules ...fixtures.Rule) fixtures.Profile {
		p := fixtures.Profile{UserID: user, Rules: rules}
		p.ID, p.Name, p.CreatedAt = id, "Profile "+strconv.FormatInt(id, 10), created
		p.WithoutCookiesAction, p.WithCookiesAction = "pass", "warn"
		return p
	}
	campaign := func(user, id int64) spec.Campaign {
		return spec.Campaign{
			ID: id, Name: "Campaign " + strconv.FormatInt(id, 10), CreatedAt: created, UpdatedAt: created.Add(time.Hour),
			Type: "video", ShareURL: "https://example.com/c", AdspecID: 3, UserID: user,
		}
	}
	creative := func(user, id int64, kind string, parent *int64) spec.Creative {
		return spec.Creative{
			ID: id, CampaignID: 25, Name: "Creative " + strconv.FormatInt(id, 10), CreatedAt: created, UpdatedAt: created,
			ParentID: parent, SourceType: kind, SourceTypeLabel: "Label", ShareURL: "https://example.com/s",
			LivePreviewURL: "https://example.com/p", UserID: user,
		}
	}
	w := fixtures.World{
		Users: []fixtures.User{{ID: ownerID, Name: "Owner", Key: ownerKey}, {ID: strangerID, Name: "Stranger", Key: strangerKey}},
		Profiles: []fixtures.Profile{
			profile(ownerID, 12, rule(34, host(56, new("^/pixel/")), host(58, nil)), rule(35, host(57, nil))),
			profile(ownerID, 13, rule(36, host(59, nil))),
			profile(strangerID, 91, rule(94, host(95, nil))),
		},
		Campaigns: []spec.Campaign{campaign(ownerID, 25), campaign(ownerID, 26), campaign(strangerID, 92)},
	}
	for _, id := range []int64{201, 202, 203, 204, 205} { // before their parent: order must not matter
		w.Creatives = append(w.Creatives, creative(ownerID, id, "vast-child-video", new(int64(200))))
	}
	scan := &spec.Scan{
		ID: 9, CreatedAt: created, FinishedAt: new(created.Add(time.Minute)), SequenceType: "full", NbIssues: 2,
		ProcessingStatus: "finished",
	}
	scanned := &w.Creatives[0]
	scanned.LatestScanStatus, scanned.Width, scanned.PreviewAnimationURL = scan, new(int64(640)), new("https://example.com/a.gif")
	w.Creatives = append(w.Creatives,
		creative(ownerID, 200, "vast", nil), creative(ownerID, 210, "vast", nil), creative(ownerID, 230, "image", nil),
		creative(strangerID, 93, "image", nil), creative(strangerID, 96, "vast", nil),
		creative(strangerID, 97, "vast-child-video", new(int64(96))))
	return w
}

// newServer serves the test world in memory, with the default choices but for
// what flip changes.
func newServer(t testing.TB, flip func(*Choices)) *Server {
	t.Helper()
	o := Options{World: testWorld(), Choices: DefaultChoices()}
	if flip != nil {
		flip(&o.Choices)
	}
	return newServerWith(t, o)
}

func newServerWith(t testing.TB, o Options) *Server {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// reply is a response.
type reply struct {
	status int
	header http.Header
	body   string
}

// request sends a request by name, such as "PATCH /campaigns/25", without any
// header but those given by name and value.
func request(s http.Handler, name, body string, headers ...string) reply {
	method, path, _ := strings.Cut(name, " ")
	r := httptest.NewRequest(method, "/v2"+path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return serve(s, r)
}

func serve(s http.Handler, r *http.Request) reply {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return reply{w.Code, w.Header(), w.Body.String()}
}

// ask sends a request of the owner.
func ask(s http.Handler, name, body string, headers ...string) reply {
	return request(s, name, body, append(headers, fixtures.DefaultKeyHeader, ownerKey)...)
}

// at is the JSON at a place of the body such as data.name or data.0.id,
// "absent" when there is none.
func (r reply) at(place string) string {
	value := jsontext.Value(r.body)
	for name := range strings.SplitSeq(place, ".") {
		var object map[string]jsontext.Value
		var array []jsontext.Value
		if json.Unmarshal(value, &object) == nil && object[name] != nil {
			value = object[name]
		} else if i, err := strconv.Atoi(name); err == nil && json.Unmarshal(value, &array) == nil && i < len(array) {
			value = array[i]
		} else {
			return "absent"
		}
	}
	return string(value)
}

// issues are the types of the issues with their fields: "invalidType name".
func (r reply) issues() string {
	var body spec.ErrorBody
	if err := json.Unmarshal([]byte(r.body), &body); err != nil {
		return err.Error()
	}
	var all []string
	for _, issue := range body.Error.Issues {
		field := "null"
		if issue.RelatedField != nil {
			field = *issue.RelatedField
		}
		all = append(all, issue.Type+" "+field)
	}
	return strings.Join(all, ", ")
}

func (r reply) is(t *testing.T, status int) reply {
	t.Helper()
	if r.status != status {
		t.Fatalf("status %d, want %d: %s", r.status, status, r.body)
	}
	return r
}

func (r reply) shows(t *testing.T, place, want string) reply {
	t.Helper()
	if got := r.at(place); got != want {
		t.Errorf("%s: expected %s, got %s in %s", place, want, got, r.body)
	}
	return r
}

// refuses checks an answer in the error shape.
func (r reply) refuses(t *testing.T, status int, issues string) {
	t.Helper()
	if r.status != status || r.at("error.responseCode") != strconv.Itoa(status) || r.issues() != issues {
		t.Errorf("expected %d %s, got %d %s", status, issues, r.status, r.body)
	}
	if got := r.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type %q", got)
	}
}
