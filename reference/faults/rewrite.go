package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

func itoa(n int) string { return strconv.Itoa(n) }

// decode reads JSON as any, map[string]any, []any and json.Number; nil when it
// is none.
func decode(data []byte) any {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	return v
}

func encode(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("a fault answers what JSON cannot hold: %v", err))
	}
	return bytes.TrimRight(buf.Bytes(), "\n")
}

// edit changes the JSON object in a body; a body that stays the same keeps its
// bytes.
func (a *answer) edit(change func(doc map[string]any)) *answer {
	doc, ok := decode(a.body).(map[string]any)
	if !ok {
		return a
	}
	before := encode(doc)
	change(doc)
	if after := encode(doc); !bytes.Equal(before, after) {
		a.body = after
	}
	return a
}

// visit finds the objects that hold the last name of a path; "*" stands for
// every item of an array.
func visit(v any, path []string, found func(parent map[string]any, name string)) {
	switch v := v.(type) {
	case []any:
		if path[0] == "*" {
			for _, item := range v {
				visit(item, path[1:], found)
			}
		}
	case map[string]any:
		if len(path) > 1 {
			visit(v[path[0]], path[1:], found)
		} else if _, ok := v[path[0]]; ok {
			found(v, path[0])
		}
	}
}

// data is the representation in an answer; nil where there is none.
func (a *answer) data() map[string]any {
	doc, _ := decode(a.body).(map[string]any)
	data, _ := doc["data"].(map[string]any)
	return data
}

// shown changes the representation in a success.
func (a *answer) shown(change func(data map[string]any)) *answer {
	if !a.ok() {
		return a
	}
	return a.edit(func(doc map[string]any) {
		if data, ok := doc["data"].(map[string]any); ok {
			change(data)
		}
	})
}

// page changes the pagination and the items of a list, and sets the items to
// what change returns.
func (a *answer) page(change func(p map[string]any, items []any) []any) *answer {
	if !a.ok() {
		return a
	}
	return a.edit(func(doc map[string]any) {
		meta, _ := doc["meta"].(map[string]any)
		p, ok := meta["pagination"].(map[string]any)
		items, isList := doc["data"].([]any)
		if ok && isList {
			doc["data"] = change(p, items)
		}
	})
}

// number is an integer in a decoded body, 0 for anything else.
func number(v any) int {
	n, _ := v.(json.Number)
	i, _ := strconv.Atoi(string(n))
	return i
}

// fields are the members of a request body; nil when it is no JSON object.
func (r request) fields() map[string]any {
	doc, _ := decode(r.body).(map[string]any)
	return doc
}

// alter is a request with changed members; the request itself when its body is
// no JSON object.
func (r request) alter(change func(fields map[string]any)) request {
	fields := r.fields()
	if fields == nil {
		return r
	}
	before := encode(fields)
	change(fields)
	after := encode(fields)
	if bytes.Equal(before, after) {
		return r
	}
	return r.with(saying(after))
}
