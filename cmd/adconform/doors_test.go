package main

import (
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	module   = "github.com/adconform/adconform/"
	internal = module + "internal/"
)

// promised lists the packages that importers may use.
var promised = []string{"fixtures", "reference", "spec", "suites", "suites/match", "suites/passive", "suites/report"}

// mostExported is how many functions and methods may be exported outside of internal.
const mostExported = 200

// What the promised packages export names no internal type: no signature, field, constant or variable does.
func TestPromisedPackagesNameNoInternalType(t *testing.T) {
	load := exportData(t)
	for _, path := range promised {
		exported := exportedBy(t, load, path)
		if len(exported) == 0 {
			t.Errorf("%s exports nothing", path)
		}
		for name, seen := range exported {
			for at := range seen.internal() {
				t.Errorf("%s.%s names %s", path, name, at)
			}
		}
	}
	// The rule notices an internal type behind a pointer in a slice.
	if plan := exportedBy(t, load, "suites/specs")["Plan"]; !plan.internal()[internal+"judge.Case"] {
		t.Error("a signature that names an internal type is not noticed")
	}
}

// exportData returns an importer of the module's packages, which reads what the compiler exported.
func exportData(t *testing.T) types.Importer {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "./...")
	list.Dir, list.Stderr = "../..", new(bytes.Buffer)
	text, err := list.Output()
	noError(t, err)
	files := map[string]string{}
	for line := range strings.Lines(string(text)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
}

// exportedBy returns what a package exports, by name.
func exportedBy(t *testing.T, load types.Importer, path string) map[string]namesIn {
	t.Helper()
	pkg, err := load.Import(module + path)
	noError(t, err)
	all := map[string]namesIn{}
	for _, name := range pkg.Scope().Names() {
		if token.IsExported(name) {
			all[name] = namesIn{}
			all[name].add(pkg.Scope().Lookup(name))
		}
	}
	return all
}

// namesIn are the types that an object shows to an importer.
type namesIn map[types.Type]bool

// add adds the types of an object, and if it is a type, of its methods, those that it embeds among them.
func (n namesIn) add(o types.Object) {
	if _, isType := o.(*types.TypeName); !isType {
		n.walk(o.Type())
		return
	}
	n.walk(types.Unalias(o.Type()))
	n.walk(o.Type().Underlying())
	methods := types.NewMethodSet(types.NewPointer(o.Type()))
	for method := range methods.Methods() {
		if method.Obj().Exported() {
			n.walk(method.Type())
		}
	}
}

func (n namesIn) walk(t types.Type) {
	if n[t] {
		return
	}
	n[t] = true
	switch t := t.(type) {
	case *types.Alias:
		n.walk(types.Unalias(t))
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			n.walk(arg)
		}
		if !t.Obj().Exported() {
			n.walk(t.Underlying())
		}
	case *types.Map:
		n.walk(t.Key())
		n.walk(t.Elem())
	case interface{ Elem() types.Type }:
		n.walk(t.Elem())
	case *types.Signature:
		n.walk(t.Params())
		n.walk(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			n.walk(v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				n.walk(f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			n.walk(m.Type())
		}
	}
}

// internal returns the names of the internal types.
func (n namesIn) internal() map[string]bool {
	all := map[string]bool{}
	for t := range n {
		if named, is := t.(*types.Named); is && named.Obj().Pkg() != nil && strings.HasPrefix(named.Obj().Pkg().Path(), internal) {
			all[named.String()] = true
		}
	}
	return all
}

// Few functions and methods are exported outside of internal; methods of types that are not exported count, too.
func TestFewFunctionsAreExported(t *testing.T) {
	exported := 0
	noError(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && (d.Name() == "internal" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		noError(t, err)
		for _, declared := range file.Decls {
			if f, is := declared.(*ast.FuncDecl); is && f.Name.IsExported() {
				exported++
			}
		}
		return nil
	}))
	if exported > mostExported || exported < len(promised) {
		t.Errorf("%d functions and methods are exported outside of internal, at most %d may be", exported, mostExported)
	}
}
