package engine_test

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/wire"
)

// In each form that a key may have, 401 cases send nothing, the form without a key, and changed keys, each as a value
// that the form can carry; and the curl line of a report makes the same key in a shell.
func TestKeysOfEachForm(t *testing.T) {
	for name, carried := range map[string]*regexp.Regexp{
		"auth/bearer": regexp.MustCompile(`^Bearer `), "auth/basic": regexp.MustCompile(`^Basic ([A-Za-z0-9+/]+=*)?$`),
		"auth/bearer in the key": regexp.MustCompile(`^Bearer `), "auth/basic in the key": regexp.MustCompile(`^Basic ([A-Za-z0-9+/]+=*)?$`),
		"auth/cookie": regexp.MustCompile(`^session=[^;, "'\\]*$`), "auth/query": regexp.MustCompile(``),
	} {
		t.Run(name, func(t *testing.T) {
			id, _, _ := strings.Cut(name, " ")
			world := fixtures.DefaultWorld()
			target := serve(t, reftest.With(t, world, id))
			v, err := faults.ByID(faults.Variants(), id)
			noError(t, err)
			faults.Env{World: world}.Target(target, v)
			k := keysSent{target: target, form: target.Credentials.Form(), carried: carried}
			if keys := &target.Credentials; strings.HasSuffix(name, "in the key") {
				keys.Header = "Authorization"
				keys.Owner = k.form.Before + keys.Owner
				keys.Stranger = k.form.Before + keys.Stranger
			}
			var sent []*wire.Exchange
			r := runOf(t, target, selecting("updateCampaign/401/"), func(c *engine.Config) {
				c.Record = func(ex *wire.Exchange) { sent = append(sent, ex) }
				c.Target.Limits.Concurrency = 1
			})
			noViolation(t, id, r)
			for _, ex := range sent {
				k.look(t, ex)
			}
			want := strings.Fields("changed empty last-third long longer other-case percent shorter sql unknown")
			if lacks := slices.DeleteFunc(want, func(name string) bool { return slices.Contains(k.names, name) }); len(lacks) > 0 {
				t.Errorf("no key is %s: %v", lacks, k.names)
			}
		})
	}
}

// keysSent are the wrong keys that a run sent.
type keysSent struct {
	target  *fixtures.Target
	form    fixtures.KeyForm
	carried *regexp.Regexp // matches each of them
	names   []string
}

// look looks at the key of a request, unless it is a user's.
func (k *keysSent) look(t *testing.T, ex *wire.Exchange) {
	key := ex.Request.Credential
	if !key.Send || key.Name == "owner" || key.Name == "stranger" {
		return
	}
	k.names = append(k.names, key.Name)
	value := k.target.Credentials.Form().Value(key.Value)
	if !k.carried.MatchString(value) {
		t.Errorf("%s: %q", key.Name, value)
	}
	if k.form.IsBasic() {
		hasOwnersPassword(t, key.Name, value, k.target.Credentials.Owner)
	}
	shell, err := exec.LookPath("sh")
	if err != nil || key.Shell == "" || k.form.Query != "" {
		return
	}
	line, arguments := k.form.Header+": "+value, inShell(t, shell, ex, k.target)
	if !slices.Contains(arguments, line) {
		t.Errorf("%s: no %s in %q from %s", key.Name, line, arguments, ex.Curl())
	}
}

// hasOwnersPassword fails the test if a changed key of HTTP's Basic authentication is not one, or if its password is not
// the owner's, unless the user is unknown.
func hasOwnersPassword(t *testing.T, name, value, owner string) {
	t.Helper()
	const scheme = "Basic "
	text := strings.TrimPrefix(value, scheme)
	_, password, isBasic := fixtures.SplitBasic(text)
	if text != "" && !isBasic {
		t.Errorf("%s: %q", name, value)
	}
	_, owners, _ := fixtures.SplitBasic(strings.TrimPrefix(owner, scheme))
	if (password == owners) != (name == "unknown") {
		t.Errorf("%s has the password %q", name, password)
	}
}

// inShell returns the arguments that a shell with the keys of a target gives to curl.
func inShell(t *testing.T, shell string, ex *wire.Exchange, target *fixtures.Target) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), shell, "-c", `curl() { printf '%s\037' "$@"; }; `+ex.Curl())
	cmd.Env = []string{"ADCONFORM_OWNER_KEY=" + target.Credentials.Owner, "PATH=/usr/bin:/bin"}
	out, err := cmd.Output()
	noError(t, err)
	return strings.Split(string(out), "\x1f")
}
