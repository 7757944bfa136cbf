package reference

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// authenticate returns the user whose key the request carries, or 401.
func (s *Server) authenticate(r *http.Request) (user int64, err error) {
	key := s.key(r)
	if key == "" {
		return 0, unauthenticated()
	}
	user, err = s.store.user(key)
	if errors.Is(err, errNotExist) {
		return 0, unauthenticated()
	}
	return user, err
}

// key returns the key of the request, or "" if it has none or several: where
// the header is given, it alone counts.
func (s *Server) key(r *http.Request) string {
	if keys := r.Header.Values(fixtures.DefaultKeyHeader); len(keys) > 0 {
		return only(keys)
	}
	if s.choices.KeyAsBearer {
		if scheme, key, _ := strings.Cut(only(r.Header.Values("Authorization")), " "); strings.EqualFold(scheme, "Bearer") {
			return strings.TrimSpace(key)
		}
	}
	if s.choices.KeyInQuery {
		return only(r.URL.Query()["api_key"])
	}
	return ""
}

func only(values []string) string {
	if len(values) != 1 {
		return ""
	}
	return values[0]
}

func hashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// refusal is an answer in the error shape: an error section with the status and
// the issues that caused it (interface document, Errors). 400, 405, 413, 415
// and 500, which that section does not list, have the same shape.
type refusal struct {
	status int
	issues []spec.Issue
	header map[string]string
}

func (e *refusal) Error() string { return e.issues[0].Message }

func refuse(status int, issueType, message string) *refusal {
	return &refusal{status: status, issues: []spec.Issue{{Type: issueType, Message: message}}}
}

func unauthenticated() *refusal {
	return refuse(http.StatusUnauthorized, "authenticationFailed", "The user cannot be authenticated.")
}

func forbidden() *refusal {
	return refuse(http.StatusForbidden, "forbidden", "The user has no permission for the object.")
}

func notFound() *refusal {
	return refuse(http.StatusNotFound, "notFound", "The resource, or one that it depends on, does not exist.")
}

// unprocessable is the 422 of a request whose content is wrong, with no single
// field to blame.
func unprocessable(issueType, message string) *refusal {
	return refuse(http.StatusUnprocessableEntity, issueType, message)
}

// wrongParameter refuses a parameter of the path or the query.
func wrongParameter(status int, name, message string) *refusal {
	e := refuse(status, "invalidParameter", name+" "+message)
	e.issues[0].RelatedField = &name
	return e
}

func methodNotAllowed(allow string) *refusal {
	e := refuse(http.StatusMethodNotAllowed, "methodNotAllowed", "The resource has no such method; it has "+allow+".")
	e.header = map[string]string{"Allow": allow}
	return e
}

func bodyTooLarge() *refusal {
	return refuse(http.StatusRequestEntityTooLarge, "bodyTooLarge", "The request body is larger than 1 MiB.")
}

// unsupportedMediaType names the type that would do (RFC 5789, 2.2).
func unsupportedMediaType() *refusal {
	e := refuse(http.StatusUnsupportedMediaType, "unsupportedMediaType", "The request body has to be application/json.")
	e.header = map[string]string{"Accept-Patch": "application/json"}
	return e
}

// permit refuses everyone but the owner of an object (interface document,
// Authentication 3).
func permit(user, owner int64) error {
	if user != owner {
		return forbidden()
	}
	return nil
}

