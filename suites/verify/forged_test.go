package verify_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/verify"
)

// forgery is a change of a report, or of its traffic, by someone who makes the digests right
// again; wants is a text in one of the lines that tell it.
type forgery struct {
	name, wants string
	forge       func(said, archive object)
}

// entry is the first exchange of a case that sends a name and has such a status.
func entry(archive object, caseID string, status int) object {
	for _, e := range archive.at("log").list("entries") {
		e := e.(object)
		text, _ := e.at("request").at("postData")["text"].(string)
		if e["_case"] == caseID && fmt.Sprint(e.at("response")["status"]) == fmt.Sprint(status) && strings.Contains(text, "name") {
			return e
		}
	}
	panic("no exchange of " + caseID)
}

// edit replaces a part of the body of an answer.
func edit(e object, from, to string) {
	content := e.at("response").at("content")
	text := strings.Replace(content["text"].(string), from, to, 1)
	if text == content["text"] {
		panic("no " + from + " in " + text)
	}
	content["text"], content["size"], e.at("response")["bodySize"] = text, len(text), len(text)
}

// setHeader sets a line of the header of an answer.
func setHeader(e object, name, value string) {
	for _, h := range e.at("response").list("headers") {
		if h := h.(object); h["name"] == name {
			h["value"] = value
		}
	}
}

// renumbered makes the numbers of exchanges follow one another.
func renumbered(archive object, entries []any) {
	for i := range entries {
		entries[i].(object)["_seq"] = i + 1
	}
	archive.at("log")["entries"] = entries
}

const (
	success = "updateCampaign/success/ordinary"
	refused = "updateCampaign/401/no-key"
)

// conformingForgeries are made of the report of a server that conforms.
var conformingForgeries = []forgery{
	{"verdict", "verdict: the report says \"inconclusive\"", func(said, _ object) { said["verdict"], said["exitCode"] = "inconclusive", 3 }},
	{"level", "level: the report says \"partial\"", func(said, _ object) { said["level"] = "partial" }},
	{"count", "requests: the report says 1,", func(said, _ object) { said["requests"] = 1 }},
	{"cases", "cases", func(said, _ object) { said.at("cases")["passed"] = 1 }},
	{"clause", "AUTH-1", func(said, _ object) {
		for _, c := range said.list("clauses") {
			if c := c.(object); c["id"] == "AUTH-1" {
				c["status"] = "notTested"
			}
		}
	}},
	{"seed", "which was not recorded", func(said, _ object) { said["seed"] = 7 }},
	{"mark", "which was not recorded", func(said, _ object) { said.at("run")["mark"] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" }},
	{"depth", "not", func(said, _ object) { said["depth"] = "quick" }},
	{"object", "which was not recorded", func(said, _ object) { said.at("run").at("target").at("objects")["campaign"] = 77 }},
	{"value of an object", "not recorded", func(said, _ object) {
		said.at("run").at("target").at("objects").at("campaign")["name"] = "Another"
	}},
	{"stranger", "exchange", func(said, _ object) { said.at("run").at("keys")["stranger"] = false }},
	{"pin", "which was not recorded", func(said, _ object) {
		said.at("run").at("target")["open"] = object{"malformedID": 400}
	}},
	{"base URL", "not recorded", func(said, _ object) { said.at("run").at("target")["baseURL"] = "http://127.0.0.1:1/v2" }},
	{"name", "target", func(said, _ object) { said.at("target")["name"] = "Another" }},
	{"selection", "selection", func(said, _ object) {
		said["selection"] = object{"filters": []any{"--case x"}, "cases": 3, "of": 9}
		said["level"], said["selected"] = "selection", true
	}},
	{"dropped exchange", "which was not recorded", func(_, archive object) {
		all := archive.at("log").list("entries")
		renumbered(archive, slices.Delete(all, 40, 41))
	}},
	{"dropped, not renumbered", "has the number", func(_, archive object) {
		all := archive.at("log").list("entries")
		archive.at("log")["entries"] = slices.Delete(all, 40, 41)
	}},
	{"added exchange", "does not send", func(_, archive object) {
		all := archive.at("log").list("entries")
		more := object{}
		for name, v := range all[9].(object) {
			more[name] = v
		}
		renumbered(archive, append(all, more))
	}},
	{"status", "updateCampaign", func(_, archive object) { entry(archive, refused, 401).at("response")["status"] = 200 }},
	{"status of a success", "updateCampaign", func(_, archive object) { entry(archive, success, 200).at("response")["status"] = 500 }},
	{"body", "ERR-7", func(_, archive object) {
		edit(entry(archive, refused, 401), `"responseCode":401`, `"responseCode":402`)
	}},
	{"body of a success", "updateCampaign", func(_, archive object) { edit(entry(archive, success, 200), `"name":"`, `"name":"x`) }},
	{"content type", "HTTP-3", func(_, archive object) { setHeader(entry(archive, refused, 401), "Content-Type", "text/html") }},
	{"date", "updatedAt", func(_, archive object) {
		setHeader(entry(archive, success, 200), "Date", "Mon, 02 Jan 2006 15:04:05 GMT")
	}},
	{"lost answer", "updateCampaign", func(_, archive object) { entry(archive, success, 200)["_error"] = "reset: the connection was reset" }},
	{"rate limit", "rateLimited", func(_, archive object) { entry(archive, success, 200)["_rateLimited"] = 3 }},
	{"attempts", "requests", func(_, archive object) { entry(archive, success, 200)["_attempts"] = 3 }},
	{"reordered", "another order", func(_, archive object) {
		all := archive.at("log").list("entries")
		all[100], all[200] = all[200], all[100]
		renumbered(archive, all)
	}},
	{"key", "which was not recorded", func(_, archive object) { entry(archive, success, 200)["_credential"] = "stranger" }},
	{"case", "not", func(_, archive object) { entry(archive, success, 200)["_case"] = refused }},
	{"request", "which was not recorded", func(_, archive object) {
		entry(archive, success, 200).at("request").at("postData")["text"] = `{"name":"Another"}`
	}},
	{"header of a request", "recorded otherwise", func(_, archive object) {
		for _, h := range entry(archive, success, 200).at("request").list("headers") {
			if h := h.(object); h["name"] == "Accept" {
				h["value"] = "text/html"
			}
		}
	}},
	{"nothing sent", "which was not recorded", func(_, archive object) { archive.at("log")["entries"] = []any{} }},
}

func TestForgedReportsOfAConformingServer(t *testing.T) {
	dir := written(t, serve(t, nil), withShort)
	if r := verified(t, dir); r.Status != verify.Verified || r.Claims.Verdict != "conforming" {
		t.Fatalf("%s: %q", r.Status, r.Reasons)
	}
	told(t, dir, conformingForgeries)
}

// withShort is a run of fewer cases with -short.
func withShort(c *suites.Config) {
	c.Depth = testcase.Depth(reftest.Of(int(testcase.Standard), int(testcase.Quick)))
}

// told says whether every forgery of a report is found, and named.
func told(t *testing.T, dir string, all []forgery) {
	for _, f := range reftest.Few(2, all) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			r := verified(t, forged(t, dir, f.forge))
			named := slices.ContainsFunc(r.Reasons, func(line string) bool { return strings.Contains(line, f.wants) })
			if r.Status != verify.Refuted || !named {
				t.Errorf("%s, no line with %q: %q", r.Status, f.wants, r.Reasons[:min(len(r.Reasons), 6)])
			}
			for _, line := range r.Reasons {
				if strings.HasPrefix(line, "files:") {
					t.Errorf("found by its digest: %s", line)
				}
			}
		})
	}
}

