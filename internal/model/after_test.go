package model

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// Each history is what was on the wire between the users and a server, a line for each request and its answer. A line that
// begins with a letter and a colon is a request whose answer comes later, in the line with that letter alone; late stands
// for an answer that never came. Asking for
// an object is an update without a field, reading it is a GET. An update has the date of its answer, but where the answer
// says how far it is from that. After ! stands what the answer breaks, as the number of the line, the clause, and the lines
// of the requests that explain it, or that a restart does. The target file names the campaigns 25 (Spring video) and 26, the
// container 240 with the files 241 and 242, the plain creatives 301 to 308, and the paged container 220. What stands between
// meanwhile and then is the history of another chain.
func TestHistories(t *testing.T) {
	t.Parallel()
	for what, history := range map[string]string{
		"an update shows until the next one": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake
			owner sets campaign 25 name=Green-Hill: name=Green-Hill
			owner asks campaign 25: name=Green-Hill`,
		"an update that was not made": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner sets campaign 25 name=Green-Hill: name=Green-Hill
			owner asks campaign 25: name=Amber-Lake
			! 3 CAMPAIGN-4 by 2`,
		"an update that was not made, where the target file gives the name": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Spring-video
			! 2 CAMPAIGN-4 by 1`,
		"a refused update that was carried out": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			stranger sets campaign 25 name=Green-Hill: 403
			owner asks campaign 25: name=Green-Hill
			! 3 EFFECT-1 by 2`,
		"an update that reached another object": `
			owner asks campaign 26: name=Winter-tale
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 26: name=Amber-Lake
			! 3 EFFECT-2 by 2`,
		"a refused update of an unknown object that reached another one": `
			owner sets campaign 2147483000 name=Green-Hill: 404
			owner asks campaign 25: name=Green-Hill
			! 2 EFFECT-1 by 1`,
		"fields that are left out show one default": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Untitled
			owner sets campaign 25 name=Green-Hill: name=Green-Hill
			owner asks campaign 25: name=Untitled`,
		"fields that are left out show two": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Untitled
			owner sets campaign 25 name=Green-Hill: name=Green-Hill
			owner asks campaign 25: name=Unnamed
			! 4 CAMPAIGN-4 by 3`,
		"a text that is stored trimmed": `
			owner sets campaign 25 name=_Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake`,
		"an update that failed may have been carried out": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner sets campaign 25 name=Green-Hill: 500
			owner asks campaign 25: name=Green-Hill`,
		"or not": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner sets campaign 25 name=Green-Hill: 500
			owner asks campaign 25: name=Amber-Lake`,
		"but not one after the other": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake
			owner sets campaign 25 name=Coral-Reef: name=Coral-Reef
			owner asks campaign 25: name=Coral-Reef
			owner sets campaign 25 name=Green-Hill: 500
			owner asks campaign 25: name=Coral-Reef
			owner asks campaign 25: name=Green-Hill
			! 7 CAMPAIGN-4 by 3`,
		"of two updates at once either may be the last": `
			a: owner sets campaign 25 name=Amber-Lake
			b: owner sets campaign 25 name=Green-Hill
			b: name=Green-Hill
			a: name=Amber-Lake
			owner asks campaign 25: name=Green-Hill`,
		"somebody else's text makes a breach tentative": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake
			owner sets campaign 25 name=Green-Hill: name=Green-Hill
			owner asks campaign 25: name=Green-Hill
			owner asks campaign 25: name=Quick-Fox
			! 5 CAMPAIGN-4 by 3 perhaps`,
		"a text that somebody else set is only sent back": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake
			owner sets campaign 25 name=Green-Hill: name=Green-Hill
			owner asks campaign 25: name=Green-Hill
			owner asks campaign 25: name=Quick-Fox-1
			owner sets campaign 25 name=Quick-Fox-1: name=Quick-Fox-1
			owner asks campaign 25: name=Quick-Fox-2
			! 5 CAMPAIGN-4 by 3 perhaps
			7 CAMPAIGN-4 by 6 perhaps`,
		"a refused update of what the object holds explains nothing": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner sets campaign 25 name=Green-Hill: name=Green-Hill
			stranger sets campaign 25 name=Green-Hill: 403
			owner asks campaign 25: name=Amber-Lake
			! 4 CAMPAIGN-4 by 2`,
		"of several refused updates any may have been carried out": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			stranger sets campaign 25 name=Green-Hill: 403
			owner sets campaign 25 name=Green-Hill: 422
			owner asks campaign 25: name=Green-Hill
			! 4 EFFECT-1 by 2 3`,
		"an update after which the object was looked at is not to blame": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake
			owner sets campaign 25 name=Coral-Reef: name=Coral-Reef
			owner asks campaign 25: name=Coral-Reef
			owner sets campaign 25 name=Green-Hill: 422
			owner asks campaign 25: name=Coral-Reef
			stranger sets campaign 25 name=Quick-Fox: 403
			owner asks campaign 25: name=Untitled
			! 8 EFFECT-1 by 7 perhaps`,
		"a change after each refused update is due to them": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake
			owner sets campaign 25 name=Coral-Reef: name=Coral-Reef
			owner asks campaign 25: name=Coral-Reef
			owner sets campaign 25 name=Green-Hill: 422
			owner asks campaign 25: name=Untitled
			owner sets campaign 25 name=Coral-Reef: name=Coral-Reef
			owner sets campaign 25 name=Green-Hill: 422
			owner asks campaign 25: name=Untitled
			! 6 EFFECT-1 by 5 perhaps
			9 EFFECT-1 by 8 perhaps`,
		"of two updates at once either may have the earlier date": `
			owner asks campaign 25: name=Spring-video
			a: owner sets campaign 25 name=Amber-Lake
			b: owner sets campaign 25 name=Green-Hill
			b: name=Green-Hill
			a: name=Amber-Lake updatedAt=-60s`,
		"a request during an update may show the date before it": `
			owner asks campaign 25: name=Spring-video
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			a: owner asks campaign 25
			owner sets campaign 25 name=Green-Hill: name=Green-Hill
			a: name=Amber-Lake updatedAt=-4s`,
		"a later request shows an earlier date": `
			owner asks campaign 25: name=Spring-video
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake updatedAt=-60s
			! 3 CAMPAIGN-14 by 2`,
		"a constant that changes": `
			owner asks campaign 25: name=Spring-video type=video
			owner asks campaign 25: name=Spring-video type=display
			! 2 CAMPAIGN-13 by 1`,
		"an update has its own date": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner sets campaign 25 name=Green-Hill: name=Green-Hill
			owner sets campaign 25 name=Coral-Reef: name=Coral-Reef`,
		"the date of an update is that of another day": `
			owner asks campaign 25: name=Spring-video
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake updatedAt=-48h
			! 2 CAMPAIGN-14`,
		"the date of an update stands in another zone": `
			owner asks campaign 25: name=Spring-video
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake updatedAt=2h
			! 2 CAMPAIGN-14`,
		"or in that of a gateway, whose clock is hours ahead": `
			owner asks campaign 25: name=Spring-video
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake updatedAt=2h Date=2h`,
		"the date of an update is null": `
			owner asks campaign 25: name=Spring-video
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake updatedAt=null
			! 2 CAMPAIGN-14`,
		"the dates of updates move back": `
			owner asks campaign 25: name=Spring-video
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner sets campaign 25 name=Green-Hill: name=Green-Hill updatedAt=-60s
			! 3 CAMPAIGN-14 by 2`,
		"the date of an update stands still": `
			owner asks campaign 25: name=Spring-video
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake
			owner sets campaign 25 name=Green-Hill: name=Green-Hill updatedAt=-6s
			! 5 CAMPAIGN-14 by 2`,
		"an update that changes nothing needs no date": `
			owner asks campaign 25: name=Spring-video updatedAt=null
			owner sets campaign 25 name=Spring-video: name=Spring-video updatedAt=null
			owner asks campaign 25: name=Spring-video updatedAt=-48h`,
		"a later request shows no date any more": `
			owner asks campaign 25: name=Spring-video
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake updatedAt=null
			! 3 CAMPAIGN-14`,
		"a read that the document does not declare shows what a refused update did": `
			owner reads campaign 25: name=Spring-video
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner reads campaign 25: name=Amber-Lake
			owner sets campaign 25 name=Green-Hill: name=Green-Hill
			owner reads campaign 25: name=Green-Hill
			stranger sets campaign 25 name=Coral-Reef: 403
			owner reads campaign 25: name=Coral-Reef
			! 7 EFFECT-1 by 6`,
		"the target was restarted": `
			owner asks campaign 26: name=Winter-tale updatedAt=null
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake
			owner sets campaign 26 name=Green-Hill: name=Green-Hill
			owner asks campaign 26: name=Green-Hill
			owner asks campaign 25: name=Spring-video updatedAt=null
			owner asks campaign 26: name=Winter-tale updatedAt=null
			! restarted`,
		"it was restarted, and what was deleted is back": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake
			owner lists creative 240: 241 242
			owner deletes creative 241: 204
			owner lists creative 240: 241 242
			owner asks campaign 25: name=Spring-video
			owner sets campaign 25 name=Green-Hill: name=Green-Hill
			owner asks campaign 25: name=Green-Hill
			! restarted`,
		"it was restarted twice": `
			owner asks campaign 26: name=Winter-tale updatedAt=null
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake
			owner sets campaign 26 name=Green-Hill: name=Green-Hill
			owner asks campaign 25: name=Spring-video updatedAt=null
			owner asks campaign 26: name=Winter-tale updatedAt=null
			owner sets campaign 25 name=Coral-Reef: name=Coral-Reef
			owner sets campaign 26 name=Quick-Fox: name=Quick-Fox
			owner asks campaign 26: name=Winter-tale updatedAt=null
			owner asks campaign 25: name=Spring-video updatedAt=null
			! restarted`,
		"one object alone is as before": `
			owner sets campaign 26 name=Green-Hill: name=Green-Hill
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake
			owner asks campaign 25: name=Spring-video
			owner asks campaign 26: name=Green-Hill
			! 4 CAMPAIGN-4 by 2`,
		"two objects are as before, but one of them was changed later than the other was": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake
			owner asks campaign 25: name=Spring-video
			owner deletes creative 301: 204
			owner deletes creative 301: 204
			! 3 CAMPAIGN-4 by 1
			5 DELETE-3 by 4`,
		"all objects of one kind are as before, but the last update alone may be lost": `
			owner asks campaign 26: name=Winter-tale updatedAt=null
			owner deletes creative 301: 204
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake
			owner sets campaign 26 name=Green-Hill: name=Green-Hill
			owner asks campaign 25: name=Spring-video
			owner asks campaign 26: name=Winter-tale updatedAt=null
			! 6 CAMPAIGN-4 by 3
			7 CAMPAIGN-14`,
		"a target that keeps nothing": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner deletes creative 301: 204
			owner asks campaign 25: name=Spring-video
			owner deletes creative 301: 204
			! 3 CAMPAIGN-4 by 1
			4 DELETE-3 by 2`,
		"two servers answer in turn": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			owner asks campaign 25: name=Amber-Lake
			owner asks campaign 25: name=Spring-video
			owner asks campaign 25: name=Amber-Lake
			! 3 CAMPAIGN-4 by 1 in turn
			4 CAMPAIGN-4 by 1 in turn`,
		"an object that is gone by itself": `
			owner asks campaign 25: name=Spring-video
			owner asks campaign 25: 404
			! 2 EFFECT-3`,

		"what was deleted is gone": `
			owner deletes creative 301: 204
			owner deletes creative 301: 404
			owner deletes creative 301: 404`,
		"what was deleted is deleted again": `
			owner deletes creative 301: 204
			owner deletes creative 301: 204
			! 2 DELETE-3 by 1`,
		"of two deletes at once both may be accepted": `
			a: owner deletes creative 301
			b: owner deletes creative 301
			b: 204
			a: 204
			owner deletes creative 301: 404`,
		"a deleted file leaves the list": `
			owner lists creative 240: 241 242
			owner deletes creative 241: 204
			owner lists creative 240: 242`,
		"a deleted file stays in the list": `
			owner lists creative 240: 241 242
			owner deletes creative 241: 204
			owner lists creative 240: 241 242
			! 3 DELETE-5 by 2`,
		"a deleted file still counts": `
			owner lists creative 240: 241 242
			owner deletes creative 241: 204
			owner lists creative 240: 242 of 2
			! 3 DELETE-5 by 2`,
		"a delete removes another file": `
			owner lists creative 240: 241 242
			owner deletes creative 301: 204
			owner lists creative 240: 242
			! 3 DELETE-4 by 2`,
		"a refused delete removes the file": `
			owner lists creative 240: 241 242
			stranger deletes creative 241: 403
			owner lists creative 240: 242
			! 3 EFFECT-1 by 2`,
		"a list that changes by itself": `
			owner lists creative 240: 241 242
			owner lists creative 240: 242
			! 2 MEDIA-9 by 1`,
		"a list that differed before a delete, too": `
			owner lists creative 240: 241 242
			owner lists creative 240: 242
			owner deletes creative 301: 204
			owner lists creative 240: 241 242
			! 2 MEDIA-9 by 1
			4 MEDIA-9 by 2`,
		"after a container is deleted its list may be anything": `
			owner lists creative 240: 241 242
			owner deletes creative 240: 204
			owner lists creative 240: 242`,
		"a delete that failed may have been carried out": `
			owner lists creative 240: 241 242
			owner deletes creative 241: 500
			owner lists creative 240: 242
			owner lists creative 240: 242`,
		"a list holds what belongs elsewhere": `
			owner lists creative 240: 241 242 301
			! 1 MEDIA-7`,
		"a list that was there stays there": `
			owner lists creative 230:
			owner lists creative 230: 404
			! 2 EFFECT-3 by 1`,
		"a delete after a list was missed is not to blame": `
			owner lists creative 230:
			owner lists creative 230 page 2: 404
			owner deletes creative 301: 204
			owner lists creative 230: 404
			! 4 EFFECT-3 by 1`,
		"pages that hold an item twice": `
			owner lists creative 220: 221 222 of 4 in 2
			owner lists creative 220 page 2: 222 223 of 4 in 2
			! 2 MEDIA-8 by 1 2`,
		"pages that hold less than they say": `
			owner lists creative 220: 221 222 of 4 in 2
			owner lists creative 220 page 2: 223 of 4 in 2
			! 2 MEDIA-8 by 1 2`,
		"pages that are read again show no more": `
			owner lists creative 220: 221 222 of 6 in 3
			owner lists creative 220 page 2: 222 223 of 6 in 3
			owner lists creative 220 page 3: 224 225 of 6 in 3
			owner lists creative 220 page 3: 224 225 of 6 in 3
			! 2 MEDIA-8 by 1 2
			3 MEDIA-8 by 1 2`,
		"a page with the items of the first": `
			owner lists creative 220: 221 222 of 4 in 2
			owner lists creative 220 page 2: 221 222 of 4 in 2
			! 2 MEDIA-5 by 1`,
		"a page parameter without effect": `
			owner lists creative 220: 221 222 of 4 in 2
			owner lists creative 220 page 2: 221 222 of 4 in 2 on 1`,
		"the first page of a list that holds something": `
			owner lists creative 220: of 4 in 2
			! 1 MEDIA-4`,
		"a page with another number": `
			owner lists creative 220: 221 222 of 250 in 125
			owner lists creative 220 page 2: 223 224 of 250 in 125 on 1
			! 2 MEDIA-5 by 1`,
		"a page with another total": `
			owner lists creative 220: 221 222 of 4 in 2
			owner lists creative 220 page 2: 223 224 of 5 in 2
			! 2 MEDIA-4 by 1`,
		"a page beyond the last with another total": `
			owner lists creative 220: 221 222 of 4 in 2
			owner lists creative 220 page 9: of 0 in 2
			! 2 MEDIA-4 by 1`,
		"a creative that may never have been there": `
			owner deletes creative 301: 404
			! 1 EFFECT-3`,
		"one that is gone after another was deleted": `
			owner deletes creative 301: 204
			owner deletes creative 302: 404
			! 2 DELETE-4 by 1`,
		"one that refused deletes removed": `
			stranger deletes creative 301: 403
			stranger deletes creative 301: 403
			owner deletes creative 301: 404
			! 3 EFFECT-1 by 1 2`,
		"a refusal that another creative outlived is not to blame": `
			stranger deletes creative 301: 403
			stranger deletes creative 302: 403
			owner deletes creative 301: 204
			owner deletes creative 302: 404
			! 4 DELETE-4 by 3`,
		"a delete of what is no id was accepted": `
			owner deletes creative abc: 204
			owner deletes creative 301: 204
			owner deletes creative 302: 404
			! 3 DELETE-4 by 1`,
		"what two chains saw is known after both": `
			owner sets campaign 25 name=Amber-Lake: name=Amber-Lake
			meanwhile
			owner lists creative 240: 241 242
			owner deletes creative 301: 204
			then
			owner asks campaign 25: name=Amber-Lake
			owner lists creative 240: 242
			! 7 DELETE-4 by 4`,
		"a list that only lags": `
			lag
			owner lists creative 240: 241 242
			owner deletes creative 241: 204
			owner lists creative 240: 241 242
			owner lists creative 240: 242`,
	} {
		t.Run(what, func(t *testing.T) {
			events, want, _ := strings.Cut(history, "!")
			want = strings.ReplaceAll(want, "\t", "")
			if diff := cmp.Diff(strings.TrimSpace(want), breachesOf(t, events)); diff != "" {
				t.Errorf("%s\n%s", history, diff)
			}
		})
	}
}

