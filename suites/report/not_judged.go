package report

import "fmt"

// NotJudged is how many exchanges of recorded traffic were not judged, and why.
type NotJudged struct {
	Reason    string `json:"reason"`
	Exchanges int    `json:"exchanges"`
}

func (p *page) notJudged(r *Report) []line {
	total := 0
	for _, n := range r.NotJudged {
		total += n.Exchanges
	}
	if total == 0 {
		return nil
	}
	lines := title("%s not judged", count(total, "exchange"))
	for _, n := range r.NotJudged[:min(len(r.NotJudged), maxReasons)] {
		lines = append(lines, line{indent: 2, text: fmt.Sprintf("%d: %s", n.Exchanges, n.Reason)})
	}
	return append(lines, p.more(len(r.NotJudged)-maxReasons, "reason")...)
}
