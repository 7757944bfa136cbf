package faults

import (
	"encoding/json"
	"testing"
)

func TestEditKeepsTheBytesOfWhatStays(t *testing.T) {
	const body = `{ "b":1, "a":1e2 }`
	a := &answer{status: 200, body: []byte(body)}
	if a.edit(func(doc object) { doc["b"] = json.Number("1") }); string(a.body) != body {
		t.Errorf("got %s", a.body)
	}
	if a.edit(func(doc object) { doc["b"] = 2 }); string(a.body) != `{"a":1e2,"b":2}` {
		t.Errorf("got %s", a.body)
	}
}
