package verify_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/verify"
)

// serve serves the reference until the test ends; wrap may be nil.
func serve(t *testing.T, wrap func(http.Handler) http.Handler) *fixtures.Target {
	t.Helper()
	var handler http.Handler = reftest.New(t, fixtures.DefaultWorld(), nil)
	if wrap != nil {
		handler = wrap(handler)
	}
	return fixtures.DefaultWorld().Target(reftest.Serve(t, handler))
}

// faulty is a server with a seeded fault.
func faulty(t *testing.T, id string) *fixtures.Target {
	t.Helper()
	return fixtures.DefaultWorld().Target(reftest.Serve(t, reftest.With(t, fixtures.DefaultWorld(), id)))
}

// written is the folder of the report of a run.
func written(t *testing.T, target *fixtures.Target, change ...func(*suites.Config)) string {
	t.Helper()
	c := suites.NewConfig(target)
	c.Exchanges, c.Mark = true, suites.NewMark()
	for _, as := range change {
		as(c)
	}
	r, err := suites.Execute(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := report.WriteDir(dir, r); err != nil {
		t.Fatal(err)
	}
	return dir
}

func verified(t *testing.T, dir string) *verify.Result {
	t.Helper()
	r, err := verify.Report(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// forged is a copy of a report folder with other contents, whose digests are right again.
func forged(t *testing.T, dir string, forge func(report, archive object)) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	said, archive := read(t, filepath.Join(to, report.JSONFile)), read(t, filepath.Join(to, report.HARFile))
	forge(said, archive)
	sum := write(t, filepath.Join(to, report.HARFile), archive)
	for _, d := range said.list("digests") {
		if d := d.(object); d["name"] == report.HARFile {
			d["sha256"] = sum
		}
	}
	sum = write(t, filepath.Join(to, report.JSONFile), said)
	statement := read(t, filepath.Join(to, report.AttestationFile))
	for _, s := range statement.list("subject") {
		s.(object)["digest"] = object{"sha256": sum}
	}
	write(t, filepath.Join(to, report.AttestationFile), statement)
	return to
}

// object is one of JSON.
type object map[string]any

func (o object) list(name string) []any {
	all, _ := o[name].([]any)
	return all
}

func (o object) at(name string) object {
	inner, _ := o[name].(object)
	return inner
}

func read(t *testing.T, path string) object {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var o any
	if err := d.Decode(&o); err != nil {
		t.Fatal(err)
	}
	return convert(o).(object)
}

// convert names the objects.
func convert(v any) any {
	switch v := v.(type) {
	case map[string]any:
		o := object{}
		for name, inner := range v {
			o[name] = convert(inner)
		}
		return o
	case []any:
		for i := range v {
			v[i] = convert(v[i])
		}
	}
	return v
}

func write(t *testing.T, path string, o object) (sum string) {
	t.Helper()
	data, err := json.MarshalIndent(o, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:])
}
