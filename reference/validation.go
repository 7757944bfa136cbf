package reference

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"os"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"github.com/adconform/adconform/spec"
)

// maxBody is the largest request body, in bytes.
const maxBody = 1 << 20

// readUpdate reads and checks the body of an update. Its error is a refusal: 400, 408, 413, 415, or 422 with an issue
// for every wrong field. It does not wait for a body that announces too large a length (RFC 9110, 10.1.1).
func (s *Server) readUpdate(r *http.Request, of *resource) (update, error) {
	data := []byte(nil)
	err := error(&http.MaxBytesError{})
	if r.ContentLength <= maxBody {
		data, err = io.ReadAll(r.Body)
	}
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	mediaType := r.Header.Get("Content-Type")
	switch {
	case tooLarge:
		return nil, refuse(http.StatusRequestEntityTooLarge, "bodyTooLarge", "The request body is larger than 1 MiB.")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, refuse(http.StatusRequestTimeout, "bodyTooSlow", "The request body did not come in time.")
	case err != nil:
		return nil, refuse(http.StatusBadRequest, "unreadableBody", "The request body could not be read to its end.")
	case len(data) == 0 && s.choices.EmptyBody == Refuse:
		return nil, refuse(422, "emptyBody", "The request has no body; send a JSON object.")
	case len(data) == 0:
		data = []byte("{}")
	case mediaType != "" && !isJSON(mediaType) && s.choices.UnsupportedMediaType == Refuse:
		return nil, refuse(http.StatusUnsupportedMediaType, "unsupportedMediaType",
			"The request body has to be application/json.")
	}
	members, err := s.choices.parseObject(data)
	if err != nil {
		return nil, err
	}
	return s.choices.validate(of, members)
}

// isJSON reports whether a Content-Type is application/json or a +json type (RFC
// 8259, 11; RFC 6839, 3.1).
func isJSON(contentType string) bool {
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && (t == "application/json" || strings.HasSuffix(t, "+json"))
}

// parseObject reads a JSON text (RFC 8259) that is an object: in UTF-8, without lone surrogates, without duplicate
// names, and with nothing after it unless TrailingText allows that.
func (c *Choices) parseObject(data []byte) (map[string]jsontext.Value, error) {
	if c.TrailingText == Ignore {
		if first, err := jsontext.NewDecoder(bytes.NewReader(data)).ReadValue(); err == nil {
			data = first
		}
	}
	var members map[string]jsontext.Value
	err := json.Unmarshal(data, &members)
	if e, malformed := errors.AsType[*jsontext.SyntacticError](err); malformed {
		return nil, refuse(422, "malformedJSON",
			fmt.Sprintf("The request body is not well-formed JSON: %v, at byte %d.", e.Err, e.ByteOffset))
	}
	if err != nil || members == nil { // null gives neither an error nor members
		return nil, refuse(422, "notAnObject", "The request body has to be a JSON object.")
	}
	return members, nil
}

// resource lists the fields of a kind of object.
type resource struct {
	name     string
	fields   []field
	readOnly []string // fields that are shown but cannot be changed
}

// field is a changeable field, which holds a text.
type field struct {
	name     string
	isName   bool    // name or hostname
	optional bool    // may be unset
	initial  *string // its value under OmittedFields: Reset
	check    func(c *Choices, text string) (stored, problem string)
}

// update is a valid request body: the new value by field name, nil to unset it.
type update map[string]*string

// issue blames a field of the request.
func (c *Choices) issue(issueType, name, message string) spec.Issue {
	form := strings.TrimSuffix(c.RelatedFieldForm, "name") + name
	return spec.Issue{Type: issueType, Message: name + " " + message + ".", RelatedField: &form}
}

// validate makes an update of the members of a request body. Its error is a 422 with an issue for each wrong field.
func (c *Choices) validate(of *resource, members map[string]jsontext.Value) (update, error) {
	isEmpty := len(members) == 0
	if isEmpty && c.EmptyObject == Refuse {
		return nil, refuse(422, "emptyObject", "The request body changes nothing; give a field.")
	}
	v := &validation{Choices: c, changes: update{}}
	for _, f := range of.fields {
		value, isGiven := members[f.name]
		delete(members, f.name)
		mayOmitAll := isEmpty && c.EmptyObject == Ignore
		switch isOmitted := !isGiven || isNull(value) && c.NullFields == Ignore; {
		case !isOmitted:
			v.set(f, value)
		case c.requires(of, f) && !mayOmitAll:
			v.wrong("missingField", f.name, "is missing")
		case c.OmittedFields == Reset:
			v.changes[f.name] = f.initial
		}
	}
	v.refuseOthers(of, members)
	if len(v.issues) > 0 {
		return nil, &refusal{http.StatusUnprocessableEntity, v.issues}
	}
	return v.changes, nil
}

// requires reports whether a field may not be left out.
func (c *Choices) requires(of *resource, f field) bool {
	return c.Required != "" &&
		regexp.MustCompile(c.Required).MatchString(of.name+"."+f.name)
}