// The report of a server that is broken, and what would make it look better.
var brokenForgeries = []forgery{
	{"verdict", "verdict: the report says \"conforming\", its traffic gives \"nonconforming\"", func(said, _ object) {
		said["verdict"], said["exitCode"] = "conforming", 0
	}},
	{"finding", "follows from the traffic and is not in the report", func(said, _ object) { said["findings"] = []any{} }},
	{"all of it", "EFFECT-1", func(said, _ object) {
		said["verdict"], said["exitCode"], said["findings"], said["reason"] = "conforming", 0, []any{}, "108 clauses held"
		delete(said, "causes")
		for _, c := range said.list("clauses") {
			if c := c.(object); c["status"] == "broken" {
				c["status"] = "held"
			}
		}
		n := 0
		for _, c := range said.list("results") {
			if c := c.(object); c["status"] == "failed" {
				c["status"] = "passed"
				delete(c, "findings")
				n++
			}
		}
		passed, _ := said.at("cases")["passed"].(json.Number).Int64()
		said.at("cases")["passed"], said.at("cases")["failed"] = int(passed)+n, 0
	}},
	{"clause", "EFFECT-1", func(said, _ object) {
		for _, c := range said.list("clauses") {
			if c := c.(object); c["status"] == "broken" {
				c["status"] = "held"
			}
		}
	}},
	{"severity", "severity", func(said, _ object) { said.list("findings")[0].(object)["severity"] = "notice" }},
	{"basis that counts", "does not send", func(said, _ object) { said.at("run")["basis"] = []any{"standard"} }},
	{"case left out", "not recorded", func(said, _ object) {
		said["results"] = slices.DeleteFunc(said.list("results"), func(c any) bool { return c.(object)["status"] == "failed" })
		said["selection"] = object{"filters": []any{"--focus x"}, "cases": 376, "of": 379}
	}},
	{"check switched off", "does not send", func(said, _ object) { said.at("run")["disabled"] = []any{"refused-write"} }},
	{"known finding", "known", func(said, _ object) { said.list("findings")[0].(object)["known"] = "accepted" }},
	{"copies", "summary.md", func(said, _ object) { said["reason"] = "2 findings" }},
	{"baseline", "baseline", func(said, _ object) {
		said["baseline"] = object{
			"file": "x", "known": 1, "stale": []any{}, "expired": []any{}, "unseen": []any{}, "outgrown": []any{}, "old": []any{},
		}
	}},
}

func TestForgedReportsOfABrokenServer(t *testing.T) {
	dir := written(t, faulty(t, "refused/401-any-key/updateCampaign"), withShort)
	if r := verified(t, dir); r.Status != verify.Verified || r.Claims.Verdict != "nonconforming" {
		t.Fatalf("%s: %q", r.Status, r.Reasons)
	}
	told(t, dir, brokenForgeries)
}
