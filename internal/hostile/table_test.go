package hostile

import (
	"bytes"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"text/template"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
)

// mode is a hostile server. One of conn, answer and kill is set, or idle.
type mode struct {
	id, does string
	says     *regexp.Regexp // what a finding, or the reason of the verdict, has to say
	timeout  time.Duration  // limits.timeout of the target file; 0 means patient
	rounds   int            // time-outs that a run may take, where that is less than maxTime; 0: it is not
	exits    []int          // the exit codes that are right; none: 1 and 3
	short    bool           // tried with -short too
	computed bool           // a run computes for long where others wait: it is tried alone

	conn   func(net.Conn)           // with each connection, before a byte is read
	idle   bool                     // nobody accepts connections
	scheme string                   // of the base URL; "" means http
	at     string                   // the operation whose answers are hostile; "" means all
	answer func(s *site) behaviour  // with each of those requests
	keys   func(*fixtures.World)    // gives the users other keys
	target func(t *fixtures.Target) // changes the target file

	kill      int  // the run is killed when this many requests have arrived
	provision bool // the target file says how the objects are brought back
}

// The two ways in which the suite reads an answer: by net/http, and byte by byte on a
// connection of its own.
const (
	byNetHTTP = "updateCampaign"
	byBytes   = "deleteCreative"
)

const (
	patient = 10 * time.Second       // a time-out that a run does not reach by itself
	hanging = 400 * time.Millisecond // the time-out for servers that let requests hang
)

// The exit codes of a target that is found out, and of one that looks as if its base
// URL were wrong.
var (
	found    = []int{report.ExitNonconforming}
	mistaken = []int{report.ExitInconclusive}
)

//go:embed table.yaml
var tableYAML []byte

// table has the rows that are data.
type table struct {
	Raw []struct {
		ID, Does, Says, Send, Then, Again, Slowly, Short string
	}
	Bodies []struct {
		ID, Does, Says, At, Body string
		Status                   int
		Short                    bool
	}
	Redirects []struct {
		ID, To, Location string
		Status           int
		Short            bool
	}
	Limited []struct {
		ID, Header string
		Short      bool
	}
}

// modes are all hostile servers.
func modes(tb testing.TB) []mode {
	tb.Helper()
	var rows table
	decoder := yaml.NewDecoder(bytes.NewReader(tableYAML))
	decoder.KnownFields(true)
	if err := decoder.Decode(&rows); err != nil {
		tb.Fatal(err)
	}
	all := append(rows.raw(), rows.bodies()...)
	all = append(append(all, rows.redirects()...), rows.limited()...)
	for _, more := range [][]mode{connectionModes(), gzipModes(), textModes(), secretModes(), dyingModes(), killedModes(), failingModes()} {
		all = append(all, more...)
	}
	return all
}

// functions are those of the templates.
var functions = template.FuncMap{
	"head": func() string { return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" },
	"chunked": func() string {
		return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
	},
	"json":  func() string { return someJSON },
	"mark":  func() string { return mark },
	"named": func() string { return `{"data":{"id":25,"name":` },
	"page": func() string {
		return `{"meta":{"pagination":{"count":1,"totalCount":1,"page":1,"totalPages":1}},"data":[`
	},
	"wrong": func() string { return `{"id":"a","campaignId":"b","name":3,"createdAt":4,"shareURL":5}` },
	"issue": func() string { return `{"type":1,"message":2,"relatedField":"` + mark + `"}` },
	"rep":   func(n int, text string) string { return strings.Repeat(text, n) },
	"list":  func(n int, text string) string { return strings.Repeat(text+",", n-1) + text },
	"members": func(n int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(`"m%d":0`, i)
		}
		return strings.Join(all, ",")
	},
	"bytes": func(digits string) (string, error) {
		b, err := hex.DecodeString(digits)
		return string(b), err
	},
}

// someJSON is the beginning of a representation.
const someJSON = `{"data":{"id":25,"name":"`