// breachesOf returns what a history breaks.
func breachesOf(t *testing.T, history string) string {
	t.Helper()
	s, broken := follow(t, history)
	var lines []string
	explanation := Explanation(s)
	if explanation == Restarted {
		lines = append(lines, "restarted")
	}
	for _, b := range broken {
		if isExplained := explanation == Restarted && b.IsAsBefore(); !isExplained {
			lines = append(lines, fmt.Sprint(b.line, " ", tell(&b.Breach, explanation == InTurn)))
		}
	}
	return strings.Join(lines, "\n")
}

// A broken line is one whose answer breaks something.
type brokenLine struct {
	Breach
	line int
}

// follow returns what is known after a history, and what it breaks.
func follow(t *testing.T, history string) (s *State, broken []brokenLine) {
	t.Helper()
	w := World{Contract: spec.Load(), Target: fixtures.DefaultWorld().Target("http://target.example/v2"), Undeclared: true}
	lag, now := time.Duration(0), time.Unix(1e9, 0)
	if rest, isLate := strings.CutPrefix(strings.TrimSpace(history), "lag\n"); isLate {
		lag, history = time.Hour, rest
	}
	s = NewState(w, lag)
	open := map[string]*Exchange{}
	var before *State // of the chain before meanwhile
	for i, line := range strings.Split(strings.TrimSpace(history), "\n") {
		line, answer, isAnswered := strings.Cut(strings.TrimSpace(line), ":")
		switch line {
		case "":
			continue
		case "meanwhile":
			before, s = s, NewState(w, lag)
			continue
		case "then":
			before.Join(s)
			s = before
			continue
		}
		x := open[line]
		isOpen := len(line) == 1
		if isOpen && x == nil {
			open[line] = requestIn(t, w.Target, answer, i+1, now)
			s.Begin(open[line])
			now = now.Add(time.Second)
			continue
		}
		if !isOpen {
			x = requestIn(t, w.Target, line, i+1, now)
			s.Begin(x)
		}
		if !isAnswered {
			t.Fatalf("no answer in %q", line)
		}
		now = now.Add(time.Second)
		answerIn(t, x, answer, now)
		found, _ := s.After(x)
		for _, b := range found {
			broken = append(broken, brokenLine{b, i + 1})
		}
		now = now.Add(time.Second)
	}
	return s, broken
}

