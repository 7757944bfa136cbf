// Package specs defines what is tested: each file holds one behaviour of the operations, as
// specs with gomega matchers. Plan derives cases from them, from the OpenAPI document and
// the target file, and sends nothing.
package specs

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/spec"
)

// kinds lists the kinds of operations and their behaviours, in the order in which the cases are planned. Cases that
// only read come first, so that keys and objects are known before anything may change, and deletes come last, as other
// cases need what they remove. After them come those that look at what all others left.
var kinds = []struct {
	are  func(*spec.Operation) bool
	test []behaviour
}{
	{(*spec.Operation).Lists, []behaviour{
		shownLists, pagesTogether, ownLists, authentication, guarded, permission, keySchemes, notFound, openLists,
		malformedIDs, undecodable, wear, usersInTurn, usersAtOnce, twoReadsAtOnce, conditionalReads, arrays,
		randomSequences, unlistedInput,
	}},
	{(*spec.Operation).Reads, []behaviour{
		shownObjects, authentication, permission, keySchemes, notFound, malformedIDs, undecodable, wear,
		usersInTurn, usersAtOnce, twoReadsAtOnce, readsAfterUpdates, randomSequences, unlistedInput,
	}},
	{(*spec.Operation).Updates, []behaviour{
		acceptedUpdates, authentication, permission, keySchemes, notFound, malformedBodies, wrongFields,
		severalWrongFields, texts, openBodies, partialBodies, malformedIDs, undecodable, wear, updatesShow,
		foreignUnchanged, fieldsAlone, usersInTurn, usersAtOnce, twoUpdatesAtOnce, takenNames, datesMove, arrays,
		states, randomSequences, unlistedInput,
	}},
	{(*spec.Operation).Deletes, []behaviour{
		deletesOfStrangers, authentication, usersAtOnce, notFound, malformedIDs, undecodable, wear,
		arrays, deletions, containers, deletedForGood, randomSequences, unlistedInput,
	}},
	{(*spec.Operation).Updates, []behaviour{atRest}},
	{func(*spec.Operation) bool { return true }, []behaviour{wrongKeysLast}},
}

// behaviour registers the cases of an operation that test one thing.
type behaviour func(s *Specs, op *spec.Operation)

// Plan lists the cases for a target in the order in which they are sent. The same
// contract, target and depth give the same plan.
func Plan(c *spec.Contract, target *fixtures.Target, depth judge.Depth) []*judge.Case {
	s := &Specs{Contract: c, Target: target, grids: map[*spec.Operation]*grid{}, sent: map[step]bool{}}
	for _, kind := range kinds {
		for _, s.Op = range operations(c, kind.are) {
			for _, register := range kind.test {
				register(s, s.Op)
			}
		}
	}
	plan := slices.DeleteFunc(s.Cases, func(c *judge.Case) bool { return c.Depth > depth })
	for i, c := range plan {
		c.Place = i
	}
	return plan
}

func operations(c *spec.Contract, are func(*spec.Operation) bool) []*spec.Operation {
	return slices.DeleteFunc(slices.Clone(c.Operations), func(op *spec.Operation) bool { return !are(op) })
}

// FirstOf returns the first case of a list that sends its plain request as a user: owner, stranger or none.
func FirstOf(op *spec.Operation, user string) string {
	first := map[string]string{"owner": "/success/ordinary", "stranger": "/403/stranger", "none": "/401/no-key"}
	return op.ID + first[user]
}

// Check returns an error if no valid value can be generated for a field, so that its operation could not be tested, or
// if the ids of one kind of object have two types.
func Check(c *spec.Contract) error {
	if _, err := fixtures.TextKinds(c.Keys()...); err != nil {
		return err
	}
	fake := fixtures.New(0, "check", nil)
	for _, op := range c.Operations {
		if op.Body == nil {
			continue
		}
		for _, f := range op.Body.Fields {
			if _, err := fake.Value(f, 0); err != nil {
				return fmt.Errorf("%s %s (%s) gets no case: the field %s of its request body %w",
					op.Method, op.Path, op.ID, f.Name, err)
			}
		}
	}
	return nil
}

// Case is a running case. Its requests are recorded and judged under its name.
type Case = session.Case

// Specs registers the cases of one operation after another. It sends nothing: the
// bodies of the cases run later, on any worker.
type Specs struct {
	Contract *spec.Contract
	Target   *fixtures.Target
	Op       *spec.Operation // the operation whose cases are being registered
	Cases    []*judge.Case   // in the order of registration
	grids    map[*spec.Operation]*grid
	tries    tries         // to reduce findings of arrays
	sent     map[step]bool // odd steps that random sequences have sent, and
	triggers []step        // steps that led to findings; later sequences send neither again
}

