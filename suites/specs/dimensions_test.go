package specs

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// A tap keeps the bytes that are written to its connections.
type tap struct {
	mu   sync.Mutex
	sent bytes.Buffer
}

func (p *tap) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	return &tapped{conn, p}, err
}

type tapped struct {
	net.Conn
	tap *tap
}

func (c *tapped) Write(b []byte) (int, error) {
	c.tap.mu.Lock()
	defer c.tap.mu.Unlock()
	c.tap.sent.Write(b)
	return c.Conn.Write(b)
}

// A sentRequest is a request as it was written.
type sentRequest struct {
	target, proto string
	lines         []string // of the header, without the length of the body
	key           []string // the line that carries the key
	body          string
}

func (p *tap) take() (s sentRequest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	head, body, _ := strings.Cut(p.sent.String(), "\r\n\r\n")
	p.sent.Reset()
	lines := strings.Split(head, "\r\n")
	words := strings.Split(lines[0], " ")
	s.target, s.proto, s.body = words[1], words[2], body
	for _, line := range lines[1:] {
		switch name, _, _ := strings.Cut(line, ":"); strings.ToLower(name) {
		case "content-length", "connection":
		case "x-api-key":
			s.key = append(s.key, line)
		default:
			s.lines = append(s.lines, line)
		}
	}
	slices.Sort(s.lines)
	return s
}

// text returns the body without chunks.
func (s sentRequest) text(t *testing.T) string {
	t.Helper()
	if !slices.Contains(s.lines, "Transfer-Encoding: chunked") {
		return s.body
	}
	var all strings.Builder
	for rest := s.body; ; {
		size, after, _ := strings.Cut(rest, "\r\n")
		n, err := strconv.ParseInt(size, 16, 64)
		reftest.NoError(t, err)
		if n == 0 {
			return all.String()
		}
		all.WriteString(after[:n])
		rest = after[n+2:]
	}
}

// members returns what the JSON of the body means, and whether it is an object.
func (s sentRequest) members(t *testing.T) (members map[string]any, is bool) {
	t.Helper()
	is = json.Unmarshal([]byte(s.text(t)), &members) == nil
	return members, is
}

// tabled returns a context that sends the requests of an operation to the reference, and what it writes.
func tabled(t *testing.T, op *spec.Operation, target *fixtures.Target) (*session.T, *tap) {
	t.Helper()
	p := new(tap)
	client, err := wire.New(wire.Options{BaseURL: target.BaseURL, Key: target.Credentials.Form(), Dial: p.dial})
	reftest.NoError(t, err)
	t.Cleanup(client.Close)
	s := session.NewSession(session.Options{ModelOptions: judge.ModelOptions{
		Contract: spec.Load(), Target: target,
		Seed: 1,
	}, Client: client})
	return s.Begin(t.Context(), &judge.Case{ID: op.ID + "/arrays/table", Operation: op, Clauses: []string{"AUTH-1"}}), p
}

// Each row changes the part of its dimension on the wire, and no other.
func TestRowsAreOnTheWire(t *testing.T) {
	target := fixtures.DefaultWorld().Target(reftest.Serve(t, reftest.New(t, fixtures.DefaultWorld(), nil)))
	s := &Specs{Contract: spec.Load(), Target: target}
	for _, op := range s.Contract.Operations {
		c, p := tabled(t, op, target)
		o := object(c)
		send := func(m mix) sentRequest {
			c.Send(m.made(c, o))
			return p.take()
		}
		ordinary := send(nil)
		for _, d := range dimensionsOf(s, op) {
			for _, r := range d.rows {
				if op.Deletes() {
					o = c.Target().UnknownObject(op) // nothing is deleted
					ordinary = send(nil)
				}
				if diff := claimed(t, d.name, r, ordinary, send(mix{r})); diff != "" {
					t.Errorf("%s, %s: %s (%s): %s", op.ID, d.name, r.name, r.words, diff)
				}
			}
		}
	}
}

// claimed returns how a request differs from what its row claims, or "".
func claimed(t *testing.T, dimension string, r *row, ordinary, odd sentRequest) string {
	t.Helper()
	name, _, _ := strings.Cut(dimension, " of ")
	check, known := claimsOf[name]
	if !known {
		return "the test does not know this dimension"
	}
	before, _ := ordinary.members(t)
	after, isObject := odd.members(t)
	same := ordinary // but for the part that is the row's
	if isObject && cmp.Equal(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after))) {
		same.body = odd.body // ordinary values are new each time
	}
	if wrong := check(asSent{r, dimension, ordinary, odd, before, after, isObject}, &same); wrong != "" {
		return wrong
	}
	return cmp.Diff(same, odd, cmp.AllowUnexported(sentRequest{}))
}

