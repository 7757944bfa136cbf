package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/testcase"
)

// Merge makes one report of the rounds of a run, the only place that does: what any of them
// found is found, with the rounds in which it was seen. Verdict, reason and exit code are
// left to whoever asks. leftOut are the cases that each round lacked, as in Round.
func Merge(asked int, rounds []*Report, leftOut []int) *Report {
	m := *rounds[0]
	m.Repeat = &Repeat{Asked: asked}
	m.Mistakes, m.Defects, m.NotShown, m.Clauses, m.OpenPoints, m.Changes, m.Exchanges = nil, nil, nil, nil, nil, nil, nil
	m.Requests, m.RateLimited, m.Unavailable, m.WaitedSeconds, m.Resent, m.Lost = 0, 0, 0, 0, 0, 0
	results := &merged{at: map[string]int{}}
	for i, r := range rounds {
		results.add(i+1, len(m.Exchanges), r)
		m.addTraffic(r, i+1)
		m.Repeat.Rounds = append(m.Repeat.Rounds, newRound(r, leftOut[i]))
		for _, text := range r.Mistakes {
			once(&m.Mistakes, text)
		}
		for _, text := range r.Defects {
			once(&m.Defects, text)
		}
		m.NotShown = addGaps(m.NotShown, r.NotShown)
		m.Clauses = addClauses(m.Clauses, r.Clauses)
		m.OpenPoints = addOpenPoints(m.OpenPoints, r.OpenPoints)
		m.Changes = addChanges(m.Changes, r.Changes)
		m.Interrupted = m.Interrupted || r.Interrupted
		if r.Stopped != "" {
			m.Stopped = m.InRound(i+1, r.Stopped)
		}
	}
	last := rounds[len(rounds)-1]
	m.DurationSeconds = last.Started.Sub(m.Started).Seconds() + last.DurationSeconds
	m.Results, m.Cases = results.cases()
	m.Findings = results.findings(rounds)
	if m.Level = Complete; m.Selected { // by the user: later rounds may lack cases, too
		m.Level = Selected
	} else if len(m.NotShown) > 0 {
		m.Level = Partial
	}
	return &m
}

func newRound(r *Report, leftOut int) Round {
	return Round{
		Verdict: r.Verdict, Reason: r.Reason, DurationSeconds: r.DurationSeconds, Requests: r.Requests, Cases: r.Cases,
		Findings: len(pick(r, func(f *oracle.Finding) bool { return f.Severity != oracle.Notice })), LeftOut: leftOut,
	}
}

// addTraffic counts what a round sent, and adds its exchanges behind those before.
func (r *Report) addTraffic(of *Report, round int) {
	r.Requests += of.Requests
	r.RateLimited += of.RateLimited
	r.Unavailable += of.Unavailable
	r.WaitedSeconds += of.WaitedSeconds
	r.Resent += of.Resent
	r.Lost += of.Lost
	before := len(r.Exchanges)
	for _, ex := range of.Exchanges {
		ex.Seq += before
		ex.Round = round
		r.Exchanges = append(r.Exchanges, ex)
	}
}

func addGaps(all, gaps []Gap) []Gap {
	for _, g := range gaps {
		if i := slices.IndexFunc(all, func(a Gap) bool { return a.Need == g.Need && a.Text == g.Text }); i >= 0 {
			all[i].Cases = max(all[i].Cases, g.Cases)
		} else {
			all = append(all, g)
		}
	}
	return all
}

// addClauses takes the worst that became of a clause where it was judged.
func addClauses(all, clauses []Clause) []Clause {
	for _, c := range clauses {
		i := slices.IndexFunc(all, func(a Clause) bool { return a.ID == c.ID && a.Operation == c.Operation })
		if i < 0 {
			all = append(all, c)
			continue
		}
		operation, cases, times := c.Operation, max(all[i].Cases, c.Cases), all[i].Times+c.Times
		all[i] = together(all[i], c)
		all[i].Operation, all[i].Cases, all[i].Times = operation, cases, times
	}
	return all
}

func addOpenPoints(all, points []OpenPoint) []OpenPoint {
	for _, p := range points {
		i := slices.IndexFunc(all, func(a OpenPoint) bool { return a.ID == p.ID })
		if i < 0 {
			p.Observed, p.Answers = slices.Clone(p.Observed), slices.Clone(p.Answers)
			all = append(all, p)
			continue
		}
		union(&all[i].Observed, p.Observed)
		for _, a := range p.Answers {
			given := slices.IndexFunc(all[i].Answers, func(b Answer) bool { return b.Answer == a.Answer })
			if given < 0 {
				all[i].Answers = append(all[i].Answers, a)
				continue
			}
			b := &all[i].Answers[given]
			b.Observed, b.At = slices.Clone(b.Observed), slices.Clone(b.At)
			union(&b.Observed, a.Observed)
			union(&b.At, a.At)
		}
	}
	return all
}

func union(all *[]string, texts []string) {
	for _, text := range texts {
		once(all, text)
	}
}

// addChanges keeps what a round could not put back: a later one may have found it so.
func addChanges(all, changes []session.Change) []session.Change {
	for _, c := range changes {
		i := slices.IndexFunc(all, func(a session.Change) bool { return a.Object == c.Object && a.ID == c.ID && a.Change == c.Change })
		switch {
		case i < 0:
			all = append(all, c)
		case all[i].Restored:
			all[i] = c
		}
	}
	return all
}

// merged are the results of the rounds, by case.
type merged struct {
	all []*mergedCase
	at  map[string]int
}

// mergedCase is a case with the rounds in which it was run and failed, and each time that
// something was found with the rounds in which that was.
type mergedCase struct {
	Case
	weight      int
	ran, failed []int
	sights      []*sight
}

