package wire

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
)

// A key may stop working while a run lasts: it expires, or a quota is used up. From then on every request with
// it is refused, which is nobody's fault but the operator's. So a client passes on no 401 to a key that was accepted
// before, and no unexpected 403, until the gate of the key has found out whether other operations still accept
// the key. If none does, the key has stopped, and the refusal becomes an error of the kind KeyStopped.

const (
	// ownRefusals is how many refusals in a row an operation may give, while others accept the key, before its
	// refusals are passed on without asking the others again.
	ownRefusals = 3
	// askedAgain is how often the key is tried again, after growing pauses, before it has stopped: a server that
	// refuses everybody for a moment is at fault.
	askedAgain = 6
)

// A keyGate records whether the target accepts the key of a user.
type keyGate struct {
	user    string
	isFirst bool                // and 403 to anybody may be due to it
	turn    *semaphore.Weighted // held by the exchange that finds out why it was refused

	guard
	keys   []string            // the key, and those that it was renewed to, the newest last
	renew  fixtures.Renew      // nil if the key cannot be renewed
	runs   int                 // of renew
	why    string              // the last one failed
	by     map[int]*keyAnswers // by the status that refuses the key, 401 or 403
	served map[string]bool     // paths that GET has shown
	stop   *KeyStop            // nil while the key works
}

// keyAnswers are the answers to a user's requests, told apart by one status that refuses the key.
type keyAnswers struct {
	times   int            // requests that were not refused
	last    int            // Seq of the last request that was accepted
	began   time.Time      // when the latest of the accepted ones was sent
	refused []refusal      // since then
	own     map[string]int // refusals in a row of an operation while others accepted the key
}

// A refusal is a request that was refused.
type refusal struct {
	seq        int
	unexpected bool // a key that works excludes it
}

// A KeyStop says that the target refuses a key from some request on, whatever the operation. It may be used
// concurrently.
type KeyStop struct {
	User     string
	Status   int // of the refusals: 401, or 403 to everybody
	accepted int // requests before the first refusal
	gate     *keyGate
	at       time.Time
	back     bool // a request that was sent later was accepted
}

// newGates returns the gates of the users whose keys these are.
func newGates(o Options) map[string]*keyGate {
	all := map[string]*keyGate{}
	for i, s := range o.Secrets {
		all[s.Name] = &keyGate{
			user: s.Name, isFirst: i == 0, turn: semaphore.NewWeighted(1), served: map[string]bool{},
			keys: []string{s.Value}, renew: o.Renew[s.Name],
			by: map[int]*keyAnswers{
				http.StatusUnauthorized: {own: map[string]int{}},
				http.StatusForbidden:    {own: map[string]int{}},
			},
		}
	}
	return all
}

// gateOf returns the gate of the key because of which a request may be refused with this status, or nil. A quota
// of the first user may be why a request without a user's key gets a 403.
func (c *Client) gateOf(r Request, status int) *keyGate {
	own := c.gates[r.Credential.Name]
	if r.Credential.isOddlySent() {
		own = nil
	}
	isUnexpected := status == http.StatusForbidden && !r.MayBeForbidden
	switch {
	case status == http.StatusUnauthorized, isUnexpected && own != nil:
		return own
	case isUnexpected && len(c.opt.Secrets) > 0:
		return c.gates[c.opt.Secrets[0].Name]
	}
	return nil
}

// accepts reports whether a status shows that a key is accepted, where another status refuses it. A 404 or 422
// does not: a server may send it before it looks at the key.
func accepts(status, refusing int) bool {
	return status/100 == 2 || status == http.StatusForbidden && refusing == http.StatusUnauthorized
}

// noteKeys records what an answer shows of the keys.
func (c *Client) noteKeys(ex *Exchange) {
	for _, g := range c.gates {
		for refusing := range g.by {
			g.note(ex, refusing, c.gateOf(ex.Request, refusing) == g)
		}
	}
}

// note records what an answer shows of the key, where one status refuses it. answers says that this refusal of
// the request could be due to the key.
func (g *keyGate) note(ex *Exchange, refusing int, answers bool) {
	defer g.lock()()
	a := g.by[refusing]
	status := ex.Response.Status
	isOthers := ex.Request.Credential.Name != g.user || ex.Request.Credential.isOddlySent()
	switch {
	case isOthers && (status != http.StatusForbidden || !g.isFirst):
	case status == refusing:
		if ex.Seq > a.last {
			a.refused = append(a.refused, refusal{ex.Seq, answers})
		}
	case isOthers, ex.Request.Operation == "", status >= http.StatusInternalServerError:
	case !accepts(status, refusing):
		a.count()
	case g.stop != nil:
		if refusing == g.stop.Status && !ex.Start.Before(g.stop.at) {
			g.stop.back = true
		}
	default:
		a.accept(ex)
		if ex.Request.Method == http.MethodGet && status/100 == 2 {
			g.served[ex.Request.Path] = true
		}
	}
}

