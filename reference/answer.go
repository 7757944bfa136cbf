package reference

import (
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adconform/adconform/spec"
)

// A refusal is an answer in the error shape: an error section with the status and
// the issues that caused it (interface document, Errors). Statuses that the document does not list have the same shape.
type refusal struct {
	status int
	issues []spec.Issue
}

func (e *refusal) Error() string { return e.issues[0].Message }

func refuse(status int, issueType, message string) *refusal {
	return &refusal{status, []spec.Issue{{Type: issueType, Message: message}}}
}

func notFound() *refusal {
	return refuse(http.StatusNotFound, "notFound", "The resource, or one that it depends on, does not exist.")
}

// wrongParameter refuses a parameter of the path or the query. A 404 blames none.
func wrongParameter(status int, name, message string) *refusal {
	if status == http.StatusNotFound {
		return notFound()
	}
	return &refusal{status, []spec.Issue{
		{Type: "invalidParameter", Message: name + " " + message, RelatedField: &name},
	}}
}

// permit refuses everyone but the owner of an object (interface document,
// Authentication 3).
func (c caller) permit(owner int64) error {
	permitted := c.user == owner
	if c.Permit != nil {
		permitted = c.Permit(permitted)
	}
	if !permitted {
		return refuse(http.StatusForbidden, "forbidden", "The user has no permission for the object.")
	}
	return nil
}

// answer is a response before it is written; a nil body means no content.
type answer struct {
	status int
	body   any
}

// errorAnswer makes an answer of an error. An error that is not a refusal is logged, and the client gets a 500 that
// does not show it.
func (s *Server) errorAnswer(r *http.Request, err error) *answer {
	e, isRefusal := errors.AsType[*refusal](err)
	if !isRefusal {
		s.log.ErrorContext(r.Context(), "request failed", "method", r.Method, "path",
			r.URL.Path, "error", err)
		e = refuse(http.StatusInternalServerError, "internalError", "The server failed.")
	}
	issues := e.issues
	if s.choices.OneIssueOnly {
		issues = issues[:1]
	}
	if s.choices.EmptyIssues && (e.status == 401 || e.status == 403 || e.status == 404) {
		issues = nil
	}
	var body spec.ErrorBody
	body.Error.ResponseCode = e.status
	body.Error.Issues = issues
	return &answer{e.status, body}
}

func (s *Server) write(w http.ResponseWriter, a *answer) {
	if a.status == http.StatusUnauthorized && s.choices.WWWAuthenticate != "" {
		w.Header().Set("WWW-Authenticate", s.choices.WWWAuthenticate)
	}
	if a.status == http.StatusUnsupportedMediaType {
		w.Header().Set("Accept-Patch", "application/json") // RFC 5789, 2.2
	}
	w.Header().Set("Cache-Control", "no-store") // answers differ by key
	if s.choices.Clock != 0 {
		w.Header().Set("Date",
			s.now().UTC().Format(http.TimeFormat))
	}
	if a.body == nil {
		w.WriteHeader(a.status)
		return
	}
	data := s.choices.encode(a.body)
	w.Header().Set("Content-Type", s.choices.MediaType)
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(a.status)
	_, _ = w.Write(data) // an error means that the client has gone
}

// encode writes a wire type in the form that the choices ask for.
func (c *Choices) encode(v any) []byte {
	data, err := json.Marshal(v,
		json.WithMarshalers(json.MarshalToFunc(func(enc *jsontext.Encoder, t time.Time) error {
			return enc.WriteToken(jsontext.String(c.date(t)))
		})))
	if err != nil {
		panic(err) // wire types always can be encoded
	}
	var absent []string // no object begins with one of them, and within a text a quote is \"
	if c.NullKeysAbsent {
		absent = append(absent, "parentId", "previewAnimationURL", "width", "height", "nbVariations", "nbMediaFiles",
			"latestScanStatus")
	}
	if c.UnsetRegex == Absent {
		absent = append(absent, "regularExpression")
	}
	if c.RelatedFieldAbsent {
		absent = append(absent, "relatedField")
	}
	if len(absent) > 0 {
		data = regexp.MustCompile(`,"(`+strings.Join(absent, "|")+`)":null`).ReplaceAll(data,
			nil)
	}
	if c.ExtraMembers {
		data = textOrEnd.ReplaceAllFunc(data, func(found []byte) []byte {
			if string(found) == "}" {
				return []byte(`,"extension":{"note":"not in the contract"}}`)
			}
			return found
		})
	}
	return data
}

// textOrEnd matches texts, which are skipped, and the ends of objects.
var textOrEnd = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\}`)

// date writes a date.
func (c *Choices) date(t time.Time) string {
	return t.In(time.FixedZone("", c.DateZone)).Format(c.DateFormat)
}
