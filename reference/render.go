package reference

import (
	"bytes"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adconform/adconform/spec"
)

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
	case DateOnly:
		return t.Format(time.DateOnly)
	case DateRFC1123:
		return t.Format(http.TimeFormat)
	}
	return t.Format(time.RFC3339)
}