// tell returns what a breach says.
func tell(b *Breach, isInTurn bool) string {
	text := b.Clause
	if len(b.By) > 0 {
		text += " by"
	}
	for _, by := range b.By {
		text += fmt.Sprint(" ", by.Seq)
	}
	if b.Tentative != "" {
		text += " perhaps"
	}
	if isInTurn {
		text += " in turn"
	}
	return text
}

// requestIn reads a request: owner sets campaign 25 name=x.
func requestIn(t *testing.T, target *fixtures.Target, line string, seq int, now time.Time) *Exchange {
	t.Helper()
	words := strings.Fields(line)
	key := map[string]string{"owner": target.Credentials.Owner, "stranger": target.Credentials.Stranger}[words[0]]
	x := &Exchange{Seq: seq, Start: now, Request: Request{Header: http.Header{"X-Api-Key": {key}, "Content-Type": {"application/json"}}}}
	switch words[1] {
	case "sets", "asks":
		x.Method, x.Path, x.Body = "PATCH", "/campaigns/"+words[3], []byte("{}")
		if len(words) > 4 {
			name, value, _ := strings.Cut(words[4], "=")
			x.Body = fmt.Appendf(nil, `{%q:%q}`, name, plain(value))
		}
	case "reads":
		x.Method, x.Path = "GET", "/campaigns/"+words[3]
	case "deletes":
		x.Method, x.Path = "DELETE", "/creatives/"+words[3]
		x.Header.Del("Content-Type")
	case "lists":
		x.Method, x.Path = "GET", "/creatives/"+words[3]+"/media-files"
		x.Header.Del("Content-Type")
		if len(words) > 4 {
			x.Path += "?page=" + words[5]
		}
	default:
		t.Fatalf("no request in %q", line)
	}
	return x
}