// asSent is a row, an ordinary request, and the one with the row.
type asSent struct {
	*row
	dimension     string
	ordinary, odd sentRequest
	before, after map[string]any // members
	isObject      bool
}

// unless returns what is wrong unless a condition holds.
func unless(holds bool, wrong string) string {
	if holds {
		return ""
	}
	return wrong
}

func (s sentRequest) path() string { path, _, _ := strings.Cut(s.target, "?"); return path }

func changesLines(s asSent, same *sentRequest) string {
	same.lines = s.odd.lines
	return unless(!cmp.Equal(s.odd.lines, s.ordinary.lines), "no header has changed")
}

// claimsOf has for each dimension a function that copies the part which a row may change, and returns what is wrong
// with it.
var claimsOf = map[string]func(s asSent, same *sentRequest) string{
	"object": func(s asSent, same *sentRequest) string {
		same.target = s.odd.target
		return unless(s.odd.target != s.ordinary.target, "the path is the ordinary one")
	},
	"who": func(s asSent, same *sentRequest) string {
		same.key = s.odd.key
		return unless(!cmp.Equal(s.odd.key, s.ordinary.key), "the key is the ordinary one")
	},
	"fields": func(s asSent, same *sentRequest) string {
		same.body = s.odd.body
		return unless(s.isObject && len(s.after) < len(s.before), "there are no fewer fields: "+s.odd.body)
	},
	"value": func(s asSent, _ *sentRequest) string {
		field := strings.TrimPrefix(s.dimension, "value of ")
		value, has := s.after[field]
		return unless(has && (s.is == plain || !cmp.Equal(s.before[field], value)), "its field has the ordinary value")
	},
	"members": func(s asSent, same *sentRequest) string {
		same.body = s.odd.body
		return unless(len(s.after) == len(s.before)+1, "there is no further member: "+s.odd.body)
	},
	"JSON": func(s asSent, same *sentRequest) string {
		same.body = s.odd.body
		isRight := s.isObject == (s.is == plain) || s.odd.body == "null"
		return unless(isRight, "the body means something else: "+s.odd.body)
	},
	"path": func(s asSent, same *sentRequest) string {
		same.target = s.odd.target
		isOther := s.odd.path() != s.ordinary.path() || s.odd.target == s.ordinary.target+"?"
		return unless(isOther, "the path is the ordinary one")
	},
	"query": func(s asSent, same *sentRequest) string {
		same.target = s.odd.target
		isQuery := s.odd.path() == s.ordinary.path() && s.odd.target != s.ordinary.target
		return unless(isQuery, "the query is not another one")
	},
	"key header": func(s asSent, same *sentRequest) string {
		same.key = s.odd.key
		value := func(s sentRequest) string { return strings.TrimSpace(s.key[0][len("X-API-Key:"):]) }
		isSpelling := !cmp.Equal(s.odd.key, s.ordinary.key) && value(s.odd) == value(s.ordinary)
		return unless(isSpelling, "the header is not another spelling")
	},
	"media type": changesLines, "accepted types": changesLines, "headers": changesLines, "claims": changesLines,
	"transfer": func(s asSent, same *sentRequest) string {
		if s.how.is(bodiless) {
			same.body = s.odd.body
		}
		same.lines, same.proto = s.odd.lines, s.odd.proto
		if isAbsolute := s.odd.target == "http://"+hostOf(s.odd.lines)+s.ordinary.target; isAbsolute {
			same.target = s.odd.target
		}
		return ""
	},
}

func hostOf(lines []string) string {
	for _, line := range lines {
		if host, is := strings.CutPrefix(line, "Host: "); is {
			return host
		}
	}
	return ""
}

// Names and words of rows are unique in an operation, and the rows of all operations that have such a part are the
// same.
func TestRowsAreUnique(t *testing.T) {
	s := &Specs{Contract: spec.Load(), Target: fixtures.DefaultWorld().Target("http://127.0.0.1")}
	for _, op := range s.Contract.Operations {
		names, words := map[string]bool{}, map[string]bool{}
		for _, d := range dimensionsOf(s, op) {
			for _, r := range d.rows {
				if names[r.name] || words[r.words] {
					t.Errorf("%s: a second row is called %s, or described as %s", op.ID, r.name, r.words)
				}
				names[r.name], words[r.words] = true, true
				if (r.is == fault) != (r.kind != "") {
					t.Errorf("%s: %s has to have a kind if, and only if, it is a fault", op.ID, r.name)
				}
			}
		}
	}
}

