package mutants

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// The environment variables of a program with mutants.
const (
	mutantVariable  = "ADCONFORM_MUTANT"  // the number of the mutant that it is; 0 or none for the source as it is
	reachedVariable = "ADCONFORM_REACHED" // a file that gets the numbers of the statements that are run, one a line
)

// switchFile is what a package with mutants has beside its own files; switchDeclared is what
// that declares.
const (
	switchFile     = "mutant_switch.go"
	switchDeclared = `package %s

var activeMutant int

func reachedPlace(int) {}
`
	switchSource = `package %s

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

var activeMutant, _ = strconv.Atoi(os.Getenv("` + mutantVariable + `"))

var reachedFile, _ = os.OpenFile(os.Getenv("` + reachedVariable + `"), os.O_APPEND|os.O_WRONLY, 0)

var reachedPlaces sync.Map

func reachedPlace(n int) {
	if reachedFile == nil {
		return
	}
	if _, before := reachedPlaces.LoadOrStore(n, true); !before {
		fmt.Fprintln(reachedFile, n)
	}
}
`
)

// rewritten are the files of a package with all mutants behind a switch.
type rewritten struct {
	pkg   string            // its path
	files map[string][]byte // by path, as an overlay has them
	spans map[string][]span // by path: the lines of each mutant
}

type span struct {
	first, last int
	mutant      *Mutant
}

// rewrite puts the mutants into the source. In a function each is a copy of the body:
//
//	switch activeMutant {
//	case 17:
//		return func() (answer, error) { ... }()
//	}
//	... // the body as it is
//
// so that nothing has to be known of types, and whatever a mutant breaks breaks in its
// copy.
func rewrite(s *source, all []*Mutant) *rewritten {
	in := map[*unit][]*Mutant{}
	for _, m := range all {
		m.place = 0
		units := map[*unit]bool{}
		for _, e := range m.edits {
			if !units[e.in] {
				in[e.in] = append(in[e.in], m)
			}
			units[e.in] = true
		}
	}
	r := &rewritten{pkg: s.pkg.Path(), files: map[string][]byte{}, spans: map[string][]span{}}
	w := &writer{source: s}
	for _, f := range s.files {
		w.reset(f)
		for _, u := range f.units {
			if u.body != nil {
				w.function(u, in[u])
			} else if len(in[u]) > 0 {
				w.variable(u, in[u])
			}
		}
		w.copyTo(len(f.text))
		path := s.path(f.name)
		r.files[path], r.spans[path] = bytes.Clone(w.out.Bytes()), w.spans
	}
	r.files[s.path(switchFile)] = fmt.Appendf(nil, switchSource, s.pkg.Name())
	return r
}

// writer writes a file with its mutants.
type writer struct {
	*source
	f      *file
	out    bytes.Buffer
	at     int // of the file: what comes before is written
	line   int
	spans  []span
	places int // of all files
}

func (w *writer) reset(f *file) {
	w.f, w.at, w.line, w.spans = f, 0, 1, nil
	w.out.Reset()
}

func (w *writer) write(text string) {
	w.out.WriteString(text)
	w.line += strings.Count(text, "\n")
}

func (w *writer) copyTo(offset int) {
	w.write(string(w.f.text[w.at:offset]))
	w.at = offset
}

func (w *writer) function(u *unit, mutants []*Mutant) {
	from, to := w.offset(u.body.Lbrace)+1, w.offset(u.body.Rbrace)
	w.copyTo(from)
	if len(mutants) > 0 {
		w.write("\nswitch activeMutant {\n")
		for _, m := range mutants {
			w.mutant(m, func() {
				body := apply(u, from, to, m.edits)
				if u.results == "" { // a block, as what recovers has to be called by the deferred function itself
					w.write("{ " + body + "\n}\nreturn\n")
				} else {
					w.write("return func() " + u.results + " { " + body + "\n}()\n")
				}
			})
		}
		w.write("}\n")
	}
	w.probed(u, mutants, to)
}

func (w *writer) mutant(m *Mutant, body func()) {
	first := w.line
	w.write(fmt.Sprintf("case %d:\n", m.number))
	body()
	w.spans = append(w.spans, span{first, w.line, m})
}

