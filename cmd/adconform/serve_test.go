package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
)

// startedReference is the reference as a handler, without its base path.
func startedReference(t *testing.T) http.Handler {
	t.Helper()
	server, err := reference.New(reference.Options{World: fixtures.DefaultWorld()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = BasePath+r.URL.Path, BasePath+r.URL.EscapedPath()
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
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v (%v), want 0600: it holds keys", info.Mode(), err)
	}
	if mustRead(t, filepath.Join(dir, fixtures.SchemaFile)) != string(fixtures.Schema()) {
		t.Error("the schema is not beside the target file")
	}
	for _, want := range []string{target.BaseURL, target.Credentials.Owner, target.Credentials.Stranger, "curl -i -H 'X-API-Key: "} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target.BaseURL+"/creatives/200/media-files", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", target.Credentials.Owner)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
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

func TestServeSaysWhenTheAddressIsTaken(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	code, _, stderr := run(t, nil, "serve", "--addr", listener.Addr().String())
	if code != 2 || !strings.Contains(stderr, "address already in use") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, %q", code, stderr)
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
	response, err := http.Get(strings.TrimSuffix(target.BaseURL, BasePath) + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || response.Header.Get("Content-Security-Policy") == "" {
		t.Fatalf("%d %v (%v)", response.StatusCode, response.Header, err)
	}
	for _, want := range []string{"refused/401-any-key/updateCampaign: ", "wire/pretty: ", "301–308", "56–58", "91"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
		if !strings.Contains(string(page), want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
	for _, want := range []string{`href="/docs"`, "PATCH /v2/connection-profiles/12/rules/34/hosts/56", "DELETE /v2/creatives/301"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
	if strings.Contains(string(page), target.Credentials.Owner) || strings.Contains(string(page), target.Credentials.Stranger) {
		t.Error("the page shows a key")
	}
	_, plain, _ := startServe(t)
	if strings.Contains(plain.String(), "fault ") || strings.Contains(plain.String(), "variant ") {
		t.Errorf("no fault is on:\n%s", plain)
	}
}
