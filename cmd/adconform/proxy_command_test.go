package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

const (
	passedKey   = "sEcret-Key/of+a.Client=="
	passedToken = "abc.def-ghi_JKL"
)

// proxying runs the proxy command while clients send, and then interrupts it.
func proxying(t *testing.T, clients func(base string), args ...string) (code int, stdout, stderr string) {
	t.Helper()
	out, errs := newBuffer(), newBuffer()
	interrupts := make(chan os.Signal, 2)
	a := newApp(out, errs, nil, interrupts)
	done := make(chan int, 1)
	go func() {
		done <- a.run(append([]string{"proxy", "--listen", "127.0.0.1:0"}, args...))
		errs.end()
	}()
	errs.await(t, "passes on to")
	clients(regexp.MustCompile(`https?://\S+`).FindString(errs.String()))
	interrupts <- os.Interrupt
	return <-done, out.String(), errs.String()
}

// asking sends one update of a campaign with credentials everywhere.
func asking(t *testing.T, base string, key string) *http.Response {
	t.Helper()
	r, err := http.NewRequest("PATCH", base+"/campaigns/25?access_token="+passedToken, strings.NewReader(`{"name":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}}
	if key != "" {
		r.Header.Set("X-API-Key", key)
		r.Header.Set("Authorization", "Bearer "+passedToken+"2")
		r.Header.Set("Cookie", "session="+passedToken+"3")
	} else {
		r.URL.RawQuery = ""
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	return res
}

func renamed(id string) string {
	return `{"data":{"id":` + id +
		`,"name":"a","createdAt":"2024-03-01T09:00:00Z","updatedAt":"2024-03-02T09:00:00Z","type":"video",` +
		`"shareURL":"https://a.example/25","adspecId":1,"userId":2}}`
}

func baseOf(t *testing.T, status int, body string) string {
	t.Helper()
	url := regexp.MustCompile(`http://\S+`).FindString(mustRead(t, serving(t, answering(status, body))))
	return strings.Trim(url, `"`)
}

func TestProxyJudgesWhatPasses(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := proxying(t, func(base string) {
		for range 3 {
			if res := asking(t, base, passedKey); res.StatusCode != 200 {
				t.Error(res.Status)
			}
		}
	}, "--target", baseOf(t, 200, renamed(`26,"echo":"`+passedKey+`"`)), "--report", dir)
	if code != report.ExitNonconforming || !strings.Contains(stdout, "NONCONFORMING: 1 finding") ||
		!strings.Contains(stdout, "3 recorded exchanges judged") {
		t.Errorf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	if n := strings.Count(stderr, "FAIL updateCampaign/recorded/200 CAMPAIGN-2 (stated): "); n != 1 {
		t.Errorf("the finding is told %d times:\n%s", n, stderr)
	}
	var r report.Report
	if err := json.Unmarshal([]byte(mustRead(t, filepath.Join(dir, report.JSONFile))), &r); err != nil || r.ExitCode != 1 ||
		r.Recording.Judged != 3 {
		t.Error(r.ExitCode, r.Recording, err)
	}
	// No artefact shows a key, wherever it was sent or came back.
	artefacts := stdout + stderr
	if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			artefacts += mustRead(t, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{passedKey, passedToken} {
		if strings.Contains(artefacts, secret) {
			t.Errorf("%s is shown", secret)
		}
	}
}

func TestProxyExitCodes(t *testing.T) {
	good := baseOf(t, 200, renamed("25"))
	if code, out, errs := proxying(t, func(base string) { asking(t, base, passedKey) }, "--target", good); code != report.ExitConforming {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs := proxying(t, func(string) {}, "--target", good); code != report.ExitInconclusive ||
		!strings.Contains(out, "INCONCLUSIVE") {
		t.Errorf("without traffic: exit %d\n%s%s", code, out, errs)
	}
	code, out, _ := proxying(t, func(base string) { asking(t, base, passedKey) }, "--target", good, "--format", "json")
	var r report.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || r.Verdict != report.Conforming {
		t.Errorf("exit %d, %v: %s", code, err, out)
	}
}

// With --fail-fast nobody has to interrupt it.
func TestProxyFailFast(t *testing.T) {
	out, errs := newBuffer(), newBuffer()
	a := newApp(out, errs, nil, make(chan os.Signal))
	done := make(chan int)
	go func() {
		done <- a.run([]string{"proxy", "--listen", "127.0.0.1:0", "--fail-fast", "--target", baseOf(t, 200, renamed("26"))})
	}()
	out.await(t, "http://")
	asking(t, strings.TrimSpace(out.String()), passedKey)
	if code := <-done; code != report.ExitNonconforming {
		t.Errorf("exit %d\n%s", code, out.String())
	}
}

func TestProxyEnforces(t *testing.T) {
	code, out, errs := proxying(t, func(base string) {
		if res := asking(t, base, ""); res.StatusCode != 401 {
			t.Error(res.Status)
		}
		asking(t, base, passedKey)
	}, "--enforce", "--target", baseOf(t, 200, renamed("25")))
	if code != 0 || !strings.Contains(errs, "REFUSED updateCampaign/401 AUTH-1: the request carries no key") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

func TestProxyUsage(t *testing.T) {
	for words, args := range map[string][]string{
		"--target is missing":                        {},
		"needs a target with http://":                {"--target", "unix:///tmp/x.sock"},
		"not absolute":                               {"--target", "http://"},
		"--listen nowhere":                           {"--target", "http://127.0.0.1:1", "--listen", "nowhere"},
		"did you mean http://":                       {"--target", "127.0.0.1:8080"},
		"is the address of the target":               {"--target", "http://localhost:18499/v2", "--listen", "127.0.0.1:18499"},
		"report folder /dev/null":                    {"--target", "http://127.0.0.1:1", "--report", "/dev/null/x"},
		"want one of stated, published, standard, c": {"--target", "http://127.0.0.1:1", "--basis", "x"},
	} {
		refuses(t, nil, append([]string{"proxy"}, args...), words)
	}
}