// A number that makes a text unique leaves its shape as it is.
func TestNumbersKeepTheShapeOfATextThatTheyAreIn(t *testing.T) {
	target := fixtures.DefaultWorld().Target("http://127.0.0.1")
	for _, op := range spec.Load().Operations[:1] {
		c, _ := tabled(t, op, target)
		seen := map[string]bool{}
		for _, text := range slices.Concat(nameShapes, hostShapes, expressionShapes) {
			shape := strings.NewReplacer("§", "[0-9]{7}", "TOKEN", "[a-z2-9]{10}").Replace(regexp.QuoteMeta(text.text))
			got := text.in(c)
			if !regexp.MustCompile("^"+shape+"$").MatchString(got) || strings.HasPrefix(text.text, "TOKEN") {
				t.Errorf("%s: %q is not of the shape %q", text.name, got, text.text)
			}
			if seen[got] {
				t.Errorf("%s: %q comes twice", text.name, got)
			}
			seen[got] = true
		}
	}
}

// A covering has every row, no two rows that clash, and hardly more requests than the largest dimension has rows.
func TestCoveringsAreSmall(t *testing.T) {
	s := &Specs{Contract: spec.Load(), Target: fixtures.DefaultWorld().Target("http://127.0.0.1")}
	for _, op := range s.Contract.Operations {
		dimensions, v := dimensionsOf(s, op), newCovering()
		may := func(r *row) bool { return r.is != fault }
		largest, rows, requests := 0, 0, 0
		for _, d := range dimensions {
			n := len(slices.DeleteFunc(slices.Clone(d.rows), func(r *row) bool { return !may(r) }))
			largest, rows = max(largest, n), rows+n
		}
		for m := v.next(dimensions, may); m != nil; m = v.next(dimensions, may) {
			requests++
			for i, r := range m {
				if slices.ContainsFunc(m[i+1:], func(other *row) bool { return r.clashes(other) || r.at == other.at }) {
					t.Errorf("%s: rows of %s clash", op.ID, m.names())
				}
			}
			v.note(m)
		}
		if len(v.rows) != rows || requests > largest+4 {
			t.Errorf("%s: %d requests have %d of %d rows; the largest dimension has %d",
				op.ID, requests, len(v.rows), rows,
				largest)
		}
	}
}

// Rows claim what the model reads from the request on the wire: with a fault it has to be refused, and a plain row adds
// nothing for which it may be. Nobody and the stranger are refused whatever row is beside.
func TestRowsClaimWhatTheModelReads(t *testing.T) {
	target := fixtures.DefaultWorld().Target("http://127.0.0.1")
	s := &Specs{Contract: spec.Load(), Target: target}
	for _, op := range s.Contract.Operations {
		c, _ := tabled(t, op, target)
		o, g := object(c), &grid{op: op, dimensions: dimensionsOf(s, op)}
		right := func(m mix) judge.Expect { return c.RightTo(m.made(c, o)) }
		for _, r := range g.rows(func(*row) bool { return true }) {
			e := right(mix{r})
			mayBeServed, mayBeRefused := e.Success || e.OnlyCrash, len(e.Statuses) > 0 || e.AnyRefusal || e.OnlyCrash
			if r.isFault() == mayBeServed || r.is == plain && mayBeRefused {
				t.Errorf("%s: %s (%s) is no such row: the model expects %+v", op.ID, r.name, r.words, e)
			}
			for user, status := range map[string]int{"no-key": 401, "stranger": 403} {
				if who := g.find(user); !r.isFault() && !r.clashes(who) && !refuses(right(mix{r}.with(who)), status) {
					t.Errorf("%s: the model does not expect that %s with %s is refused", op.ID, r.name, user)
				}
			}
		}
	}
}

// refuses reports whether no success is expected, but this status or whatever is none.
func refuses(e judge.Expect, status int) bool {
	mayBe := e.AnyRefusal || e.OnlyCrash || slices.Contains(e.Statuses, status)
	return mayBe && !e.Success && !e.EmptyList
}
