package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
)

// startedReference is the reference as a handler, without its base path.
func startedReference(t *testing.T) http.Handler {
	t.Helper()
	server, err := reference.New(reference.Options{World: fixtures.DefaultWorld()})
	noError(t, err)
	t.Cleanup(func() { server.Close() })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = basePath+r.URL.Path, basePath+r.URL.EscapedPath()
		server.ServeHTTP(w, r)
	})
}

func TestServeAnswersUntilItIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "target.yaml")
	interrupts := make(chan os.Signal)
	stdout, stderr := newBuffer(), newBuffer()
	a := newApp(stdout, stderr, nil, interrupts)
	ended := make(chan int, 1)
	go func() {
		ended <- a.run([]string{"serve", "--addr", "127.0.0.1:0", "--data", filepath.Join(dir, "world.db"), "--write-target", file})
	}()
	stdout.await(t, "test it")

	target, err := fixtures.Load(file, lookup(nil))
	noError(t, err)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v (%v), want 0600: it holds keys", info.Mode(), err)
	}
	if mustRead(t, filepath.Join(dir, fixtures.SchemaFile)) != string(fixtures.Schema()) {
		t.Error("the schema is not beside the target file")
	}
	has(t, stdout.String(), target.BaseURL, target.Credentials.Owner, target.Credentials.Stranger, "curl -i -H 'X-API-Key: ")

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target.BaseURL+"/creatives/200/media-files", nil)
	noError(t, err)
	request.Header.Set("X-API-Key", target.Credentials.Owner)
	response, err := http.DefaultClient.Do(request)
	noError(t, err)
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("status %d (%v)", response.StatusCode, err)
	}
	response.Body.Close()
	stderr.await(t, "path=/v2/creatives/200/media-files status=200")
	if strings.Contains(stderr.String(), target.Credentials.Owner) {
		t.Error("a key is in the log")
	}

	interrupts <- os.Interrupt
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestServeListsFaults(t *testing.T) {
	code, stdout, stderr := run(t, nil, "serve", "--list-faults")
	_, all, _ := run(t, nil, "selftest", "--list")
	if code != 0 || stderr != "" || stdout != all || strings.Count(stdout, "\n") < 1000 {
		t.Errorf("exit code %d, %q, %d bytes, want %d", code, stderr, len(stdout), len(all))
	}
}

// The banner and the page at / name the fault and the objects; the page has no key.
func TestServeSaysWhatItServes(t *testing.T) {
	target, stdout, _ := startServe(t, "--fault", "refused/401-any-key/updateCampaign", "--variant", "wire/pretty")
	response, err := http.Get(strings.TrimSuffix(target.BaseURL, basePath) + "/")
	noError(t, err)
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || response.Header.Get("Content-Security-Policy") == "" {
		t.Fatalf("%d %v (%v)", response.StatusCode, response.Header, err)
	}
	both := []string{"refused/401-any-key/updateCampaign: ", "wire/pretty: ", "301, 302, 303", "91"}
	has(t, stdout.String(), both...)
	has(t, string(page), both...)
	has(t, string(page), `href="/docs"`, "PATCH /v2/connection-profiles/12/rules/34/hosts/56", "DELETE /v2/creatives/301")
	if strings.Contains(string(page), target.Credentials.Owner) || strings.Contains(string(page), target.Credentials.Stranger) {
		t.Error("the page shows a key")
	}
	_, plain, _ := startServe(t)
	if strings.Contains(plain.String(), "fault ") || strings.Contains(plain.String(), "variant ") {
		t.Errorf("no fault is on:\n%s", plain)
	}
}

// TestAResetForgetsWhatFaultsRemember: they are put around the server anew.
func TestAResetForgetsWhatFaultsRemember(t *testing.T) {
	world := fixtures.DefaultWorld()
	server, err := reference.New(reference.Options{World: world})
	noError(t, err)
	defer server.Close()
	wrapped := 0
	o := &serveOptions{front: frontOptions{control: true}}
	handler, err := o.inFront(server, world, &disguised{wrap: func(http.Handler) http.Handler {
		wrapped++
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, wrapped) })
	}})
	noError(t, err)
	for _, want := range []struct{ request, body string }{{"GET /v2/x", "1"}, {"POST " + reference.ResetPath, ""}, {"GET /v2/x", "2"}} {
		method, path, _ := strings.Cut(want.request, " ")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if w.Body.String() != want.body {
			t.Errorf("%s: %q, want %q", want.request, w.Body, want.body)
		}
	}
}

