package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// form looks whether report.json has the form that its schema gives. It leaves no report where
// nothing can be said of one, and is an error where there is none.
func (v *verification) form() error {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(v.data))
	if err != nil {
		return fmt.Errorf("%s: not JSON: %w", v.File, err)
	}
	top, _ := document.(map[string]any)
	switch name, _ := top["schema"].(string); {
	case name == report.Schema:
	case strings.HasPrefix(name, "adconform/report/"):
		v.unknown("form", fmt.Sprintf("its schema is %q, this version knows %q: use the version that made it", name, report.Schema))
		return nil
	default:
		return fmt.Errorf("%s: its schema is %q: name a %s of adconform run --report", v.File, name, report.JSONFile)
	}
	var wrong []string
	if e := (*jsonschema.ValidationError)(nil); errors.As(schema().Validate(document), &e) {
		wrong = []string{"form: " + report.JSONFile + " is not of the form that its schema gives: " + innermost(e)}
	} else if v.report, err = report.Read(v.File); err != nil {
		wrong = []string{"form: " + err.Error()}
	}
	v.check("form", "as "+report.Schema+" gives it", wrong)
	return nil
}

// schema is that of report.json.
var schema = sync.OnceValue(func() *jsonschema.Schema {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(report.SchemaJSON()))
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err = errors.Join(err, c.AddResource("report.schema.json", document)); err != nil {
		panic(err) // it is embedded
	}
	return c.MustCompile("report.schema.json")
})

// innermost is the first cause of what a schema refuses, on one line.
func innermost(e *jsonschema.ValidationError) string {
	for len(e.Causes) > 0 {
		e = e.Causes[0]
	}
	return strings.Join(strings.Fields(e.Error()), " ")
}

// files looks whether the files beside report.json are those that it was written with.
func (v *verification) files() {
	if len(v.report.Digests) == 0 {
		v.unknown("files", "report.json has no digests of the files beside it: it was printed, or an older version made it")
		return
	}
	var wrong, missing []string
	n := 0
	for _, d := range v.report.Digests {
		data, err := os.ReadFile(filepath.Join(v.dir, filepath.Base(d.Name)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, d.Name)
		case err != nil:
			wrong = append(wrong, fmt.Sprintf("files: %s: %v", d.Name, files.WithoutPath(err)))
		case digest(data) != d.SHA256:
			wrong = append(wrong, fmt.Sprintf("files: %s is not the one that report.json was written with (sha256 %s…, not %s…)",
				d.Name, digest(data)[:12], d.SHA256[:12]))
		default:
			n++
		}
	}
	fine := wording.Count(n, "file") + " as written"
	if len(missing) > 0 {
		fine += ", without " + wording.List(missing)
	}
	v.check("files", fine, append(wrong, v.attestation()...))
}

// attestation says what is wrong with the statement to sign, if there is one.
func (v *verification) attestation() []string {
	data, err := os.ReadFile(filepath.Join(v.dir, report.AttestationFile))
	if err != nil {
		return nil
	}
	var s struct {
		Subject []struct {
			Name   string
			Digest map[string]string
		}
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return []string{fmt.Sprintf("files: %s: %v", report.AttestationFile, err)}
	}
	for _, subject := range s.Subject {
		if subject.Name == report.JSONFile && subject.Digest["sha256"] == v.SHA256 {
			return nil
		}
	}
	return []string{"files: " + report.AttestationFile + " is about another report.json"}
}

// readHAR reads the recorded exchanges; false where there are none to judge.
func (v *verification) readHAR() bool {
	data, err := os.ReadFile(filepath.Join(v.dir, report.HARFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		v.unknown("traffic", report.HARFile+" is not beside report.json: without it nothing can be judged again")
		return false
	case err == nil:
		v.har, err = report.ReadHAR(data)
	}
	if err != nil {
		v.check("traffic", "", []string{"traffic: " + err.Error()})
		return false
	}
	return true
}

// copies looks whether the files that follow from report.json say what it says.
func (v *verification) copies() {
	r := *v.report
	r.Exchanges, r.Digests = v.har, nil
	n := 0
	var others, wrong []string
	for _, d := range v.report.Digests {
		data, err := os.ReadFile(filepath.Join(v.dir, filepath.Base(d.Name)))
		var text bytes.Buffer
		if err != nil || d.Name == report.HARFile || report.Rewrite(&text, d.Name, &r) != nil {
			continue // it need not be there
		}
		if n++; !bytes.Equal(data, text.Bytes()) {
			others = append(others, d.Name)
		}
	}
	if len(others) > 0 {
		wrong = append(wrong, fmt.Sprintf("copies: not what %s says: %s", report.JSONFile, wording.List(others)))
	}
	v.judged("copies", fmt.Sprintf("%s as %s has it", wording.Count(n, "other file"), report.JSONFile), wrong)
}