// Case registers a case. Its name is "class/name", which follows the operation in its id; the title
// is a sentence that must hold. The body gets the object that the path of the operation names,
// or unknown ids if the target file names none and the case needs none.
func (s *Specs) Case(name, title string, options Options, body func(c Case, o *Object)) {
	s.add(name, title, location(), options, body)
}

// Row is a case of a table: its name, its part of the table's title, what it sends, and its own
// options.
type Row[P any] struct {
	Name, Words string
	Sends       P
	Options     Options
}

// Table registers a case of a class for each row. The title has %s for the words of the row.
func Table[P any](s *Specs, class, title string, options Options, rows []Row[P], body func(Case, *Object, Row[P])) {
	at := location()
	for _, row := range rows {
		s.add(class+"/"+row.Name, strings.Replace(title, "%s", row.Words, 1), at, slices.Concat(options, row.Options),
			func(c Case, o *Object) { body(c, o, row) })
	}
}

// location returns the line that calls Case or Table: suites/specs/authentication.go:41.
func location() string {
	_, file, line, _ := runtime.Caller(2)
	return fmt.Sprintf("%s:%d", file[strings.LastIndex(file, "suites/"):], line)
}

// add registers a case. It needs the object of the path and those above it, unless options say
// otherwise.
func (s *Specs) add(name, title, location string, options Options, body func(c Case, o *Object)) {
	class, _, _ := strings.Cut(name, "/")
	c := &judge.Case{
		ID: s.Op.ID + "/" + name, Operation: s.Op, Class: class, Title: title, Location: location,
		Writes: s.Op.Updates() || s.Op.Deletes(), Depth: judge.Standard,
		Stretch: slices.Contains(refusals, class),
		Steps: session.Steps(func(c *session.T) {
			defer func() {
				if r := recover(); r != nil && r != any(skipped{}) {
					panic(r)
				}
			}()
			body(c, object(c))
		}),
	}
	c.Needs = s.ofPath()
	for _, option := range options {
		option(c)
	}
	Clause(s.always(c)...)(c)
	s.Cases = append(s.Cases, c)
}

// skipped is the panic that ends a case.
type skipped struct{}

// skipUnless ends the case as not tested unless a condition holds.
func skipUnless(c Case, holds bool, cause judge.Cause, reason string) {
	if !holds {
		c.NotTested(cause, reason)
		panic(skipped{})
	}
}

// ofPath returns the keys of the objects that the path of the operation names.
func (s *Specs) ofPath() []string { return keysAs(s.Op.Params, first, judge.OwnKey) }

// keysAs returns keys of the objects that path parameters name, changed by functions.
func keysAs(params []spec.Param, changes ...func(key string) string) (keys []string) {
	for _, param := range params {
		key := param.Object
		for _, change := range changes {
			key = change(key)
		}
		keys = append(keys, key)
	}
	return keys
}

// refusals are the classes of refused requests.
var refusals = []string{judge.Class401, judge.Class403, judge.Class404, judge.Class422}

// always returns the clauses by which every exchange of the case's class is judged.
func (s *Specs) always(c *judge.Case) []string {
	ids := []string{"HTTP-1", "HTTP-2"}
	switch {
	case slices.Contains(refusals, c.Class):
		ids = append(ids, strings.Fields("ERR-6 ERR-7 ERR-8 ERR-9 ERR-11 ERR-12 HTTP-3 JSON-1 JSON-2 OPEN-3 OPEN-5")...)
		if c.Operation.Updates() { // the others have no field to name
			ids = append(ids, "OPEN-10")
		}
		if c.Class == judge.Class401 {
			ids = append(ids, "OPEN-11")
		}
	case c.Class == judge.ClassSuccess && c.Operation.Deletes():
		ids = append(ids, "DELETE-2", "OPEN-4")
	case c.Class == judge.ClassSuccess:
		ids = append(ids, strings.Fields("ERR-12 HTTP-3 JSON-1 JSON-2 OPEN-2 OPEN-3 OPEN-5 OPEN-9")...)
		ids = append(append(ids, c.Operation.Clause), c.Operation.Success.Clauses()...)
	}
	if c.Open != "" {
		ids = append(ids, "OPEN-1")
		if _, pinned := s.Target.Open[s.Contract.OpenPoint(c.Open).Pin]; pinned {
			ids = append(ids, "PIN-1")
		}
	}
	return ids
}

// Options say what a case judges, what it needs and when it runs.
type Options []Option

// Option is one of them.
type Option func(*judge.Case)