// count counts an answer that is not a refusal, unless there may be no more of them.
func (a *keyAnswers) count() {
	if a.first() == 0 {
		a.times++
	}
}

// accept records that the key was accepted.
func (a *keyAnswers) accept(ex *Exchange) {
	a.last = max(a.last, ex.Seq)
	// A request that was refused may have been sent again.
	a.refused = slices.DeleteFunc(a.refused, func(r refusal) bool { return r.seq <= a.last })
	a.count()
	a.own[ex.Request.Operation] = 0
	if ex.Start.After(a.began) {
		a.began = ex.Start
	}
}

// first returns Seq of the first refusal that a working key excludes, or 0.
func (a *keyAnswers) first() (least int) {
	for _, r := range a.refused {
		isEarlier := least == 0 || r.seq < least
		if r.unexpected && isEarlier {
			least = r.seq
		}
	}
	return least
}

// forKey records what an answer shows, and reports whether to send the request again, with another key.
func (m *message) forKey(ctx context.Context) (again bool) {
	if m.ex.Response != nil { // the target accepts requests again
		m.gate.note(answered)
	}
	if m.ex.Err != nil {
		return false
	}
	m.noteKeys(m.ex)
	return m.afterRefusal(ctx)
}

// afterRefusal finds out whether a refusal is due to a key that has stopped, and reports whether to send the
// request again.
func (m *message) afterRefusal(ctx context.Context) (again bool) {
	ex := m.ex
	status := ex.Response.Status
	g := m.gateOf(m.Request, status)
	if g == nil {
		return false
	}
	if err := g.turn.Acquire(ctx, 1); err != nil {
		ex.Err = m.redactError(notSent(err))
		return false
	}
	defer g.turn.Release(1)
	switch {
	case m.newest(m.Credential).Value != m.Credential.Value: // renewed meanwhile
		return true
	case g.decided(m, status):
		return false
	case !g.isToBlame(m.Operation, status) && m.renewKey(ctx, g):
		return true
	}
	is, refused := m.askOthers(ctx, g, status)
	switch is {
	case keyAccepted:
		ex.RefusedBeside = refused
		g.blame(m.Operation, status)
	case keyRefused:
		if m.renewKey(ctx, g) {
			return true
		}
		g.end(ex)
	case keyUnknown:
	}
	return false
}

// maxRenewals is how often a key is renewed in a run at most.
const maxRenewals = 59

// renewKey gets the next key of a user whose key was refused, and reports whether the message is to be sent
// again with it.
func (m *message) renewKey(ctx context.Context, g *keyGate) bool {
	if g.renew == nil || g.user != m.Credential.Name {
		return false
	}
	if m.renews || m.ex.Response.Status != http.StatusUnauthorized {
		return false
	}
	if g.runs == maxRenewals {
		g.fail(fmt.Sprintf("it was renewed %d times already", maxRenewals))
		return false
	}
	g.runs++
	m.renews = true
	key, err := g.renew(ctx)
	switch {
	case err != nil:
		g.fail("its command failed: " + m.Redact(err.Error()))
	case slices.Contains(g.keys, key):
		g.fail("its command printed an earlier key again")
	default:
		m.addKey(Credential{Name: g.user, Value: key, Send: true}, true)
		defer g.lock()()
		g.keys = append(g.keys, key)
		g.why = ""
		return true
	}
	return false
}

// fail records why a key could not be renewed.
func (g *keyGate) fail(why string) {
	defer g.lock()()
	g.why = why
}

// newest returns a user's credential with the newest key, and any other as it is.
func (c *Client) newest(k Credential) Credential {
	if g := c.gates[k.Name]; g != nil && k.Send {
		defer g.lock()()
		if slices.Contains(g.keys, k.Value) {
			k.Value = g.keys[len(g.keys)-1]
		}
	}
	return k
}

// Key returns the newest key of a user.
func (c *Client) Key(user string) string {
	if g := c.gates[user]; g != nil {
		defer g.lock()()
		return g.keys[len(g.keys)-1]
	}
	return ""
}

// decided reports whether it is known without another request why one was refused. If the key has stopped, the
// exchange fails.
func (g *keyGate) decided(m *message, status int) bool {
	defer g.lock()()
	switch a := g.by[status]; {
	case g.stop != nil:
		m.ex.fail(g.stop)
		return true
	case a.last == 0, a.began.After(m.ex.End()), a.own[m.Operation] >= ownRefusals:
		return true // it was never accepted, or since, or the operation is known to refuse it
	}
	return false
}

// isToBlame reports whether an operation has just refused a key that others accepted.
func (g *keyGate) isToBlame(operation string, status int) bool {
	defer g.lock()()
	return g.by[status].own[operation] > 0
}

// blame records that an operation refused a key that others accept.
func (g *keyGate) blame(operation string, status int) {
	defer g.lock()()
	g.by[status].own[operation]++
}

// end records that the key has stopped.
func (g *keyGate) end(ex *Exchange) {
	defer g.lock()()
	status := ex.Response.Status
	g.stop = &KeyStop{User: g.user, Status: status, gate: g, accepted: g.by[status].times, at: time.Now()}
	ex.fail(g.stop)
}

