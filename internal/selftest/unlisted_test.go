package selftest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// An unlisted fault is one that depth standard cannot find by design, as no case sends its trigger. A trigger
// is a class of requests or sequences that a random generator of texts, numbers, users, fields and orders
// soon produces, never a single value.
type unlisted struct {
	id, clauses, sentence string
	does                  func(m *memory, x *arrived)
}

// memory holds the counters of a server with a fault.
type memory struct {
	sync.Mutex
	n map[string]int
}

type jsonObject = map[string]any

// An arrived request has the form that faults inspect, and its outcome.
type arrived struct {
	*http.Request
	op     *spec.Operation // nil if it is not in the contract
	body   []byte
	fields jsonObject // of the body; nil if it is not a JSON object
	paged  bool       // the query has a page
	page   int64      // the number of that page; 0 if it is not a number

	hooks reference.Hooks
	takes time.Duration                                   // how long the server takes
	then  func(status int, answer, pagination jsonObject) // sees the answer, and may change it
	fails string                                          // if set, the server fails with this message
	drops bool                                            // the server ends the connection without an answer
}

func (u unlisted) wrap(next http.Handler, env faults.Env) http.Handler {
	m := &memory{n: map[string]int{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &arrived{Request: r, paged: r.URL.Query().Has("page")}
		x.op, _ = env.Contract.Match(r.Method, strings.TrimPrefix(r.URL.EscapedPath(), reference.BasePath))
		x.page, _ = strconv.ParseInt(r.URL.Query().Get("page"), 10, 64)
		x.body, _ = io.ReadAll(r.Body)
		_ = json.Unmarshal(x.body, &x.fields)
		m.Lock()
		u.does(m, x)
		m.Unlock()
		time.Sleep(x.takes)
		a := httptest.NewRecorder()
		switch r.Body = io.NopCloser(bytes.NewReader(x.body)); {
		case x.drops:
			panic(http.ErrAbortHandler)
		case x.fails != "":
			a.Header().Set("Content-Type", "application/json")
			a.WriteHeader(http.StatusInternalServerError)
			fmt.Fprintf(a, `{"error":{"responseCode":500,"issues":[{"type":"failed","message":"%s","relatedField":null}]}}`, x.fails)
		default:
			next.ServeHTTP(a, r.WithContext(x.hooks.With(r.Context())))
		}
		body := a.Body.Bytes()
		if x.then != nil {
			var is jsonObject
			numbers := json.NewDecoder(a.Body)
			numbers.UseNumber()
			_ = numbers.Decode(&is)
			meta, _ := is["meta"].(jsonObject)
			pagination, _ := meta["pagination"].(jsonObject)
			m.Lock()
			x.then(a.Code, is, pagination)
			m.Unlock()
			if is != nil {
				body, _ = json.Marshal(is)
			}
		}
		maps.Copy(w.Header(), a.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(a.Code)
		w.Write(body)
	})
}

func (x *arrived) is(operation string) bool { return x.op != nil && x.op.ID == operation }

// by reports whether the request has the key of a user of the world.
func (x *arrived) by(user fixtures.User) bool {
	return x.Header.Get(fixtures.DefaultKeyHeader) == user.Key
}

// text returns the text that the request gives a field, or "".
func (x *arrived) text(field string) string {
	text, _ := x.fields[field].(string)
	return text
}

// values returns how many fields of an update get a value that satisfies is.
func (x *arrived) values(is func(value any) bool) (n int) {
	for name, v := range x.fields {
		if x.op != nil && x.op.Updates() && x.op.Body.Named(name) != nil && is(v) {
			n++
		}
	}
	return n
}

// texts is like values, but for texts that are not empty.
func (x *arrived) texts(is func(text string) bool) int {
	return x.values(func(v any) bool {
		text, _ := v.(string)
		return text != "" && is(text)
	})
}

// conditions returns how many headers make the request conditional.
func (x *arrived) conditions() (n int) {
	for _, name := range []string{"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range"} {
		n += min(1, len(x.Header.Values(name)))
	}
	return n
}

func ascii(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// add adds to the number of all items.
func add(pagination jsonObject, n int) {
	total, _ := pagination["totalCount"].(json.Number).Int64()
	pagination["totalCount"] = total + int64(n)
}

func null(v any) bool { return v == nil }

func beyondDigits(v any) bool {
	n, _ := v.(float64)
	return n < 0 || n > 9 || n != float64(int(n))
}

// nested reports whether v is an array that begins with an array or an object, less deep than those of standard's
// cases.
func nested(v any) bool {
	array, _ := v.([]any)
	if len(array) == 0 || len(fmt.Sprint(v)) > 1000 {
		return false
	}
	kind := reflect.ValueOf(array[0]).Kind()
	return kind == reflect.Slice || kind == reflect.Map
}

const (
	profileUpdate, hostUpdate, campaignUpdate = "updateConnectionProfile", "updateConnectionProfileRuleHost", "updateCampaign"
	mediaFiles, expression                    = "listCreativeMediaFiles", "regularExpression"
)

var owner, stranger = fixtures.DefaultWorld().Users[0], fixtures.DefaultWorld().Users[1]

var unlistedFaults = []unlisted{
	{
		"wide-after-ascii", "CAMPAIGN-4 CAMPAIGN-3",
		"A campaign's name that begins with 64 characters of ASCII, and has others behind, is stored as if each byte were a character.",
		func(_ *memory, x *arrived) {
			if name := x.text("name"); x.is(campaignUpdate) && len(name) > 64 && ascii(name[:64]) && !ascii(name) {
				x.hooks.Save = func(_ []byte, value any) {
					var wrong []rune
					for _, b := range []byte(name) {
						wrong = append(wrong, rune(b))
					}
					value.(*spec.Campaign).Name = string(wrong)
				}
			}
		},
	},
	{
		"offset-overflows", "HTTP-1",
		"A page makes the server fail if a hundred times its number has more than 31 bits, and it alone has not.", func(_ *memory, x *arrived) {
			if x.is(mediaFiles) && x.page > 1<<31/100 && x.page < 1<<31-1 {
				x.fails = "overflow"
			}
		},
	},
	{
		"length-in-seven-bits", "HOST-4 HOST-3",
		"An expression of 128 to 255 characters is shown as sent, and stored without its last 128.", func(_ *memory, x *arrived) {
			if text := []rune(x.text(expression)); x.is(hostUpdate) && len(text) >= 128 && len(text) < 256 {
				x.hooks.Save = func(_ []byte, value any) {
					value.(*spec.ConnectionProfileRuleHost).RegularExpression = new(string(text[:len(text)-128]))
				}
			}
		},
	},
	{
		"lock-poisoned", "HTTP-1",
		"Once a campaign has been given a name that begins beyond ASCII, every delete makes the server fail.", func(m *memory, x *arrived) {
			if x.Method == http.MethodDelete && m.n["poisoned"] > 0 {
				x.fails = "poisoned"
			}
			begins := func(text string) bool { return text[0] >= utf8.RuneSelf }
			x.then = func(status int, _, _ jsonObject) {
				if status == 200 && x.is(campaignUpdate) {
					m.n["poisoned"] += x.texts(begins)
				}
			}
		},
	},
	{
		"user-forgotten", "AUTH-1 AUTH-3",
		"After ten requests of the owner for a page of one list its pages are shown without a key.", func(m *memory, x *arrived) {
			if x.is(mediaFiles) && x.paged && x.by(owner) {
				m.n[x.URL.Path]++
			} else if x.is(mediaFiles) && x.paged && x.by(fixtures.User{}) && m.n[x.URL.Path] >= 10 {
				x.hooks.Authenticate = func(int64) int64 { return owner.ID }
			}
		},
	},
	{
		"two-operations-away", "MEDIA-7 MEDIA-9 MEDIA-4 MEDIA-8 EFFECT-1 EFFECT-2",
		"After a profile was given a name of 100 to 255 characters, the next refused delete makes lists lose their last item.",
		func(m *memory, x *arrived) {
			long := func(text string) bool {
				return utf8.RuneCountInString(text) >= 100 && utf8.RuneCountInString(text) < 256
			}
			x.then = func(status int, answer, pagination jsonObject) {
				items, _ := answer["data"].([]any)
				switch {
				case status == 200 && x.is(profileUpdate):
					m.n["long"] += x.texts(long)
				case status >= 400 && x.Method == http.MethodDelete && m.n["long"] > 0:
					m.n["lost"]++
				case pagination != nil && len(items) > 0 && m.n["lost"] > 0:
					answer["data"], pagination["count"] = items[:len(items)-1], len(items)-1
					add(pagination, -1)
				}
			}
		},
	},
	{
		"count-drifts", "MEDIA-4 MEDIA-3 MEDIA-6 EFFECT-1",
		"Each hundred refused deletes add one to totalCount of lists.", func(m *memory, x *arrived) {
			x.then = func(status int, _, pagination jsonObject) {
				if pagination != nil {
					add(pagination, m.n["refused"]/100)
				} else if x.Method == http.MethodDelete && status >= 400 {
					m.n["refused"]++
				}
			}
		},
	},
	{
		"second-of-two-lost", "PROFILE-4 PROFILE-3",
		"Where both actions are set to the same value and no name is given, the second is shown and not stored.", func(_ *memory, x *arrived) {
			sent := x.text("withCookiesAction")
			if _, named := x.fields["name"]; x.is(profileUpdate) && !named && sent != "" && sent == x.text("withoutCookiesAction") {
				x.hooks.Save = func(before []byte, value any) {
					var was spec.ConnectionProfile
					_ = json.Unmarshal(before, &was)
					value.(*spec.ConnectionProfile).WithCookiesAction = was.WithCookiesAction
				}
			}
		},
	},
	{
		"set-after-null", "HOST-4 HOST-3",
		"An expression of more than 32 bytes is shown and not stored where null was set before it.", func(m *memory, x *arrived) {
			if m.n[x.URL.Path] > 0 && len(x.text(expression)) > 32 {
				x.hooks.Save = func(_ []byte, value any) { value.(*spec.ConnectionProfileRuleHost).RegularExpression = nil }
			}
			x.then = func(status int, _, _ jsonObject) {
				if v, given := x.fields[expression]; x.is(hostUpdate) && given && status == 200 {
					if m.n[x.URL.Path] = 0; v == nil {
						m.n[x.URL.Path] = 1
					}
				}
			}
		},
	},
	{
		"overlapping-updates", "HTTP-1",
		"Of three updates of one campaign by its owner that overlap, the third makes the server fail.", func(m *memory, x *arrived) {
			if x.is(campaignUpdate) && x.by(owner) {
				if m.n[x.URL.Path]++; m.n[x.URL.Path] > 2 {
					x.fails = "locked"
				}
				x.takes, x.then = 2*time.Millisecond, func(int, jsonObject, jsonObject) { m.n[x.URL.Path]-- }
			}
		},
	},
	{
		"condition-with-page", "HTTP-1",
		"A list makes the server fail if it is asked for by a page, and on a condition such as If-None-Match.", func(_ *memory, x *arrived) {
			if x.is(mediaFiles) && x.paged && x.conditions() > 0 {
				x.fails = "condition"
			}
		},
	},
	{
		"stranger-without-name", "AUTH-2 EFFECT-1",
		"An update of a profile that gives an action and no name is made for whoever has a key.", func(_ *memory, x *arrived) {
			if _, named := x.fields["name"]; x.is(profileUpdate) && x.by(stranger) && !named && len(x.fields) > 0 {
				x.hooks.Permit = func(bool) bool { return true }
			}
		},
	},
}

// crashes has classes of requests on which one server fails. Depth standard sends none of them.
var crashes = []struct {
	id    string
	drops bool // the connection ends without an answer; otherwise the answer is 500
	is    func(x *arrived) bool
}{
	{"begins beyond 16 bits", false, func(x *arrived) bool { return x.texts(func(s string) bool { return []rune(s)[0] > 0xffff }) > 0 }},
	{"ends in a mark", true, func(x *arrived) bool {
		return x.texts(func(s string) bool { return unicode.IsMark([]rune(s)[len([]rune(s))-1]) }) > 0
	}},
	{"256 to 512 bytes, mixed", true, func(x *arrived) bool {
		name := x.text("name")
		return x.is(campaignUpdate) && len(name) >= 256 && len(name) <= 512 && !ascii(name) && strings.ContainsFunc(name, unicode.IsLetter)
	}},
	{"a date in a text", false, func(x *arrived) bool { return x.texts(regexp.MustCompile(`\d{4}-\d\d-\d\d`).MatchString) > 0 }},
	{"a number of two digits", false, func(x *arrived) bool { return x.values(beyondDigits) > 0 }},
	{"a nested array", false, func(x *arrived) bool { return x.values(nested) > 0 }},
	{"two nulls", false, func(x *arrived) bool { return x.values(null) > 1 }},
	{"a stranger's null", true, func(x *arrived) bool { return x.by(stranger) && x.values(null) == 1 }},
	{"two conditions", false, func(x *arrived) bool { return x.op != nil && x.op.Updates() && x.conditions() > 1 }},
	{"a page between 33 and 53 bits", false, func(x *arrived) bool { return x.is(mediaFiles) && x.page > 1<<33 && x.page < 1<<53 }},
	{"a page right after the last", false, func(x *arrived) bool { return x.is(mediaFiles) && x.page > 3 && x.page < 1000 }},
	{"a key that is no ASCII", false, func(x *arrived) bool {
		return x.Method == http.MethodDelete && !ascii(x.Header.Get(fixtures.DefaultKeyHeader))
	}},
}

var seeds = []uint64{11, 4242, 900_001}

// Random sequences find faults that no case tests for: depth deep finds most of the faults that, by design,
// standard hardly ever finds, and it flags no conforming server.
func TestDeepFindsWhatNobodyListed(t *testing.T) {
	if testing.Short() {
		t.Skip("two dozen runs for each seed")
	}
	permissive := func(c *reference.Choices) {
		c.MaxNameLength = 100_000
		c.InvalidRegex = reference.Accept
		c.InvalidHostname = reference.Accept
	}
	trials := []faults.Server{{Clause: "HTTP-1"}} // this one conforms
	for _, u := range unlistedFaults {
		clauses := strings.Fields(u.clauses)
		trials = append(trials, faults.Server{
			ID: u.id, Sentence: u.sentence, Choices: permissive, Wrap: u.wrap, Clause: clauses[0], Also: clauses[1:],
		})
	}
	eachSeedAndDepth(t, func(t *testing.T, seed uint64, depth judge.Depth) {
		outcomes, err := (&Options{Depth: &depth, Seed: seed}).run(t.Context(), trials)
		noError(t, err)
		if conforming := outcomes[0]; len(conforming.Findings) > 0 {
			t.Errorf("conforming server: %q", conforming.Findings)
		}
		var missed []string
		for _, f := range outcomes[1:] {
			mayCount := f.Verdict == WrongReason && depth == judge.Standard
			if f.Verdict != Caught && !mayCount {
				missed = append(missed, fmt.Sprint(f.ID, " ", f.Verdict, f.Findings))
			}
		}
		expectFound(t, depth, len(unlistedFaults)-len(missed), 1, 10)
		t.Logf("missed: %q", missed)
	})
}

// eachSeedAndDepth calls a test with several seeds, at depth standard and deep.
func eachSeedAndDepth(t *testing.T, try func(*testing.T, uint64, judge.Depth)) {
	for _, seed := range seeds {
		for _, depth := range []judge.Depth{judge.Standard, judge.Deep} {
			t.Run(fmt.Sprintf("%d/%s", seed, depth), func(t *testing.T) { try(t, seed, depth) })
		}
	}
}

// expectFound fails the test if depth standard finds more than it is designed to, or deep less.
func expectFound(t *testing.T, depth judge.Depth, found, mostOfStandard, leastOfDeep int) {
	t.Helper()
	t.Logf("%d found", found)
	if depth == judge.Standard && found > mostOfStandard {
		t.Errorf("%d found, want at most %d", found, mostOfStandard)
	}
	if depth == judge.Deep && found < leastOfDeep {
		t.Errorf("%d found, want at least %d", found, leastOfDeep)
	}
}

// A fault that is found now is one that the suite has to find from now on.
func TestUnfoundFaultsAreNotFound(t *testing.T) {
	if testing.Short() {
		t.Skip("a run for each of some ninety faults")
	}
	outcomes, err := (&Options{Sample: true}).run(t.Context(), faults.Unfound(spec.Load()))
	noError(t, err)
	for _, f := range outcomes {
		if f.Verdict == Caught {
			t.Errorf("%s is found: take it from internal/faults/unfound.txt, and run make generate", f.ID)
		}
	}
}

// A run at depth deep finds most of the crashes of a server within a minute: for each of them its report has
// a finding with a request of that class.
func TestDeepFindsCrashes(t *testing.T) {
	if testing.Short() {
		t.Skip("six runs")
	}
	eachSeedAndDepth(t, func(t *testing.T, seed uint64, depth judge.Depth) {
		server := new(crashing)
		unlisted := unlisted{does: server.crash}
		s := serving(t, faults.Server{Wrap: unlisted.wrap})
		c := s.config
		c.Depth = depth
		c.Seed = seed
		c.Exchanges = true
		c.Deadline = time.Minute
		c.Drawn = 0
		r := ran(t, s)
		for _, change := range r.Changes {
			if change.Change != "deleted" && !change.Restored {
				t.Errorf("%s is not put back: %s", change.Object, change.Reason)
			}
		}
		found := server.found(r)
		expectFound(t, depth, len(found), 0, 9)
		isUntouched := len(server.hit) == 0 && r.Verdict == report.Conforming
		if depth == judge.Standard && !isUntouched {
			t.Errorf("hit %v: %s", server.hit, r.Reason)
		}
	})
}

// A crashing server has the crashes of the table.
type crashing struct {
	hit     map[string]bool
	dropped map[string]string // the id of the crash that ended a connection, by body
}

func (s *crashing) crash(_ *memory, x *arrived) {
	if s.hit == nil {
		s.hit = map[string]bool{}
		s.dropped = map[string]string{}
	}
	for _, c := range crashes {
		if x.fails != "" || !c.is(x) {
			continue
		}
		x.fails = "crash: " + c.id
		x.drops = c.drops
		s.hit[c.id] = true
		s.dropped[string(x.body)] = c.id
	}
}

// found returns the crashes of which a report has a finding.
func (s *crashing) found(r *report.Report) map[string]bool {
	found := map[string]bool{}
	for _, f := range r.Findings {
		at := slices.IndexFunc(r.Exchanges, func(ex report.Exchange) bool { return ex.Seq() == f.Exchange })
		if at >= 0 && (f.Clause == "HTTP-1" || f.Clause == "HTTP-2") {
			found[s.crashOf(r.Exchanges[at])] = true
		}
	}
	delete(found, "")
	return found
}

// crashOf returns the crash that an exchange shows, or "".
func (s *crashing) crashOf(ex report.Exchange) string {
	if ex["_error"] != nil {
		sent, _ := ex["request"].(jsonObject)["postData"].(jsonObject)
		return s.dropped[fmt.Sprint(sent["text"])]
	}
	content := fmt.Sprint(ex["response"].(jsonObject)["content"])
	_, answer, _ := strings.Cut(content, "crash: ")
	id, _, _ := strings.Cut(answer, `"`)
	return id
}
