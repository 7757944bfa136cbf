package reference

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxBody is how many bytes a request body may have.
const maxBody = 1 << 20

// readUpdate reads and checks the body of an update. Its error is a refusal:
// 400, 408, 413, 415, or 422 with an issue for every wrong field. A body whose
// length is too large is not waited for, nor asked for (RFC 9110, 10.1.1).
func (s *Server) readUpdate(r *http.Request, resource *resource) (update, error) {
	if r.ContentLength > maxBody {
		return nil, bodyTooLarge()
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return nil, bodyTooLarge()
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, bodyTooSlow()
		}
		return nil, refuse(http.StatusBadRequest, "unreadableBody", "The request body could not be read to its end.")
	}
	if len(data) == 0 {
		if s.choices.EmptyBody == Refuse {
			return nil, unprocessable("emptyBody", "The request has no body; send a JSON object.")
		}
		data = []byte("{}")
	} else if t := r.Header.Get("Content-Type"); t != "" && !isJSON(t) && s.choices.UnsupportedMediaType == Refuse {
		return nil, unsupportedMediaType()
	}
	members, err := s.choices.parseObject(data)
	if err != nil {
		return nil, err
	}
	return s.choices.validate(resource, members)
}

// isJSON says whether a Content-Type is application/json or a +json type (RFC
// 8259, 11; RFC 6839, 3.1).
func isJSON(contentType string) bool {
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && (t == "application/json" || strings.HasSuffix(t, "+json"))
}

// parseObject reads a JSON text (RFC 8259) that is an object: UTF-8 without
// lone surrogates, without members of the same name, with nothing after it but
// what TrailingText lets pass.
func (c *Choices) parseObject(data []byte) (map[string]jsontext.Value, error) {
	if c.TrailingText == Ignore {
		if first, err := jsontext.NewDecoder(bytes.NewReader(data)).ReadValue(); err == nil {
			data = first
		}
	}
	var members map[string]jsontext.Value
	err := json.Unmarshal(data, &members)
	if e, malformed := errors.AsType[*jsontext.SyntacticError](err); malformed {
		return nil, unprocessable("malformedJSON", fmt.Sprintf("The request body is not well-formed JSON: %v, at byte %d.", e.Err, e.ByteOffset))
	}
	if err != nil || members == nil { // null gives neither an error nor members
		return nil, unprocessable("notAnObject", "The request body has to be a JSON object.")
	}
	return members, nil
}