// plain returns a text that a word of a history stands for.
func plain(word string) string { return strings.NewReplacer("-", " ", "_", " ").Replace(word) }

// answerIn reads an answer: a status, fields, or the items of a list with its numbers.
func answerIn(t *testing.T, x *Exchange, line string, now time.Time) {
	t.Helper()
	words := strings.Fields(line)
	x.End, x.Status = now, http.StatusOK
	if len(words) == 1 && len(words[0]) == 3 && strings.Contains("204 403 404 422 500", words[0]) {
		fmt.Sscan(words[0], &x.Status)
		return
	}
	if line == " late" {
		x.End, x.Status = time.Time{}, 0
		return
	}
	if strings.Contains(x.Path, "campaigns") {
		id := 0
		fmt.Sscan(x.Path[strings.LastIndex(x.Path, "/")+1:], &id)
		shown := map[string]any{"id": id, "updatedAt": now}
		for _, word := range words {
			name, value, _ := strings.Cut(word, "=")
			switch by, err := time.ParseDuration(value); {
			case err != nil:
				shown[name] = plain(value)
			case name == "Date":
				x.Date = now.Add(by)
			default:
				shown[name] = now.Add(by)
			}
			if value == "null" {
				shown[name] = nil
			}
		}
		x.Answer = decoded(map[string]any{"data": shown})
		return
	}
	numbers, items := map[string]int{"in": 1, "on": 1, "of": -1}, []any{}
	for i := 0; i < len(words); i++ {
		number := 0
		if _, isName := numbers[words[i]]; isName {
			fmt.Sscan(words[i+1], &number)
			numbers[words[i]] = number
			i++
			continue
		}
		fmt.Sscan(words[i], &number)
		items = append(items, map[string]any{"id": number})
	}
	if _, page, isPage := strings.Cut(x.Path, "page="); isPage && !strings.Contains(line, " on ") {
		number := 0
		fmt.Sscan(page, &number)
		numbers["on"] = number
	}
	if numbers["of"] < 0 {
		numbers["of"] = len(items)
	}
	x.Answer = decoded(map[string]any{"data": items, "meta": map[string]any{"pagination": map[string]any{
		"count": len(items), "totalCount": numbers["of"], "page": numbers["on"], "totalPages": numbers["in"],
	}}})
}

