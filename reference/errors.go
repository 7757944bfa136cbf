package reference

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/adconform/adconform/spec"
)

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

func bodyTooSlow() *refusal {
	return refuse(http.StatusRequestTimeout, "bodyTooSlow", "The request body did not come in time.")
}

func internalError() *refusal {
	return refuse(http.StatusInternalServerError, "internalError", "The server failed.")
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
		e = internalError()
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
