package specs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
)

// What the specs need to know about an operation and its fields.

// NamesAnObject reports whether the path of an operation contains ids.
func NamesAnObject(op *spec.Operation) bool { return len(op.Params) > 0 }

// noun returns what a path parameter names, in one word that can be part of a case id.
func noun(param spec.Param) string { return strings.ToLower(strings.TrimSuffix(param.Name, "Id")) }

// thing returns what the path of an operation names, in one word.
func thing(op *spec.Operation) string {
	return strings.TrimSuffix(op.Params[len(op.Params)-1].Name, "Id")
}

// slug turns words into a part of a case id.
func slug(words ...any) string { return wording.Slug(words...) }

// keysOf returns the keys of all objects that the path of an operation may name; those of a full target
// file if there are none, so that they are reported as not tested.
func keysOf(s *Specs, op *spec.Operation) []string {
	var keys []string
	if op.Key() == "" {
		return nil
	}
	for _, key := range append([]string{op.Key()}, op.More()...) {
		keys = append(keys, each(s, key)...)
	}
	return keys
}

// each returns the keys of the objects that the target file names under a key, at least one.
func each(s *Specs, key string) []string {
	if !fixtures.Many(key) {
		return []string{key}
	}
	var keys []string
	for i := range max(1, len(s.Target.Objects[key])) {
		keys = append(keys, indexed(key, i))
	}
	return keys
}

func indexed(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }

// largest returns the key of the object with the longest list, which the document names
// last. It is "" for a list that no id names.
func largest(op *spec.Operation) string {
	more := op.More()
	if len(more) == 0 {
		return op.Key()
	}
	return fixtures.First(more[len(more)-1])
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

// freeTexts returns the fields of a body that take any text.
func freeTexts(op *spec.Operation) []*spec.Field { return fieldsWhere(op, isFreeText) }

func isFreeText(f *spec.Field) bool { return f.Type == "string" && len(f.Enum) == 0 }

// enums returns the fields of a body that take listed texts.
func enums(op *spec.Operation) []*spec.Field { return fieldsWhere(op, isListed) }

func isListed(f *spec.Field) bool { return len(f.Enum) > 0 }

// shown returns the clauses about what an update shows.
func shown(op *spec.Operation) []string {
	return []string{op.Effects["identity"], op.Effects["shows"], op.Effects["stays"], op.Effects["updatedAt"]}
}

// walked returns the clauses by which the pages of a list are judged.
func walked(op *spec.Operation) []string {
	return []string{
		op.PageClause("totalCount"), op.PageClause("page"), op.PageClause("totalPages"),
		op.Effects["members"], op.Effects["unique"], op.Effects["repeats"], held(op),
	}
}

// held returns the clause about the contents of a list of the owner's objects.
func held(op *spec.Operation) string {
	if op.Holds == "" {
		return ""
	}
	return op.Effects["holds"]
}

// listed returns the clauses by which a list is judged, whatever the case is about.
func listed(op *spec.Operation) []string {
	return slices.Concat(op.Success.Clauses(), []string{op.Clause}, walked(op))
}
