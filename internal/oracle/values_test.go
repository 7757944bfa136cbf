package oracle

import (
	"encoding/json"
	"testing"

	"github.com/adconform/adconform/spec"
)

// A value comes back if it is the same by code point or by number. Hostnames are compared without letter case and final
// dot.
func TestEqual(t *testing.T) {
	text := &spec.Field{Type: "string"}
	host := &spec.Field{Type: "string", Hostname: true}
	for _, row := range []struct {
		f         *spec.Field
		want, got any
		isEqual   bool
	}{
		{text, "a", "a", true},
		{text, "a", "A", false},
		{text, "a.", "a", false},
		{text, "", nil, false},
		{text, "7", json.Number("7"), false},
		{nil, "a", "a", true},
		{host, "CDN.example.com", "cdn.example.com.", true},
		{host, "cdn.example.com", "cdn.example.org", false},
		{host, "", nil, false},
		{nil, 7, json.Number("7"), true},
		{nil, int64(7), json.Number("7.0"), true},
		{nil, json.Number("70e-1"), json.Number("7"), true},
		{nil, 7, json.Number("7.5"), false},
		{nil, 7, "7", false},
		{nil, 0, nil, false},
		{nil, 7.5, json.Number("7.5"), true},
		{nil, 7.5, json.Number("7"), false},
		{nil, 0.0, "0", false},
		{nil, nil, nil, true},
		{nil, true, true, true},
		{nil, true, "true", false},
		{nil, []any{json.Number("1")}, []any{json.Number("1")}, true},
		{nil, json.Number("7.5"), json.Number("7.5"), true},
	} {
		if got := Equal(row.f, row.want, row.got); got != row.isEqual {
			t.Errorf("%#v and %#v: %t", row.want, row.got, got)
		}
	}
}

func TestInteger(t *testing.T) {
	for text, want := range map[string]int64{
		"7": 7, "-7": -7, "7.0": 7, "7e1": 70, "70E-1": 7, "9223372036854775807": 1<<63 - 1, "9.223372036854775807e18": 1<<63 - 1,
	} {
		if got, isInteger := Integer(json.Number(text)); !isInteger || got != want {
			t.Errorf("%s: %d, %t", text, got, isInteger)
		}
	}
	for _, v := range []any{
		json.Number("7.5"), json.Number("9223372036854775808"), json.Number("1e999999999"), json.Number(""), "7", nil, 7.0, true,
	} {
		if got, isInteger := Integer(v); isInteger || got != 0 {
			t.Errorf("%#v: %d, %t", v, got, isInteger)
		}
	}
}

// A text is alterable if trimming or normalisation changes it.
func TestAlterable(t *testing.T) {
	texts := map[any]bool{" a": true, "e\u0301": true, "\u00e9": true, "\ufb01": true, "a b": false, "": false, 7: false}
	for text, want := range texts {
		if got := Alterable(text); got != want {
			t.Errorf("%#v: alterable %t", text, got)
		}
	}
}

func TestListPage(t *testing.T) {
	for _, row := range []struct {
		page              ListPage
		isWhole, hasTwice bool
	}{
		{ListPage{Page: 1, TotalPages: 1, IDs: []spec.ID{"1", "2"}}, true, false},
		{ListPage{Page: 1, TotalPages: 0}, true, false},
		{ListPage{Page: 1, TotalPages: 2, IDs: []spec.ID{"2", "1", "2"}}, false, true},
		{ListPage{Page: 2, TotalPages: 1, IDs: []spec.ID{"1", "1"}}, false, true},
	} {
		if row.page.Complete() != row.isWhole || row.page.Twice() != row.hasTwice {
			t.Errorf("%+v: whole %t, twice %t", row.page, row.page.Complete(), row.page.Twice())
		}
	}
}

// An object is described by the names of its members, unless it has many, or none.
func TestDescribe(t *testing.T) {
	object := map[string]any{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		object[name] = nil
	}
	if got := Describe(object); got != "an object with a, b, c, d, e, f, g, h" {
		t.Error(got)
	}
	object["i"] = nil
	if got := Describe(object); got != "an object of 9 members" {
		t.Error(got)
	}
	if got := Describe(map[string]any{}); got != "an object of 0 members" {
		t.Error(got)
	}
}