// fail turns a refusal into an error. The response stays, for the report.
func (ex *Exchange) fail(stop *KeyStop) {
	ex.Stop = stop
	ex.Err = transportErrorf(KeyStopped, "%s", stop.Brief())
}

// A verdict is what asking other operations shows of a key.
type verdict int

const (
	keyUnknown verdict = iota
	keyAccepted
	keyRefused
)

// askOthers asks the operations, other ones first, whether they accept the key, and then one of those that
// refuse it a few times more. It returns how many ordinary requests were refused.
func (m *message) askOthers(ctx context.Context, g *keyGate, status int) (is verdict, refusals int) {
	if m.ordinary == nil {
		return keyUnknown, 0
	}
	var refused []Request
	for _, r := range m.othersFirst() {
		switch m.ask(ctx, g, r, status) {
		case keyAccepted:
			return keyAccepted, len(refused)
		case keyRefused:
			refused = append(refused, r)
		case keyUnknown:
		}
	}
	if len(refused) == 0 {
		return keyUnknown, 0
	}
	for n := range askedAgain {
		if sleep(ctx, pauseOf(n)) != nil {
			break
		}
		if m.ask(ctx, g, refused[n%len(refused)], status) == keyAccepted {
			return keyAccepted, len(refused) + n
		}
	}
	return keyRefused, len(refused)
}

// othersFirst returns the ordinary requests, those of the message's own operation last.
func (m *message) othersFirst() []Request {
	var others, own []Request
	for _, r := range m.ordinary() {
		if r.Operation == m.Operation {
			own = append(own, r)
		} else {
			others = append(others, r)
		}
	}
	return append(others, own...)
}

// ask sends an ordinary request as the user, on a fresh connection, and returns what the answer shows.
func (m *message) ask(ctx context.Context, g *keyGate, r Request, status int) verdict {
	r.Credential = Credential{Name: g.user, Value: m.Key(g.user), Send: true}
	got := m.askBeside(ctx, r)
	switch {
	case got == status:
		defer g.lock()()
		isServed := r.Method != http.MethodGet || g.served[r.Path]
		if status == http.StatusForbidden && !isServed { // it may have another reason
			return keyUnknown
		}
		return keyRefused
	case accepts(got, status):
		return keyAccepted
	case got/100 != 4 || got == http.StatusTooManyRequests:
		return keyUnknown
	}
	r.Credential = m.unknownKey()
	if m.askBeside(ctx, r) == got { // it comes before the server looks at the key
		return keyUnknown
	}
	return keyAccepted
}

// unknownKey returns a key that no user has.
func (c *Client) unknownKey() Credential {
	k := Credential{Name: "unknown", Value: "adconform-no-such-key", Send: true, Public: true}
	if c.opt.Key.IsBasic() {
		k.Value = fixtures.JoinBasic("adconform", k.Value)
	}
	return k
}

// askBeside sends a request that belongs to no case, and returns the status of the answer, or 0.
func (m *message) askBeside(ctx context.Context, r Request) (status int) {
	other := m.begin("preflight/beside", r)
	if other.ex.Err != nil || m.Client.admit(ctx) != nil {
		return 0
	}
	m.attempt(ctx, other, m.sendAlone)
	m.ex.Beside++
	if other.ex.Err != nil {
		return 0
	}
	m.noteKeys(other.ex)
	return other.ex.Response.Status
}

// Brief says that the key has stopped.
func (s *KeyStop) Brief() string {
	if s.Status == http.StatusForbidden {
		return fmt.Sprintf("every request has been answered 403 since the %s's key was last accepted", s.User)
	}
	return fmt.Sprintf("the %s's key is no longer accepted", s.User)
}

// String says how often the key was accepted, and asks for the usual reason.
func (s *KeyStop) String() string {
	text := fmt.Sprintf("the %s's key was accepted %s and ", s.User, wording.Count(s.accepted, "time"))
	if s.Status == http.StatusForbidden {
		return text + fmt.Sprintf("everything is answered 403 since request %d: is a quota used up?", s.First())
	}
	text += fmt.Sprintf("is refused since request %d", s.First())
	defer s.gate.lock()()
	switch {
	case s.gate.why != "":
		return text + "; " + s.gate.why
	case s.gate.renew != nil:
		return text + ", and so is the new key that its command printed"
	}
	return text + ": has it expired?"
}

// First returns Seq of the first request that was refused.
func (s *KeyStop) First() int {
	defer s.gate.lock()()
	return s.gate.by[s.Status].first()
}

// Refused returns Seq of each request that was refused since the key was last accepted.
func (s *KeyStop) Refused() (all []int) {
	defer s.gate.lock()()
	for _, r := range s.gate.by[s.Status].refused {
		all = append(all, r.seq)
	}
	return all
}

// Back reports whether a request was accepted after the key had stopped.
func (s *KeyStop) Back() bool {
	defer s.gate.lock()()
	return s.back
}