func TestReadLatency(t *testing.T) {
	for text, want := range map[string]reference.Latency{
		"50ms":      {Min: 50 * time.Millisecond, Max: 50 * time.Millisecond},
		"20ms-1.5s": {Min: 20 * time.Millisecond, Max: 1500 * time.Millisecond},
		"0s-5ms":    {Max: 5 * time.Millisecond},
	} {
		if got, err := readLatency(text); got != want || err != nil {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
}

// startServe runs the command until the test ends and returns its target file, read
// back, and what it writes.
func startServe(t *testing.T, args ...string) (target *fixtures.Target, stdout, stderr *buffer) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "target.yaml")
	interrupts := make(chan os.Signal)
	stdout, stderr = newBuffer(), newBuffer()
	a := newApp(stdout, stderr, nil, interrupts)
	ended := make(chan int, 1)
	go func() {
		ended <- a.run(append([]string{"serve", "--addr", "127.0.0.1:0", "--write-target", file}, args...))
	}()
	select {
	case code := <-ended:
		t.Fatalf("exit code %d: %s", code, stderr)
	case <-stdout.seen:
	}
	stdout.await(t, "test it")
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		interrupts <- os.Interrupt
		if code := <-ended; code != 0 {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
	target, err := fixtures.Load(file, lookup(nil))
	noError(t, err)
	return target, stdout, stderr
}

// get sends a request with the owner's key and returns status, header and body.
func get(t *testing.T, client *http.Client, target *fixtures.Target, method, path, body string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, target.BaseURL+path, strings.NewReader(body))
	noError(t, err)
	r.Header.Set(target.Credentials.Header, target.Credentials.Owner)
	r.Header.Set("Origin", "http://localhost:3000")
	response, err := client.Do(r)
	noError(t, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	noError(t, err)
	return response.StatusCode, response.Header, string(content)
}

// TestServeAWorldOfOnesOwn, reset by the suite: it conforms, and is then as before.
func TestServeAWorldOfOnesOwn(t *testing.T) {
	target, stdout, _ := startServe(t, "--seed-world", "../../docs/world.yaml", "--control")
	if target.Objects.Campaign.Values["name"] != "Autumn video" || target.Provision == nil ||
		!strings.HasSuffix(target.Provision.Post, reference.ResetPath) {
		t.Fatalf("target %+v", target)
	}
	if !strings.Contains(stdout.String(), "curl -X POST "+target.Provision.Post) {
		t.Errorf("no way to reset in\n%s", stdout)
	}
	for range 2 { // the second run needs the creatives that the first one deleted
		code, out, errs := run(t, nil, briefly("--depth quick", "run", target.File)...)
		if code != 0 || !strings.Contains(out, " 0 not tested") {
			t.Fatalf("exit code %d\n%s%s", code, out, errs)
		}
	}
	if status, _, body := get(t, http.DefaultClient, target, "PATCH", "/campaigns/10", "{}"); status != 200 ||
		!strings.Contains(body, `"Autumn video"`) {
		t.Errorf("%d %s", status, body)
	}
}

func TestNoResetWithoutControl(t *testing.T) {
	target, stdout, _ := startServe(t)
	base, _ := url.Parse(target.BaseURL)
	base.Path = reference.ResetPath
	response, err := http.Post(base.String(), "", nil)
	noError(t, err)
	response.Body.Close()
	if response.StatusCode != 404 || target.Provision != nil || strings.Contains(stdout.String(), "reset") {
		t.Errorf("status %d, provision %v", response.StatusCode, target.Provision)
	}
}

// TestThePrintedRequestWorks, as it stands, in a shell.
func TestThePrintedRequestWorks(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl")
	}
	campaignOnly := filepath.Join(t.TempDir(), "world.yaml")
	write(t, campaignOnly, "users: [{id: 1, key: \"it's\"}]\ncampaigns: [{id: 4, name: C}]\nobjects: {campaign: 4}\n")
	noObjects := filepath.Join(t.TempDir(), "world.yaml")
	write(t, noObjects, "users: [{id: 1, key: k}]\n")
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"default":  {nil, "HTTP/1.1 200"},
		"campaign": {[]string{"--seed-world", campaignOnly}, "HTTP/1.1 200"},
		"nothing":  {[]string{"--seed-world", noObjects}, "HTTP/1.1 404"},
	} {
		t.Run(name, func(t *testing.T) {
			_, stdout, _ := startServe(t, c.args...)
			line := regexp.MustCompile(`(?m)^try it +(.*)$`).FindStringSubmatch(stdout.String())
			if line == nil {
				t.Fatalf("no request in\n%s", stdout)
			}
			out, err := exec.CommandContext(t.Context(), "sh", "-c", line[1]).CombinedOutput()
			if err != nil || !strings.Contains(string(out), c.want) {
				t.Errorf("%s\n%v\n%s", line[1], err, out)
			}
		})
	}
}

