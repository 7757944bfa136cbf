package mutants

import (
	"go/ast"
	"go/token"
	"go/types"
)

// constants mutates those of the package. A constant cannot hang on a switch, so its
// other value stands wherever it is used.
func (g *generator) constants() {
	for _, f := range g.files {
		for _, d := range f.decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				v := spec.(*ast.ValueSpec)
				for i, value := range v.Values {
					g.constant(f, v.Names[i], value)
				}
			}
		}
	}
}

func (g *generator) constant(f *file, name *ast.Ident, value ast.Expr) {
	c := g.info.Defs[name].(*types.Const)
	uses := g.usesOf(c)
	if len(uses) == 0 {
		return // outside of this package, or in another constant
	}
	ast.Inspect(value, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok {
			return true
		}
		for _, text := range otherLiterals(literal) {
			start, from, to := g.offset(value.Pos()), g.offset(literal.Pos()), g.offset(literal.End())
			other := string(f.text[start:from]) + text + string(f.text[to:g.offset(value.End())])
			kind := Constant
			if literal.Kind == token.STRING {
				kind = Text
			}
			before, begin := f.lines(from, to)
			m := &Mutant{
				File: f.name, Function: c.Name(), Kind: kind, Line: g.fset.Position(literal.Pos()).Line,
				Before: oneLine(before), After: oneLine(before[:from-begin] + text + before[to-begin:]),
			}
			for _, use := range uses {
				m.edits = append(m.edits, edit{use.in, use.from, use.to, g.converted(c, other)})
			}
			g.all = append(g.all, m)
		}
		return true
	})
}

// converted is a value with the type of the constant.
func (g *generator) converted(c *types.Const, text string) string {
	if named, ok := c.Type().(*types.Named); ok && named.Obj().Pkg() == g.pkg {
		return named.Obj().Name() + "(" + text + ")"
	}
	return "(" + text + ")"
}

// usesOf are the places where a constant stands.
func (g *generator) usesOf(c *types.Const) (uses []edit) {
	for _, f := range g.files {
		for _, u := range f.units {
			ast.Inspect(u.node(), func(n ast.Node) bool {
				if name, ok := n.(*ast.Ident); ok && g.info.Uses[name] == c {
					uses = append(uses, edit{u, g.offset(name.Pos()), g.offset(name.End()), ""})
				}
				return true
			})
		}
	}
	return uses
}