type sight struct {
	oracle.Finding
	key    sightKey
	rounds []int
}

// sightKey tells apart what one case finds in one round.
type sightKey struct {
	cause oracle.Cause
	words string
	nth   int
}

// add adds a round, whose exchanges have their numbers from so many on.
func (m *merged) add(round, exchanges int, r *Report) {
	for _, c := range r.Results {
		i, known := m.at[c.ID]
		if !known {
			i = len(m.all)
			m.at[c.ID] = i
			first := &mergedCase{Case: c}
			first.Requests, first.Seconds = 0, 0
			m.all = append(m.all, first)
		}
		m.all[i].add(round, exchanges, c)
	}
}

func (m *mergedCase) add(round, exchanges int, c Case) {
	m.Requests += c.Requests
	m.Seconds += c.Seconds
	if weight := weightOf(&c); weight > m.weight {
		m.weight, m.Status, m.Reason, m.Cause = weight, c.Status, c.Reason, c.Cause
	}
	if weightOf(&c) > 0 {
		m.ran = append(m.ran, round)
	}
	if c.Status == testcase.Failed {
		m.failed = append(m.failed, round)
	}
	times := map[sightKey]int{}
	for _, f := range c.Findings {
		key := sightKey{cause: f.Cause(), words: f.CauseWords}
		times[key]++
		key.nth = times[key]
		if i := slices.IndexFunc(m.sights, func(s *sight) bool { return s.key == key }); i >= 0 {
			m.sights[i].rounds = append(m.sights[i].rounds, round)
			m.sights[i].Seen += f.Seen
			continue
		}
		m.sights = append(m.sights, &sight{moved(f, exchanges), key, []int{round}})
	}
}

// moved is a finding whose exchanges have other numbers.
func moved(f oracle.Finding, by int) oracle.Finding {
	if f.Exchange > 0 {
		f.Exchange += by
	}
	f.Requests = slices.Clone(f.Requests)
	for i := range f.Requests {
		if f.Requests[i].Exchange > 0 {
			f.Requests[i].Exchange += by
		}
	}
	return f
}

// weightOf is what counts of a case that came out differently. One may be not tested for
// what was found: an answer was lost.
func weightOf(c *Case) int {
	switch {
	case c.Status == testcase.Failed:
		return 3
	case c.Status == testcase.NotTested && len(c.Findings) > 0:
		return 2
	case c.Status == testcase.Passed:
		return 1
	}
	return 0
}

// cases are the results, each case once, and their counts.
func (m *merged) cases() (all []Case, n Counts) {
	for _, c := range m.all {
		c.Rounds = oracle.NewRounds(c.failed, len(c.ran))
		c.Findings = nil
		for _, s := range c.sights {
			f := s.Finding
			f.Rounds = oracle.NewRounds(s.rounds, len(c.ran))
			c.Findings = append(c.Findings, f)
		}
		n.Planned++
		switch c.Status {
		case testcase.Passed:
			n.Passed++
		case testcase.Failed:
			n.Failed++
		default:
			n.NotTested++
		}
		all = append(all, c.Case)
	}
	n.Run = n.Passed + n.Failed
	return all, n
}

// findings are those of all rounds, each once, the worst first. One is steady that was seen
// in each round that ran its cases, and in the same of them.
func (m *merged) findings(rounds []*Report) []oracle.Finding {
	var all []*oracle.Finding
	of := map[oracle.Cause]*oracle.Finding{}
	exchanges := 0
	for _, r := range rounds {
		for _, f := range r.Findings {
			cause := f.Cause()
			if known := of[cause]; known != nil && known.Counts() == f.Counts() {
				union(&known.Cases, f.Cases)
				known.Seen += f.Seen
				known.Of += f.Of
				continue
			}
			first := moved(f, exchanges)
			first.Cases = slices.Clone(first.Cases)
			if known := of[cause]; known == nil {
				of[cause] = &first
				all = append(all, &first)
			} else if f.Counts() { // a round saw it where it counts
				*known = first
			}
		}
		exchanges += len(r.Exchanges)
	}
	found := []oracle.Finding{}
	for _, f := range all {
		f.Rounds = m.roundsOf(f)
		f.Of += timesElsewhere(f, rounds)
		found = append(found, *f)
	}
	slices.SortStableFunc(found, func(a, b oracle.Finding) int {
		return cmp.Or(slices.Index(severities, a.Severity)-slices.Index(severities, b.Severity), b.Seen-a.Seen, cmp.Compare(a.Clause, b.Clause))
	})
	return found
}

var severities = []oracle.Severity{oracle.Violation, oracle.Transport, oracle.Notice}

func (m *merged) roundsOf(f *oracle.Finding) *oracle.Rounds {
	seen, ran, changing := map[int]bool{}, map[int]bool{}, false
	for _, id := range f.Cases {
		c := m.all[m.at[id]]
		here := map[int]bool{}
		for _, s := range c.sights {
			for _, round := range s.rounds {
				if s.key.cause == f.Cause() {
					here[round], seen[round], ran[round] = true, true, true
				}
			}
		}
		for _, round := range c.ran {
			ran[round] = true
			changing = changing || !here[round]
		}
	}
	r := oracle.NewRounds(slices.Sorted(maps.Keys(seen)), len(ran))
	r.Steady = !changing
	return r
}

// timesElsewhere is how often the clause of a finding was judged in rounds that did not see it.
func timesElsewhere(f *oracle.Finding, rounds []*Report) (times int) {
	for i, r := range rounds {
		if slices.Contains(f.Rounds.Seen, i+1) {
			continue
		}
		for _, c := range r.Clauses {
			if c.ID == f.Clause && c.Operation == f.Operation {
				times += c.Times
			}
		}
	}
	return times
}