func decoded(v any) any { return oracle.Decode(oracle.JSON(v)) }

// The work for an answer does not grow with what came before it.
func TestWorkGrowsWithTheLog(t *testing.T) {
	t.Parallel()
	compared := func(updates int) (n int) {
		w := World{Contract: spec.Load(), Target: fixtures.DefaultWorld().Target("http://target.example/v2")}
		s, now := NewState(w, 0), time.Unix(1e9, 0)
		name := s.entity("campaign", "25").field(w.Contract.Operation("updateCampaign").Body.Fields[0])
		equal := name.equal
		name.equal = func(a, b any) bool { n++; return equal(a, b) }
		for i := range updates {
			text := fmt.Sprintf("name=Amber-%d", i)
			for _, line := range []string{"owner sets campaign 25 " + text, "stranger sets campaign 25 x" + text, "owner asks campaign 25"} {
				x := requestIn(t, w.Target, line, i, now)
				s.Begin(x)
				now = now.Add(time.Second)
				answer := text
				if strings.HasPrefix(line, "stranger") {
					answer = "403"
				}
				answerIn(t, x, answer, now)
				if found, _ := s.After(x); len(found) > 0 {
					t.Fatalf("%s: %+v", line, found)
				}
			}
		}
		return n
	}
	if few, many := compared(50), compared(500); many > 11*few {
		t.Errorf("50 updates take %d comparisons, 500 take %d", few, many)
	}
}