func isNull(value jsontext.Value) bool { return value.Kind() == jsontext.KindNull }

// A validation collects what a request body changes, and what is wrong with it.
type validation struct {
	*Choices
	changes update
	issues  []spec.Issue
}

func (v *validation) wrong(issueType, name, message string) {
	v.issues = append(v.issues, v.issue(issueType, name, message))
}

// set sets a field to a value of a request.
func (v *validation) set(f field, value jsontext.Value) {
	if isNull(value) && f.optional {
		v.changes[f.name] = nil
		return
	}
	if !v.isTextual(f, value) {
		v.wrong("invalidType", f.name, "must be a string")
		return
	}
	text := string(value)
	_ = json.Unmarshal(value, &text) // a string loses its quotes, and a number or boolean stays as it was sent
	stored, problem := f.check(v.Choices, text)
	isUnset := stored == "" && f.optional && v.EmptyRegexUnsets
	switch {
	case problem != "":
		v.wrong("invalidValue", f.name, problem)
	case isUnset:
		v.changes[f.name] = nil
	default:
		v.changes[f.name] = &stored
	}
}

// isTextual reports whether a value is a text, or taken for one. Fields with a list of values take only texts.
func (v *validation) isTextual(f field, value jsontext.Value) bool {
	hasAnyText := f.isName || f.optional
	switch value.Kind() {
	case jsontext.KindString:
		return true
	case jsontext.KindNumber:
		return hasAnyText && v.ScalarCoercion != Refuse && v.ScalarCoercion != Booleans
	case jsontext.KindTrue, jsontext.KindFalse:
		return hasAnyText && v.ScalarCoercion != Refuse && v.ScalarCoercion != Numbers
	}
	return false
}

// refuseOthers adds issues for the members that are no fields to change.
func (v *validation) refuseOthers(of *resource, members map[string]jsontext.Value) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch isReadOnly := slices.Contains(of.readOnly, name); {
		case isReadOnly && v.ReadOnlyFields == Refuse:
			v.wrong("readOnlyField", name, "cannot be changed")
		case !isReadOnly && v.UnknownFields == Refuse:
			v.wrong("unknownField", name, "is no field of the resource")
		}
	}
}

func (c *Choices) checkName(text string) (stored, problem string) {
	if c.NormalizeNames {
		text = norm.NFC.String(text)
	}
	return c.checkText(text, c.NamePattern)
}

func (c *Choices) checkHostname(text string) (stored, problem string) {
	text, problem = c.checkText(text, c.HostnamePattern)
	if problem == "" && c.InvalidHostname == Refuse && !isHostname(text) {
		problem = "must be a DNS name such as cdn.example.com"
	}
	if c.LowercaseHostnames {
		text = strings.ToLower(text)
	}
	return text, problem
}

// checkText checks a name or hostname.
func (c *Choices) checkText(text, pattern string) (stored, problem string) {
	if c.TrimNames {
		text = strings.TrimSpace(text)
	}
	switch {
	case c.EmptyNames == Refuse && strings.TrimSpace(text) == "":
		problem = "must not be empty"
	case c.ControlCharacters == Refuse && strings.ContainsFunc(text, unicode.IsControl):
		problem = "must not hold control characters"
	case utf8.RuneCountInString(text) > c.MaxNameLength:
		problem = fmt.Sprintf("must not be longer than %d characters", c.MaxNameLength)
	case !regexp.MustCompile(pattern).MatchString(text):
		problem = "must match " + pattern
	}
	return text, problem
}

func (c *Choices) checkAction(text string) (stored, problem string) {
	if c.ListedSpelling == Accept {
		text = strings.ToLower(strings.TrimSpace(text))
	}
	if !slices.Contains([]string{"pass", "warn", "fail"}, text) { // published
		problem = "must be pass, warn or fail"
	}
	return text, problem
}

// checkRegex only parses: compiling could take much memory.
func (c *Choices) checkRegex(text string) (stored, problem string) {
	_, err := syntax.Parse(text, syntax.Perl)
	switch {
	case c.ControlCharacters == Refuse && strings.ContainsFunc(text, unicode.IsControl):
		problem = "must not hold control characters"
	case err != nil && c.InvalidRegex == Refuse:
		problem = "must be a regular expression"
	case !regexp.MustCompile(c.RegexPattern).MatchString(text):
		problem = "must match " + c.RegexPattern
	}
	return text, problem
}

var (
	// Labels of letters, digits and hyphens, the last one with a letter (RFC 1123, 2.1). An IP address is none.
	dnsName   = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.\b|$))+$`)
	topLetter = regexp.MustCompile(`[A-Za-z][A-Za-z0-9-]*$`)
)

// isHostname reports whether a text is a DNS name, perhaps with the dot of the root.
func isHostname(text string) bool {
	name := strings.TrimSuffix(text, ".")
	return len(name) <= 253 && dnsName.MatchString(name) && topLetter.MatchString(name)
}
