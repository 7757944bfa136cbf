package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/adconform/adconform/suites/har"
)

type (
	postmanCollection struct {
		Info     json.RawMessage `json:"info"`
		Item     []postmanItem   `json:"item"`
		Variable []postmanPair   `json:"variable"`
	}
	postmanItem struct {
		Item     []postmanItem `json:"item"` // of a folder
		Request  requestOrURL  `json:"request"`
		Response []struct {
			Original *postmanRequest `json:"originalRequest"`
			Code     har.Number      `json:"code"`
			Header   postmanHeader   `json:"header"`
			Body     *string         `json:"body"`
		} `json:"response"`
	}
	requestOrURL struct{ postmanRequest }
)

// UnmarshalJSON implements json.Unmarshaler: a request may be its URL alone.
func (r *requestOrURL) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		r.Method = "GET"
		return json.Unmarshal(b, &r.URL)
	}
	return json.Unmarshal(b, &r.postmanRequest)
}

// maxFolders is how deep folders of a collection may be nested.
const maxFolders = 100

// readPostman lists the saved examples of a collection. Nobody knows when they
// were saved, and keys are often left to the collection: each stands alone.
func (r *Recording) readPostman(members map[string]json.RawMessage) error {
	data, err := json.Marshal(members)
	if err != nil {
		return err
	}
	var c postmanCollection
	if err := json.Unmarshal(data, &c); err != nil {
		return notOfForm("a Postman collection of version 2.1", err)
	}
	if c.Info == nil {
		return errForm
	}
	variables := map[string]string{}
	for _, v := range c.Variable {
		if !v.Disabled {
			variables[v.Key] = string(v.Value)
		}
	}
	n := 0
	return r.addItems(c.Item, variables, &n, 0)
}

func (r *Recording) addItems(items []postmanItem, variables map[string]string, n *int, depth int) error {
	if depth > maxFolders {
		return fmt.Errorf("its folders are nested more than %d deep", maxFolders)
	}
	for i := range items {
		item := &items[i]
		for j := range item.Response {
			*n++
			example := &item.Response[j]
			asked := example.Original
			if asked == nil {
				asked = &item.Request.postmanRequest
			}
			address := absolute(fill(asked.URL.filled(), variables))
			if address == "" {
				return &entryError{*n, errors.New("originalRequest.url is missing")}
			}
			x := asked.exchange()
			x.HeaderCut = true
			x.RequestBody = []byte(fill(string(x.RequestBody), variables))
			if example.Body != nil && *example.Body == "" {
				example.Body = nil // often left out
			}
			switch body := (&har.Body{Text: example.Body}); {
			case example.Code.Value < 100 || example.Code.Value > 999:
				x.missing = NoResponse
			case strings.Contains(string(x.RequestBody), "{{"):
				x.missing = NoRequestBody // only its pattern was saved
			default:
				x.Response, x.missing = response(int(example.Code.Value), "HTTP/1.1", example.Header.http(), body, har.Number{})
			}
			if e := r.add(asked.Method, address, x.RequestHeader, span{}); e != nil {
				e.exchange = x
			}
		}
		if err := r.addItems(item.Item, variables, n, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// filled is the address with its path variables, such as :campaignId, filled in.
func (u *postmanURL) filled() string {
	address := u.String()
	if u.Raw != "" {
		address = u.Raw
	}
	path, query, asks := strings.Cut(address, "?")
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		for _, v := range u.Variable {
			if v.Key != "" && segment == ":"+v.Key {
				segments[i] = string(v.Value)
			}
		}
	}
	if path = strings.Join(segments, "/"); asks {
		return path + "?" + query
	}
	return path
}

var variable = regexp.MustCompile(`\{\{([^{}]+)\}\}`)

// Bounds on what variables that stand for others may make of a text.
const (
	maxNesting = 10
	maxFilled  = 1 << 20 // bytes
)

// fill puts the variables of the collection in.
func fill(text string, variables map[string]string) string {
	for range maxNesting {
		before := text
		text = variable.ReplaceAllStringFunc(text, func(m string) string {
			if v, ok := variables[strings.TrimSpace(m[2:len(m)-2])]; ok && len(text) < maxFilled {
				return v
			}
			return m
		})
		if text == before || len(text) > maxFilled {
			break
		}
	}
	return text
}

// absolute is an address with a scheme. What the collection does not have of its
// host, such as {{baseUrl}} or https://{{host}}:{{port}}, becomes a host that
// nobody has.
func absolute(address string) string {
	if at := variable.FindStringIndex(address); at != nil && at[0] == 0 {
		return "https://" + unknownHost(address[:at[1]]) + address[at[1]:]
	}
	scheme, rest, ok := strings.Cut(address, "://")
	switch {
	case address == "":
		return ""
	case !ok:
		scheme, rest = "http", address
	}
	host, path, slash := strings.Cut(rest, "/")
	host = unknownPort.ReplaceAllString(host, "")
	if variable.MatchString(host) {
		host = unknownHost(host)
	}
	if slash {
		path = "/" + path
	}
	return scheme + "://" + host + path
}

var (
	unknownPort = regexp.MustCompile(`:\{\{[^{}]+\}\}$`)
	notInHost   = regexp.MustCompile(`[^a-z0-9.-]+`)
)

// nobody is a host named after a text with variables.
func unknownHost(text string) string {
	return strings.Trim(notInHost.ReplaceAllString(strings.ToLower(text), "-"), "-.") + ".invalid"
}