// expand gives a template its values.
func expand(text string, values any) string {
	var b strings.Builder
	t := template.Must(template.New("row").Delims("<<", ">>").Funcs(functions).Parse(text))
	if err := t.Execute(&b, values); err != nil {
		panic(err) // a row of ours is wrong
	}
	return b.String()
}

func words(expression string) *regexp.Regexp { return regexp.MustCompile(expression) }

// where is the end of an id, and the subject of a sentence.
func where(at string) string {
	if at == "" {
		return "everywhere"
	}
	return at
}

func (rows *table) raw() (all []mode) {
	for _, row := range rows.Raw {
		var timeout time.Duration
		if row.Then == "hang" || row.Slowly != "" {
			timeout = hanging
		}
		do := func(c net.Conn) {
			io.WriteString(c, expand(row.Send, nil))
			switch {
			case row.Slowly != "":
				drip(c, expand(row.Slowly, nil))
			case row.Again != "":
				endless(c, expand(row.Again, nil))
			case row.Then == "hang":
				untilGone(c)
			case row.Then == "reset":
				reset(c)
			}
		}
		for _, at := range []string{byNetHTTP, byBytes, ""} {
			all = append(all, mode{
				id: row.ID + "/" + where(at), does: row.Does, says: words(row.Says), timeout: timeout,
				at: at, answer: func(s *site) behaviour { return s.raw(do) }, short: at != "" && at == row.Short,
			})
		}
	}
	return all
}

func (rows *table) bodies() (all []mode) {
	for _, row := range rows.Bodies {
		body := sync.OnceValue(func() []byte { return []byte(expand(row.Body, nil)) })
		all = append(all, mode{
			id: "json/" + row.ID, does: row.Does, says: words(row.Says), at: firstOf(row.At, byNetHTTP), short: row.Short, computed: true,
			answer: func(*site) behaviour { return answering(max(row.Status, http.StatusOK), "", body) },
		})
	}
	return all
}

func firstOf(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// withShort is an operation with -short, else all of them.
func withShort(operation string) string {
	if testing.Short() {
		return operation
	}
	return ""
}

func (rows *table) redirects() (all []mode) {
	for _, row := range rows.Redirects {
		answer := func(s *site) behaviour {
			return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
				other := strings.TrimPrefix(s.other, "http://")
				w.Header().Set("Location", expand(row.Location, map[string]string{
					"Other": s.other, "OtherHost": other, "Path": r.URL.Path, "URL": r.URL.String(), "Host": r.Host,
				}))
				w.WriteHeader(row.Status)
			}
		}
		m := mode{does: fmt.Sprintf("redirects to %s (%d)", row.To, row.Status), short: row.Short, answer: answer}
		everywhere, one := m, m
		everywhere.id, everywhere.exits = "redirect/"+row.ID+"/everywhere", mistaken
		everywhere.says = words(fmt.Sprintf(`baseURL: redirects every request \(%d\)`, row.Status))
		one.id, one.exits, one.at = "redirect/"+row.ID+"/"+byNetHTTP, found, byNetHTTP
		one.says, one.short = words(fmt.Sprintf(`\w+-\d+: .*\b%d\b`, row.Status)), false
		all = append(all, everywhere, one)
	}
	return all
}

func (rows *table) limited() (all []mode) {
	for _, row := range rows.Limited {
		text := "HTTP/1.1 429 Too Many Requests\r\n" + expand(row.Header, nil) + "Content-Length: 0\r\nConnection: close\r\n\r\n"
		for _, at := range []string{"", byNetHTTP} {
			all = append(all, mode{
				id: "429/" + row.ID + "/" + where(at), does: "answers 429 for ever", says: words(`rate-limited: 429 after \d+ waits`), at: at,
				answer: func(s *site) behaviour { return s.raw(func(c net.Conn) { io.WriteString(c, text) }) }, short: row.Short && at == "",
			})
		}
	}
	return all
}