func TestServeLimitsAndCrossOrigin(t *testing.T) {
	target, _, stderr := startServe(t, "--rate-limit", "2,0.01", "--cors", "http://localhost:3000,https://app.example", "--log", "json")
	if target.Limits.Rate != 0.01 {
		t.Errorf("the target file says %v requests a second", target.Limits.Rate)
	}
	for _, want := range []struct {
		status    int
		remaining string
	}{{200, "1"}, {200, "0"}, {429, "0"}} {
		status, header, body := get(t, http.DefaultClient, target, "GET", "/creatives/200/media-files", "")
		if status != want.status || header.Get(reference.RemainingHeader) != want.remaining ||
			header.Get("Access-Control-Allow-Origin") != "http://localhost:3000" {
			t.Errorf("%d %s %s", status, header, body)
		}
	}
	stderr.await(t, `"status":429`) // what went over the wire is logged
	for line := range strings.Lines(stderr.String()) {
		var entry struct {
			Path   string
			Status int
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Path == "" || entry.Status == 0 {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestTheDocumentationSpeaksTheDialect(t *testing.T) {
	target, _, _ := startServe(t, "--overlay", "../../docs/dialect.yaml")
	base, _ := url.Parse(target.BaseURL)
	base.Path = reference.DocsPath + "/openapi.yaml"
	response, err := http.Get(base.String())
	noError(t, err)
	defer response.Body.Close()
	document, err := io.ReadAll(response.Body)
	if err != nil || !strings.Contains(string(document), "cookieless_action:") ||
		strings.Contains(string(document), " withoutCookiesAction:") {
		t.Errorf("the documentation does not speak the dialect (%v)", err)
	}
}

func TestServeRefusesWrongFlags(t *testing.T) {
	dir := t.TempDir()
	world := filepath.Join(dir, "world.yaml")
	write(t, world, "users: [{id: 1, key: k}]\ncampaign: []\n")
	db := filepath.Join(dir, "world.db")
	server, err := reference.New(reference.Options{World: fixtures.DefaultWorld(), Data: db})
	noError(t, err)
	server.Close()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--seed-world", world}, world + `:2: unknown key "campaign"; did you mean "campaigns"?`},
		{[]string{"--seed-world", filepath.Join(dir, "no.yaml")}, "no.yaml: no such file"},
		{[]string{"--latency", "50"}, `"50" for "--latency" flag: want a time such as 50ms or a range such as 20ms-80ms`},
		{[]string{"--latency", "80ms-20ms"}, "want a time"},
		{[]string{"--latency", "-5ms"}, "want a time"},
		{[]string{"--latency", "1h"}, "at most 30s"},
		{[]string{"--rate-limit", "15"}, `"15" for "--rate-limit" flag: want two numbers such as 15,1`},
		{[]string{"--rate-limit", "0,1"}, "want two numbers"},
		{[]string{"--rate-limit", "1,NaN"}, "want two numbers"},
		{[]string{"--rate-limit", "1,0"}, "want two numbers"},
		{[]string{"--cors", "localhost:3000"}, `"localhost:3000" for "--cors" flag: want origins such as http://localhost:3000`},
		{[]string{"--cors", "http://a.example/x"}, "without a path"},
		{[]string{"--log", "jsn"}, "want one of text, json, none (did you mean json?)"},
		{[]string{"--overlay", filepath.Join(dir, "no.yaml")}, "--overlay"},
		{[]string{"--data", db, "--seed-world", "../../docs/world.yaml"}, "was filled from another world"},
	} {
		refuses(t, nil, append([]string{"serve", "--addr", "127.0.0.1:0"}, c.args...), c.want)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	defer listener.Close()
	refuses(t, nil, []string{"serve", "--addr", listener.Addr().String()}, "address already in use")
	refuses(t, map[string]string{"ADCONFORM_RATE_LIMIT": "x"}, []string{"serve"},
		`the variable ADCONFORM_RATE_LIMIT: invalid argument "x" for "--rate-limit" flag: want two numbers`)
}
