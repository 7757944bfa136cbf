package specs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
)

// What the specs need to know about an operation and its fields.

// noun returns what a path parameter names, in one word that can be part of a case id.
func noun(param spec.Param) string { return strings.ToLower(strings.TrimSuffix(param.Name, "Id")) }

// thing returns what the path of an operation names, in one word.
func thing(op *spec.Operation) string {
	return strings.TrimSuffix(op.Params[len(op.Params)-1].Name, "Id")
}

// keysOf returns the keys of all objects that the path of an operation may name; those of a full target
// file if there are none, so that they are reported as not tested.
func keysOf(target *fixtures.Target, op *spec.Operation) (keys []string) {
	if op.Key() == "" {
		return nil
	}
	for _, key := range append([]string{op.Key()}, op.More()...) {
		keys = append(keys, each(target, key)...)
	}
	return keys
}

// each returns the keys of the objects that the target file names under a key, at least one.
func each(target *fixtures.Target, key string) (keys []string) {
	if !fixtures.Many(key) {
		return []string{key}
	}
	for i := range max(1, len(target.Objects[key])) {
		keys = append(keys, indexed(key, i))
	}
	return keys
}

func indexed(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }

// largest returns the key of the object with the longest list, which the document names
// last. It is "" for a list that no id names.
func largest(op *spec.Operation) string {
	all := append([]string{op.Key()}, op.More()...)
	return fixtures.First(all[len(all)-1])
}

// needsOther requires a second object and those above it, the first of which is shared.
func needsOther(op *spec.Operation) Option {
	var keys []string
	for i, param := range op.Params {
		if i > 0 && i < len(op.Params)-1 {
			keys = append(keys, judge.OwnKey(spec.Other(param.Object)))
		}
	}
	return Needs(append(keys, judge.OwnKey(spec.Other(op.Key())))...)
}

// needsForeign requires the stranger's object and the objects above it, and the stranger's
// key, with which wrong changes there are undone.
func needsForeign(op *spec.Operation) Option {
	keys := []string{judge.NeedStranger}
	for _, param := range op.Params {
		keys = append(keys, judge.Foreign(param.Object))
	}
	return Needs(keys...)
}

// fieldsWhere returns the fields of a body that satisfy a condition.
func fieldsWhere(op *spec.Operation, is func(*spec.Field) bool) []*spec.Field {
	return slices.DeleteFunc(slices.Clone(op.Body.Fields), func(f *spec.Field) bool { return !is(f) })
}

// fieldNames returns the names of fields.
func fieldNames(fields []*spec.Field) (names []string) {
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return names
}

// isFreeText reports whether a field takes any text, and isListed whether it takes one of several.
func isFreeText(f *spec.Field) bool { return f.Type == "string" && len(f.Enum) == 0 }
func isListed(f *spec.Field) bool   { return len(f.Enum) > 0 }

// shown returns the clauses about what an update shows.
func shown(op *spec.Operation) []string {
	return []string{op.Effects["identity"], op.Effects["shows"], op.Effects["stays"], op.Effects["updatedAt"]}
}

// walked returns the clauses by which the pages of a list are judged.
func walked(op *spec.Operation) []string {
	ids := []string{
		op.PageClause("totalCount"), op.PageClause("page"), op.PageClause("totalPages"),
		op.Effects["members"], op.Effects["unique"], op.Effects["repeats"],
	}
	if op.Holds != "" {
		ids = append(ids, op.Effects["holds"])
	}
	return ids
}

// listed returns the clauses by which a list is judged, whatever the case is about.
func listed(op *spec.Operation) []string {
	return slices.Concat(op.Success.Clauses(), []string{op.Clause}, walked(op))
}
