package engine

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// checkValues returns the values of the target file that no target can show: they are outside a closed list, or are
// not dates.
func (c *Config) checkValues() error {
	contract, pinned := c.contract(), c.Target.Open["dateFormat"] != nil
	return c.Target.CheckValues(func(key, name, text string) string {
		fields := fieldsOf(contract, name)
		var listed []string // first what answers show
		for _, f := range fields {
			listed = append(listed, without(f.Enum, listed)...)
		}
		if fixtures.KindOf(key) == "rule" { // which no answer shows
			listed = map[string][]string{"action": {"pass", "warn", "fail"}, "type": {"custom", "provider"}}[name]
		}
		isDate := slices.ContainsFunc(fields, func(f *spec.Field) bool { return f.Date })
		switch {
		case len(listed) > 0 && !slices.Contains(listed, text):
			return wording.Or(listed) + wording.DidYouMean(text, listed)
		case isDate && !pinned && !isMoment(text):
			return "a date as the target shows it, such as 2024-03-01T09:00:00Z"
		}
		return ""
	})
}

// isMoment reports whether a text is a date, or a number of seconds or milliseconds since 1970.
func isMoment(text string) bool {
	_, isDate := oracle.ReadMoment(text)
	_, isNumber := oracle.ReadMoment(json.Number(strings.TrimSpace(text)))
	return isDate || isNumber
}

// fieldsOf returns the fields with a meaning that updates send and answers show.
func fieldsOf(contract *spec.Contract, meaning string) (fields []*spec.Field) {
	for _, op := range contract.Operations {
		for _, o := range []*spec.Object{op.Representation(), op.Body} {
			if f := o.Field(meaning); f != nil {
				fields = append(fields, f)
			}
		}
	}
	return fields
}
