package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// object is a JSON object.
type object = map[string]any

func itoa[N int | int64](n N) string { return fmt.Sprint(n) }

func atoi(s string) int {
	n := 0
	_, _ = fmt.Sscan(s, &n)
	return n
}

// decode reads JSON as object, []any, string, bool and json.Number; nil when it
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

// edited is a body whose JSON object is changed; one that stays the same keeps its bytes.
func edited(body []byte, change func(doc object)) []byte {
	doc, ok := decode(body).(object)
	if !ok {
		return body
	}
	before := encode(doc)
	change(doc)
	if after := encode(doc); !bytes.Equal(before, after) {
		return after
	}
	return body
}

// edit changes the JSON object in an answer, and alter that in a request.
func (a *answer) edit(change func(doc object)) *answer {
	a.body = edited(a.body, change)
	return a
}

func (r request) alter(change func(fields object)) request {
	r.body = edited(r.body, change)
	return r
}

// visit finds the objects that hold the last name of a path; "*" stands for
// every item of an array.
func visit(v any, path []string, found func(parent object, name string)) {
	switch v := v.(type) {
	case []any:
		if path[0] == "*" {
			for _, item := range v {
				visit(item, path[1:], found)
			}
		}
	case object:
		if len(path) > 1 {
			visit(v[path[0]], path[1:], found)
		} else if _, ok := v[path[0]]; ok {
			found(v, path[0])
		}
	}
}

// data is the representation in an answer; nil where there is none.
func (a *answer) data() object {
	doc, _ := decode(a.body).(object)
	data, _ := doc["data"].(object)
	return data
}

// shown changes the representation in a success.
func (a *answer) shown(change func(data object)) *answer {
	if !a.ok() {
		return a
	}
	return a.edit(func(doc object) {
		if data, ok := doc["data"].(object); ok {
			change(data)
		}
	})
}

// page is a page of a list, whose numbers and items may be changed.
type page struct {
	*exchange        // that it answers, in lists
	numbers   object // the pagination
	items     []any
}

func (p *page) number(name string) int { return number(p.numbers[name]) }

// add changes a number of the page.
func (p *page) add(name string, n int) { p.numbers[name] = p.number(name) + n }

// paged changes the page in a success.
func (a *answer) paged(change func(p *page)) *answer {
	if !a.ok() {
		return a
	}
	return a.edit(func(doc object) {
		meta, _ := doc["meta"].(object)
		numbers, ok := meta["pagination"].(object)
		items, isList := doc["data"].([]any)
		if ok && isList {
			p := &page{numbers: numbers, items: items}
			change(p)
			doc["data"] = p.items
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
func (r request) fields() object {
	doc, _ := decode(r.body).(object)
	return doc
}
