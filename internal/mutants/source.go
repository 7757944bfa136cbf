package mutants

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// source is a package as it is, parsed and checked.
type source struct {
	dir     string // of the package
	files   []*file
	info    *types.Info
	pkg     *types.Package
	fset    *token.FileSet
	known   imported
	version string            // of the language
	rest    map[string][]byte // by path: files of which no mutants are made
}

// file is a file of which mutants are made.
type file struct {
	name  string
	text  []byte
	decls []ast.Decl
	units []*unit
}

// unit is what is mutated as a whole: a function, or the value of a variable of the
// package.
type unit struct {
	file    *file
	name    string         // Type.method, function, or variable
	body    *ast.BlockStmt // of a function
	results string         // of a function, as written
	value   ast.Expr       // of a variable

	signature *types.Signature // of a function
}

func (u *unit) node() ast.Node {
	if u.body != nil {
		return u.body
	}
	return u.value
}

// load parses and checks the package of a folder of a module.
func load(root, folder string) (*packages.Package, error) {
	const mode = packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
		packages.NeedImports | packages.NeedCompiledGoFiles | packages.NeedModule
	all, err := packages.Load(&packages.Config{Mode: mode, Dir: root}, "./"+folder)
	if err == nil && len(all[0].Errors) > 0 {
		err = fmt.Errorf("mutants are made of source that compiles: %w", all[0].Errors[0])
	}
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// imported are the packages that a package uses, by path.
type imported map[string]*packages.Package

// Import implements types.Importer.
func (all imported) Import(path string) (*types.Package, error) {
	if p := all[path]; p != nil {
		return p.Types, nil
	}
	return nil, fmt.Errorf("package %s is not loaded", path)
}

// read reads the package of a folder. Of files that are left out there are no mutants.
func read(root, folder string, leftOut []string) (*source, error) {
	pkg, err := load(root, folder)
	if err != nil {
		return nil, err
	}
	s := &source{
		dir: filepath.Join(root, folder), info: pkg.TypesInfo, pkg: pkg.Types, fset: pkg.Fset, known: imported(pkg.Imports),
		rest: map[string][]byte{},
	}
	if pkg.Module != nil {
		s.version = "go" + pkg.Module.GoVersion
	}
	for i, parsed := range pkg.Syntax {
		path := pkg.CompiledGoFiles[i]
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f := &file{name: filepath.Base(path), text: text, decls: parsed.Decls}
		if slices.Contains(leftOut, f.name) {
			s.rest[path] = text
			continue
		}
		for _, d := range parsed.Decls {
			f.units = append(f.units, s.unitsOf(f, d)...)
		}
		s.files = append(s.files, f)
	}
	if len(s.files) == 0 {
		return nil, errors.New("no file of which mutants could be made")
	}
	return s, nil
}

func (s *source) unitsOf(f *file, d ast.Decl) (all []*unit) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body == nil {
			return nil
		}
		u := &unit{file: f, name: functionName(d), body: d.Body, signature: s.info.Defs[d.Name].Type().(*types.Signature)}
		if d.Type.Results != nil {
			u.results = s.textOf(f, d.Type.Results)
		}
		return []*unit{u}
	case *ast.GenDecl:
		if d.Tok != token.VAR {
			return nil
		}
		for _, spec := range d.Specs {
			v := spec.(*ast.ValueSpec)
			for i, value := range v.Values {
				if len(v.Values) == len(v.Names) {
					all = append(all, &unit{file: f, name: v.Names[i].Name, value: value})
				}
			}
		}
	}
	return all
}

func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if generic, ok := t.(*ast.IndexExpr); ok {
		t = generic.X
	}
	return t.(*ast.Ident).Name + "." + d.Name.Name
}

func (s *source) offset(p token.Pos) int { return s.fset.Position(p).Offset }

func (s *source) textOf(f *file, n ast.Node) string {
	return string(f.text[s.offset(n.Pos()):s.offset(n.End())])
}

func (s *source) path(name string) string { return filepath.Join(s.dir, name) }

// lines are the whole lines of a part of a file, and where they begin.
func (f *file) lines(from, to int) (text string, start int) {
	start = bytes.LastIndexByte(f.text[:from], '\n') + 1
	end := len(f.text)
	if n := bytes.IndexByte(f.text[to:], '\n'); n >= 0 {
		end = to + n
	}
	return string(f.text[start:end]), start
}

// oneLine folds white space, so that a mutant keeps its name when lines are moved in.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
