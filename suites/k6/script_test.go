package k6_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/testcase"
)

// The script sends what a run sends: the same requests of each case, with keys
// that it makes itself; but not a run's first look at each object of the stranger's,
// which later answers are compared with.
func TestScriptSendsWhatARunSends(t *testing.T) {
	_, named := small()
	// Values are chosen by what objects hold, so both have the simulated target's.
	world, target := named.Simulated()
	s := plan(t, target, testcase.Standard, nil)
	kept := map[string]bool{}
	for _, c := range slices.Concat(s.Reading, s.Writing[0]) {
		kept[c.ID] = true
	}
	var ran, played log
	live := *target
	live.BaseURL = reftest.Serve(t, ran.wrap(reftest.New(t, world, nil)))
	c := suites.NewConfig(&live)
	c.Select = func(cs *testcase.Case) bool { return kept[cs.ID] }
	_, err := suites.Execute(t.Context(), c)
	must(t, err)
	env := once(reftest.Serve(t, played.wrap(reftest.New(t, world, nil))))
	env["ADCONFORM_OWNER_KEY"], env["ADCONFORM_STRANGER_KEY"] = target.Credentials.Owner, target.Credentials.Stranger
	play(t, text(t, s), env)

	want, got := ran.byCase(), played.byCase()
	if len(kept) < 300 {
		t.Errorf("only %d cases are kept", len(kept))
	}
	looks := 0
	for id := range kept {
		if strings.HasSuffix(id, "/success/ordinary") {
			n := len(want[id])
			want[id] = slices.DeleteFunc(want[id], func(r request) bool { return r.key == target.Credentials.Stranger && r.body == "{}" })
			looks += n - len(want[id])
		}
		order := func(a, b request) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
		slices.SortFunc(want[id], order) // some go at the same instant
		slices.SortFunc(got[id], order)
		if len(got[id]) == 0 || !slices.Equal(want[id], got[id]) {
			t.Errorf("%s:\nrun    %.300q\nscript %.300q", id, want[id], got[id])
		}
	}
	if looks != 3 {
		t.Errorf("%d looks at the stranger's objects are left out, want one for each update", looks)
	}
}

func TestNoKeyIsInTheScript(t *testing.T) {
	_, target := small()
	target.Name = "Acme\nexec.test.abort('*/');"
	script := text(t, plan(t, target, testcase.Standard, nil))
	owner := target.Credentials.Owner
	for _, secret := range []string{
		owner, owner[1:], owner[:len(owner)-1], strings.ToLower(owner), target.Credentials.Stranger, "127.0.0.1:8080/v2\"",
	} {
		if strings.Contains(script, secret) {
			t.Errorf("the script holds %q", secret)
		}
	}
	if strings.Contains(script, "\nexec.test.abort('*/');") {
		t.Error("a name with a line break becomes code")
	}
	load(t, script, nil)
}

func TestSetupRefuses(t *testing.T) {
	_, target := small()
	script := text(t, plan(t, target, testcase.Quick, func(c *testcase.Case) bool { return c.Class == testcase.Class403 }))
	good := once("http://127.0.0.1:1")
	for name, tc := range map[string]struct {
		change map[string]string
		want   string
	}{
		"no address":     {map[string]string{"BASE_URL": ""}, "BASE_URL"},
		"no key":         {map[string]string{"ADCONFORM_OWNER_KEY": ""}, "ADCONFORM_OWNER_KEY"},
		"no stranger":    {map[string]string{"ADCONFORM_STRANGER_KEY": ""}, "ADCONFORM_STRANGER_KEY"},
		"other host":     {map[string]string{"BASE_URL": "https://example.com/v2"}, "I_OWN_THIS_TARGET"},
		"similar host":   {map[string]string{"BASE_URL": "http://127.0.0.1.example.com"}, "I_OWN_THIS_TARGET"},
		"user in URL":    {map[string]string{"BASE_URL": "http://127.0.0.1@example.com"}, "without user"},
		"no URL":         {map[string]string{"BASE_URL": "127.0.0.1:80"}, "not an http"},
		"loopback":       {map[string]string{"BASE_URL": "http://[::1]:80/v2/"}, ""},
		"owned":          {map[string]string{"BASE_URL": "https://example.com", "I_OWN_THIS_TARGET": "yes"}, ""},
		"without reason": {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{}
			for _, from := range []map[string]string{good, tc.change} {
				for k, v := range from {
					env[k] = v
				}
			}
			p := load(t, script, env)
			p.call("setup")
			if (tc.want == "") != (p.aborted == "") || !strings.Contains(p.aborted, tc.want) {
				t.Errorf("got %q, want %q", p.aborted, tc.want)
			}
		})
	}
}

// What the target file gives is put back; what it does not give is named.
func TestTeardownPutsBack(t *testing.T) {
	world, target := small()
	target.Objects.OtherCampaign.Values = nil
	profile := target.Objects.ConnectionProfile
	profile.Values = map[string]any{"name": "EU publishers"}
	s := plan(t, target, testcase.Standard, fewer("updateCampaign updateConnectionProfile"))
	var l log
	p := play(t, text(t, s), once(reftest.Serve(t, l.wrap(reftest.New(t, world, nil)))))
	back := map[string]string{}
	for _, r := range l.byCase()["restore"] {
		back[r.path] = r.body
	}
	if got := back[basePath+"/campaigns/25"]; got != `{"name":"Spring video"}` {
		t.Errorf("campaign: %s", got)
	}
	if got := back[fmt.Sprintf("%s/connection-profiles/%d", basePath, profile.ID)]; !strings.Contains(got, `"name":"EU publishers"`) ||
		!strings.Contains(got, "withCookiesAction") {
		t.Errorf("profile: %s", got)
	}
	if got, ok := back[basePath+"/campaigns/26"]; ok {
		t.Errorf("otherCampaign, of which nothing is known, gets %s", got)
	}
	if said := strings.Join(p.said, "\n"); !strings.Contains(said, "objects.otherCampaign") || !strings.Contains(said, "withCookiesAction") {
		t.Errorf("what cannot be put back is not said: %s", said)
	}
}
