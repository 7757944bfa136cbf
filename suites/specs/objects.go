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

// unreadable is why the effect of a request is not tested.
const unreadable = "the target shows no way to read the object back"

// object is the object that the path of the case's operation names. A case that can do
// without one gets unknown ids, see OrUnknown.
func object(c *Case) *Object {
	op := c.Case().Operation
	if o := c.Object(op, fixtures.First(op.Key())); o != nil {
		return o
	}
	return c.Known().UnknownObject(op)
}

// others are the objects beside the operation's own that the target file names.
func others(c *Case, op *spec.Operation) []*Object {
	return named(c, op, otherKey(op), spec.Sibling(op.Key()))
}

// named are the objects under these keys, as far as the target file has them.
func named(c *Case, op *spec.Operation, keys ...string) []*Object {
	var all []*Object
	for _, key := range keys {
		if o := c.Object(op, key); o != nil {
			all = append(all, o)
		}
	}
	return all
}

// foreign is the stranger's object.
func foreign(c *Case, op *spec.Operation) *Object { return c.Object(op, judge.Foreign(op.Key())) }

// noun is what a path parameter names, in a word and as a part of a case id.
func noun(param spec.Param) string { return strings.ToLower(strings.TrimSuffix(param.Name, "Id")) }

// thing is what the path of an operation names, in a word.
func thing(op *spec.Operation) string {
	return strings.TrimSuffix(op.Params[len(op.Params)-1].Name, "Id")
}

// keys are those of all objects that the path of an operation may name; those of a
// full target file where it has none, so that they show as not tested.
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

// each are the keys of the objects that the target file names under a key, at least one.
func each(s *Specs, key string) []string {
	if !fixtures.Many(key) {
		return []string{key}
	}
	var keys []string
	for i := range max(1, len(s.Target.Objects.ByKey(key))) {
		keys = append(keys, indexed(key, i))
	}
	return keys
}

func indexed(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }

// largest is the key of the object whose list is the longest: the document names it
// last. It is "" for a list that no id names.
func largest(op *spec.Operation) string {
	more := op.More()
	if len(more) == 0 {
		return op.Key()
	}
	return fixtures.First(more[len(more)-1])
}

// needsOther asks for a second object and those above it, of which the first is shared.
func needsOther(op *spec.Operation) Decorator {
	var keys []string
	for i, param := range op.Params {
		if i > 0 && i < len(op.Params)-1 {
			keys = append(keys, judge.OwnKey(spec.Other(param.Object)))
		}
	}
	return Needs(append(keys, judge.OwnKey(otherKey(op)))...)
}

// needsForeign asks for the stranger's object and the objects above it, and for the
// stranger's key: what wrongly changes there is put back with it.
func needsForeign(op *spec.Operation) Decorator {
	keys := []string{"credentials.stranger"}
	for _, param := range op.Params {
		keys = append(keys, judge.Foreign(param.Object))
	}
	return Needs(keys...)
}

// quickIf plans a case from depth quick on where that holds: one of several that are much alike.
func quickIf(holds bool) Decorator {
	if holds {
		return Quick
	}
	return func(*judge.Case) {}
}

// slug makes a part of a case id out of words.
func slug(words ...any) string { return wording.Slug(words...) }

// unique is the token of an ordinary name: what tells this text from others.
func unique(c *Case) string {
	name := c.Fake.Name()
	return name[strings.LastIndexByte(name, ' ')+1:]
}

// freeTexts are the fields of a body that take any text.
func freeTexts(op *spec.Operation) []*spec.Field {
	return slices.DeleteFunc(slices.Clone(op.Body.Fields), func(f *spec.Field) bool { return f.Type != "string" || len(f.Enum) > 0 })
}

// fieldNames are the names of the fields of a body.
func fieldNames(op *spec.Operation) (names []string) {
	for _, f := range op.Body.Fields {
		names = append(names, f.Name)
	}
	return names
}

// enums are the fields of a body that take listed texts.
func enums(op *spec.Operation) []*spec.Field {
	return slices.DeleteFunc(slices.Clone(op.Body.Fields), func(f *spec.Field) bool { return len(f.Enum) == 0 })
}

// otherKey is the key of a second object of the operation's kind.
func otherKey(op *spec.Operation) string { return spec.Other(op.Key()) }