// errorAnswer turns an error into an answer. What is neither a refusal nor a
// missing object is a fault of the server: it is logged and not shown.
func (s *Server) errorAnswer(r *http.Request, err error) *answer {
	e, isRefusal := errors.AsType[*refusal](err)
	switch {
	case isRefusal:
	case errors.Is(err, errNotExist):
		e = notFound()
	default:
		s.log.ErrorContext(r.Context(), "request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		e = refuse(http.StatusInternalServerError, "internalError", "The server failed.")
	}
	a := &answer{status: e.status, header: http.Header{}}
	for name, value := range e.header {
		a.header.Set(name, value)
	}
	if e.status == http.StatusUnauthorized && s.choices.WWWAuthenticate != "" {
		a.header.Set("WWW-Authenticate", s.choices.WWWAuthenticate)
	}
	issues := e.issues
	if s.choices.OneIssueOnly {
		issues = issues[:1]
	}
	if s.choices.EmptyIssues && (e.status == 401 || e.status == 403 || e.status == 404) {
		issues = nil
	}
	a.body = spec.ErrorBody{Error: spec.ErrorSection{ResponseCode: e.status, Issues: issues}}
	return a
}

// WriteError answers in the error shape (interface document, Errors). It is for
// what stands in front of a Server, which has its own way for the contract.
func WriteError(w http.ResponseWriter, status int, issueType, message string) {
	section := spec.ErrorSection{ResponseCode: status, Issues: []spec.Issue{{Type: issueType, Message: message}}}
	body, err := json.Marshal(spec.ErrorBody{Error: section})
	if err != nil {
		panic(err) // numbers and strings always can be encoded
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error means that the client has gone
}

// answer is a response before it is written; a nil body is no content.
type answer struct {
	status int
	header http.Header
	body   any
}

// represent is the success of an update: the new representation.
func represent[T any](status int, data T) *answer {
	return &answer{status: status, body: spec.Data[T]{Data: data}}
}

// write sends the answer. A body that cannot be encoded is a fault of the
// server.
func (s *Server) write(w http.ResponseWriter, r *http.Request, a *answer) {
	var data []byte
	if a.body != nil {
		var err error
		if data, err = s.encoder.encode(a.body); err != nil {
			a = s.errorAnswer(r, err)
			data, _ = s.encoder.encode(a.body)
		}
	}
	maps.Copy(w.Header(), a.header)
	w.Header().Set("Cache-Control", "no-store") // answers differ by key
	if data == nil {
		w.WriteHeader(a.status)
		return
	}
	w.Header().Set("Content-Type", s.choices.MediaType)
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(a.status)
	_, _ = w.Write(data) // an error means that the client has gone
}

// encoder writes wire types as the choices want them.
type encoder struct {
	options json.Options
	absent  map[string]bool // members that are left out when null
	extra   bool
}

func newEncoder(c *Choices) *encoder {
	e := &encoder{absent: map[string]bool{}, extra: c.ExtraMembers}
	e.options = json.WithMarshalers(json.MarshalToFunc(func(enc *jsontext.Encoder, t time.Time) error {
		return enc.WriteToken(jsontext.String(c.DateFormat.format(t)))
	}))
	if c.NullKeysAbsent {
		for _, name := range []string{"parentId", "previewAnimationURL", "width", "height", "nbVariations", "nbMediaFiles", "latestScanStatus"} {
			e.absent[name] = true
		}
	}
	if c.UnsetRegex == AbsentKey {
		e.absent["regularExpression"] = true
	}
	if c.RelatedFieldAbsent {
		e.absent["relatedField"] = true
	}
	return e
}

func (e *encoder) encode(v any) ([]byte, error) {
	data, err := json.Marshal(v, e.options)
	if err != nil || len(e.absent) == 0 && !e.extra {
		return data, err
	}
	return e.reshape(data)
}

// reshape leaves out null members and adds the extra one, at every depth.
func (e *encoder) reshape(data []byte) ([]byte, error) {
	var out bytes.Buffer
	dec, enc := jsontext.NewDecoder(bytes.NewReader(data)), jsontext.NewEncoder(&out)
	for {
		inside, _ := dec.StackIndex(dec.StackDepth())
		next := dec.PeekKind()
		if next == jsontext.KindInvalid { // the end
			return bytes.TrimSpace(out.Bytes()), nil
		}
		if next == jsontext.KindEndObject && e.extra {
			if err := enc.WriteToken(jsontext.String("extension")); err != nil {
				return nil, err
			}
			if err := enc.WriteValue(jsontext.Value(`{"note":"not in the contract"}`)); err != nil {
				return nil, err
			}
		}
		token, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		if inside == jsontext.KindBeginObject && next == jsontext.KindString { // a name, or a text that no null follows
			token = token.Clone() // peeking would overwrite it
			if e.absent[token.String()] && dec.PeekKind() == jsontext.KindNull {
				if err := dec.SkipValue(); err != nil {
					return nil, err
				}
				continue
			}
		}
		if err := enc.WriteToken(token); err != nil {
			return nil, err
		}
	}
}

// format writes a date in UTC, or two hours east of it with an offset.
func (f DateFormat) format(t time.Time) string {
	t = t.UTC()
	switch f {
	case DateMillis:
		return t.Format("2006-01-02T15:04:05.000Z07:00")
	case DateOffset:
		return t.In(time.FixedZone("", 2*60*60)).Format(time.RFC3339)
	case DateSpace:
		return t.Format(time.DateTime)
	case DateMinute:
		return t.Format("2006-01-02T15:04Z07:00")
	case DateOnly:
		return t.Format(time.DateOnly)
	case DateRFC1123:
		return t.Format(http.TimeFormat)
	}
	return t.Format(time.RFC3339)
}
