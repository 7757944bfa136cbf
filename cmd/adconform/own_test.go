package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// A file that adconform did not write is never written over, and the run that would sends
// nothing.
func TestFilesOfOthersStay(t *testing.T) {
	var requests atomic.Int64
	target := serving(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		answering(404, "{}")(w, r)
	})
	const recording = `{"log": {"version": "1.2", "creator": {"name": "some browser", "version": "1"}, "entries": []}}`
	for file, line := range map[string]string{
		"report.html": "run --target TARGET --report DIR",
		"summary.md":  "run --target TARGET --report DIR --case updateCampaign/401/no-key",
		"report.json": "run --target TARGET --report DIR --read-only",
		"junit.xml":   "proxy --target TARGET --report DIR --listen 127.0.0.1:0",
		"traffic.har": "check DIR/traffic.har --report DIR",
		"mine.yaml":   "serve --addr 127.0.0.1:0 --write-target DIR/mine.yaml",
		"mine.pem":    "serve --addr 127.0.0.1:0 --tls --write-ca DIR/mine.pem",
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, file)
		write(t, path, recording)
		refuses(t, nil, strings.Fields(strings.NewReplacer("TARGET", target, "DIR", dir).Replace(line)),
			path+" is there, and adconform did not write it; name another, or move it away")
		if mustRead(t, path) != recording {
			t.Errorf("%s was written over", file)
		}
	}
	if n := requests.Load(); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestAFormerReportIsWrittenOver(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		if code, _, stderr := run(t, nil, "run", "--depth", "quick", "--quiet", "--report", dir); code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
	}
}
