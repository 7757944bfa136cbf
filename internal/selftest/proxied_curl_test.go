package selftest

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites/report"
)

// script is a config file for curl (one process, many requests).
type script struct {
	strings.Builder
	base, key string
}

func (s *script) send(method, path, body string) {
	s.WriteString("next\nsilent\nmax-time = 2\noutput = \"/dev/null\"\n")
	fmt.Fprintf(s, "request = %q\nurl = %q\n", method, s.base+path)
	if s.key != "" {
		fmt.Fprintf(s, "header = %q\n", "X-API-Key: "+s.key)
	}
	if body != "" {
		fmt.Fprintf(s, "header = \"Content-Type: application/json\"\ndata-raw = %q\n", body)
	}
}

// ordinary is what an application sends in a day: updates, lists page by page,
// deletes, and the mistakes that happen (an old key, another's object, a gone id,
// a wrong value).
func (p *proxied) ordinary() string {
	t := p.target
	s := &script{base: t.BaseURL, key: t.Credentials.Owner}
	const (
		profile  = "/connection-profiles/12"
		host     = profile + "/rules/34/hosts/56"
		campaign = "/campaigns/25"
		list     = "/creatives/200/media-files"
	)
	for i, action := range []string{"pass", "warn", "fail"} {
		s.send("PATCH", profile, fmt.Sprintf(`{"name":"Publishers %d","withoutCookiesAction":%q,"withCookiesAction":"pass"}`, i, action))
		s.send("PATCH", host, fmt.Sprintf(`{"hostname":"cdn%d.example.com","regularExpression":"^/pixel/%d"}`, i, i))
		s.send("PATCH", campaign, fmt.Sprintf(`{"name":"Spring %d"}`, i))
	}
	for page := range 4 {
		s.send("GET", fmt.Sprintf("/creatives/220/media-files?page=%d", page+1), "")
	}
	s.send("GET", list, "")
	s.send("GET", "/creatives/210/media-files", "")
	for range 2 {
		s.send("DELETE", "/creatives/301", "")
	}
	s.send("DELETE", "/creatives/241", "")
	s.send("GET", "/creatives/240/media-files", "")
	s.send("GET", list, "")
	mistakes := func() {
		s.send("PATCH", profile, `{"name":"x","withoutCookiesAction":"pass","withCookiesAction":"pass"}`)
		s.send("PATCH", host, `{"hostname":"x.example.com","regularExpression":"^/x"}`)
		s.send("PATCH", campaign, `{"name":"x"}`)
		s.send("DELETE", "/creatives/302", "")
		s.send("GET", list, "")
	}
	for _, s.key = range []string{"an-old-key-of-somebody", t.Credentials.Stranger, ""} {
		mistakes()
	}
	s.key = t.Credentials.Owner
	s.send("PATCH", "/connection-profiles/2147480001", `{"name":"x","withoutCookiesAction":"pass","withCookiesAction":"pass"}`)
	s.send("PATCH", profile+"/rules/34/hosts/2147480001", `{"hostname":"x.example.com","regularExpression":"^/x"}`)
	s.send("PATCH", "/campaigns/2147480001", `{"name":"x"}`)
	s.send("DELETE", "/creatives/2147480001", "")
	s.send("PATCH", profile, `{"name":"x","withoutCookiesAction":"never","withCookiesAction":"pass"}`)
	s.send("PATCH", profile, `{"name":1,"withoutCookiesAction":"pass","withCookiesAction":"pass"}`)
	s.send("PATCH", host, `{"hostname":[],"regularExpression":"^/x"}`)
	s.send("PATCH", campaign, `{"name":{}}`)
	s.send("PATCH", campaign, `{"name":`)
	s.send("PATCH", campaign, `{"name":"Summer"}`)
	return strings.TrimPrefix(s.String(), "next\n")
}

// drive has curl send a script to the proxy.
func (p *proxied) drive(curl, script string) *report.Report {
	cmd := exec.Command(curl, "--config", "-")
	cmd.Stdin = strings.NewReader(script)
	if out, err := cmd.CombinedOutput(); err != nil && !errors.As(err, new(*exec.ExitError)) { // answers that break off are some of the faults
		p.t.Fatalf("%v: %s", err, out)
	}
	return p.report()
}

// How many faults judging alone finds while curl sends ordinary traffic; the
// suite finds all of them (see TestPublishedFigureIsFresh). docs/traffic.md has
// the figure.
//
//	go test ./internal/selftest -run TestProxyFindsFaults -v
func TestProxyFindsFaultsInOrdinaryTraffic(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not installed: nobody sends the traffic")
	}
	plain := behindProxy(t, trial{})
	if r := plain.drive(curl, plain.ordinary()); r.Verdict != report.Conforming || r.Recording.Judged < 40 {
		t.Fatalf("without a fault: %s; %s\n%s", report.VerdictLine(r), r.Recording, findings(r))
	}
	contract := reftest.Contract(t)
	tried, found, flagged := 0, 0, 0
	var missed []string
	for _, tr := range (&Options{Faults: true}).trials(contract) {
		if !sampled(tr.id(), 10) {
			continue
		}
		p := behindProxy(t, tr)
		r := p.drive(curl, p.ordinary())
		tried++
		switch {
		case cites(tr.fault, r, contract.Clause(tr.fault.Clause).Basis):
			found++
		case r.Verdict == report.Nonconforming:
			flagged++
			missed = append(missed, tr.id()+" (otherwise)")
		default:
			missed = append(missed, tr.id())
		}
	}
	t.Logf("judging alone found %d of %d faults in ordinary traffic, for the right reason, and %d otherwise; the suite finds all. Missed:\n%s",
		found, tried, flagged, strings.Join(missed, "\n"))
	if found*100 < tried*floor {
		t.Errorf("fewer than %d %% of the faults were found", floor)
	}
}

// floor is what judging finds at least, in percent of the faults.
const floor = 60