// Clause names clauses that the case judges in addition to every exchange's. The first is its
// subject: an unexpected status breaks it.
func Clause(ids ...string) Option {
	return func(c *judge.Case) {
		for _, id := range ids {
			if id != "" && !slices.Contains(c.Clauses, id) {
				c.Clauses = append(c.Clauses, id)
			}
		}
	}
}

// orUnknown lets the case use unknown ids if the target file names no object for its path:
// its answer does not depend on an object.
func (s *Specs) orUnknown() Option {
	missing := slices.ContainsFunc(s.ofPath(), func(key string) bool { return !judge.Has(s.Target, key) })
	return optionIf(missing, NeedsOnly())
}

// firstID is orUnknown for a case about the first id of a path: a server need not look at
// the ids after one that names nothing.
func (s *Specs) firstID(position int) Option { return optionIf(position == 0, s.orUnknown()) }

// Needs names more keys of the target file that the case requires.
func Needs(keys ...string) Option {
	return func(c *judge.Case) { c.Needs = append(c.Needs, keys...) }
}

// NeedsOnly names the keys that the case needs instead of the objects of the path.
func NeedsOnly(keys ...string) Option { return func(c *judge.Case) { c.Needs = keys } }

// Observes names the open point at which the case records the target's choice, and the field that
// it is about, if any.
func Observes(point string, field ...string) Option {
	return func(c *judge.Case) { c.Open, c.Field = point, strings.Join(field, "") }
}

// Looks says that the case reads the object under a key, which happens before anything may change.
func Looks(key string) Option { return func(c *judge.Case) { c.Looks = key } }

// Options without parameters.
var (
	Quick         Option = func(c *judge.Case) { c.Depth = judge.Quick }
	Deep          Option = func(c *judge.Case) { c.Depth = judge.Deep }
	Once          Option = func(c *judge.Case) { c.Once = true }    // the case uses something up
	Last          Option = func(c *judge.Case) { c.Last = true }    // the case checks what all others left
	Writes        Option = func(c *judge.Case) { c.Writes = true }  // although its operation does not
	Stretch       Option = func(c *judge.Case) { c.Stretch = true } // the case is likely refused, as are its neighbours
	NeedsStranger        = Needs(judge.NeedStranger)
)

// optionIf returns an option if a condition holds.
func optionIf(holds bool, option Option) Option {
	if holds {
		return option
	}
	return func(*judge.Case) {}
}

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

// How many objects of a list in the target file are used, so that a run sends as many requests as its depth allows
// whatever the file names. Deletes need eight objects of their own; a container costs more requests than a plain one.
const (
	mostDisposables = 8
	mostContainers  = 2
	mostPaged       = 2
)

// each returns the keys of the objects that the target file names under a key, at least one. Of a long list it returns
// the first ones and the last one.
func each(target *fixtures.Target, key string) (keys []string) {
	if !fixtures.Many(key) {
		return []string{key}
	}
	most, named := mostDisposables, len(target.Objects[key])
	switch {
	case strings.HasPrefix(key, "paged"):
		most = mostPaged
	case fixtures.Vast(key):
		most = mostContainers
	}
	for i := range max(1, named) {
		if i < most-1 || i == named-1 {
			keys = append(keys, indexed(key, i))
		}
	}
	return keys
}

func indexed(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }

// first returns the key of the first object under a key.
func first(key string) string {
	if fixtures.Many(key) {
		return indexed(key, 0)
	}
	return key
}

// largest returns the key of the object with the longest list, which the document names
// last. It is "" for a list that no id names.
func largest(op *spec.Operation) string {
	all := append([]string{op.Key()}, op.More()...)
	return first(all[len(all)-1])
}

// needsOther requires a second object and those above it, the first of which is shared.
func needsOther(op *spec.Operation) Option {
	return Needs(keysAs(op.Params[min(1, max(0, len(op.Params)-1)):], spec.Other, judge.OwnKey)...)
}

// writesOther requires a second object whose optional values can be put back: the target may not take null.
func writesOther(op *spec.Operation) Option {
	return func(c *judge.Case) {
		needsOther(op)(c)
		for _, f := range op.Body.Fields {
			value := judge.OwnKey(spec.Other(op.Key())) + "." + f.Meaning
			c.Restores = append(c.Restores, value)
			if f.Optional {
				c.Needs = append(c.Needs, value)
			}
		}
	}
}

// needsForeign requires the stranger's object and the objects above it, and the stranger's
// key, with which wrong changes there are undone.
func needsForeign(op *spec.Operation) Option {
	return Needs(append([]string{judge.NeedStranger}, keysAs(op.Params, judge.Foreign)...)...)
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