// variable makes the value that of a function, which looks at the switch.
func (w *writer) variable(u *unit, mutants []*Mutant) {
	from, to := w.offset(u.value.Pos()), w.offset(u.value.End())
	w.copyTo(from)
	name := types.TypeString(w.info.TypeOf(u.value), func(p *types.Package) string {
		if p == w.pkg {
			return ""
		}
		return p.Name()
	})
	w.write("func() " + name + " {\nswitch activeMutant {\n")
	for _, m := range mutants {
		w.mutant(m, func() { w.write("return " + apply(u, from, to, m.edits) + "\n") })
	}
	w.write("}\nreturn ")
	w.copyTo(to)
	w.write("\n}()")
}

// probed writes the body as it is, but that each of its statements tells when it is run.
func (w *writer) probed(u *unit, mutants []*Mutant, to int) {
	type place struct{ from, to, number int }
	var places []place
	add := func(list []ast.Stmt) {
		for _, s := range list {
			w.places++
			places = append(places, place{w.offset(s.Pos()), w.offset(s.End()), w.places})
		}
	}
	cases := map[ast.Node]bool{} // what holds cases holds no statements
	ast.Inspect(u.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SwitchStmt:
			cases[n.Body] = true
		case *ast.TypeSwitchStmt:
			cases[n.Body] = true
		case *ast.SelectStmt:
			cases[n.Body] = true
		case *ast.BlockStmt:
			if !cases[n] {
				add(n.List)
			}
		case *ast.CaseClause:
			add(n.Body)
		case *ast.CommClause:
			add(n.Body)
		}
		return true
	})
	for _, m := range mutants {
		for _, p := range places { // the last that holds it is the innermost
			if e := m.edits[0]; e.in == u && p.from <= e.from && e.from < p.to {
				m.place = p.number
			}
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.from, b.from) })
	for _, p := range places {
		w.copyTo(p.from)
		w.write(fmt.Sprintf("reachedPlace(%d); ", p.number))
	}
	w.copyTo(to)
}

// apply is a part of a unit with the edits that are in it.
func apply(u *unit, from, to int, edits []edit) string {
	var out strings.Builder
	edits = slices.DeleteFunc(slices.Clone(edits), func(e edit) bool { return e.in != u })
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	at := from
	for _, e := range edits {
		out.Write(u.file.text[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(u.file.text[at:to])
	return out.String()
}

// compilable makes the mutants of a source and leaves out those that do not compile.
func compilable(s *source) ([]*Mutant, error) {
	all := generate(s)
	for {
		name(all)
		r := rewrite(s, all)
		failed, err := s.check(r)
		if err != nil || len(failed) == 0 {
			return all, err
		}
		broken := map[*Mutant]bool{}
		for _, e := range failed {
			m := r.at(e.Fset.Position(e.Pos))
			if m == nil {
				return nil, fmt.Errorf("the source with its mutants does not compile, and not because of one: %w", e)
			}
			broken[m] = true
		}
		all = slices.DeleteFunc(all, func(m *Mutant) bool { return broken[m] })
	}
}

// check is what is wrong with rewritten files.
func (s *source) check(r *rewritten) (failed []types.Error, err error) {
	files := token.NewFileSet()
	var parsed []*ast.File
	texts := maps.Clone(r.files)
	maps.Copy(texts, s.rest)
	texts[s.path(switchFile)] = fmt.Appendf(nil, switchDeclared, s.pkg.Name())
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		f, err := parser.ParseFile(files, path, texts[path], parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("the source with its mutants: %w", err)
		}
		parsed = append(parsed, f)
	}
	config := types.Config{Importer: s.known, GoVersion: s.version, Error: func(err error) {
		if e, ok := errors.AsType[types.Error](err); ok {
			failed = append(failed, e)
		}
	}}
	_, _ = config.Check(s.pkg.Path(), files, parsed, nil) // its error is the first of those
	return failed, nil
}

// at is the mutant that a place is in, nil for none.
func (r *rewritten) at(p token.Position) *Mutant {
	for _, s := range r.spans[p.Filename] {
		if s.first <= p.Line && p.Line <= s.last {
			return s.mutant
		}
	}
	return nil
}
