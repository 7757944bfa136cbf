package mutants

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// condition is that of an if, a for or a case without a tag. What it uses stays used,
// so that the mutant compiles.
func (g *generator) condition(cond ast.Expr) {
	text := g.text(cond)
	comparison, isComparison := cond.(*ast.BinaryExpr)
	isComparison = isComparison && compared[comparison.Op] != nil
	never := Condition
	if isComparison && comparison.Op == token.NEQ && g.isError(comparison.X) {
		never = Error
	}
	unary, _ := cond.(*ast.UnaryExpr)
	if !isComparison && (unary == nil || unary.Op != token.NOT) { // these have mutants of their own that negate
		g.replace(Condition, cond, "!("+text+")")
	}
	g.replace(Condition, cond, "true || ("+text+")")
	g.replace(never, cond, "false && ("+text+")")
}

func (g *generator) isError(e ast.Expr) bool {
	t := g.info.TypeOf(e)
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

// cases are conditions where the switch has no tag; else one after the other is left out.
func (g *generator) cases(n *ast.SwitchStmt) {
	for i, s := range n.Body.List {
		clause := s.(*ast.CaseClause)
		switch {
		case clause.List == nil: // default
		case n.Tag == nil:
			for _, cond := range clause.List {
				g.condition(cond)
			}
		case len(clause.List) > 1:
			for j, e := range clause.List {
				from, to := e.Pos(), e.End()
				if j > 0 {
					from = clause.List[j-1].End()
				} else {
					to = clause.List[1].Pos()
				}
				g.add(Condition, e, from, to, "")
			}
		case len(n.Body.List) > 1:
			to := n.Body.Rbrace
			if i+1 < len(n.Body.List) {
				to = n.Body.List[i+1].Pos()
			}
			g.add(Condition, clause, clause.Pos(), to, "")
		}
	}
}

// returned drops the error that is returned.
func (g *generator) returned(n *ast.ReturnStmt) {
	if len(n.Results) == 0 {
		return
	}
	last := n.Results[len(n.Results)-1]
	if name, ok := last.(*ast.Ident); ok && name.Name == "nil" {
		return
	}
	if results := g.signature().Results(); results.Len() == len(n.Results) &&
		types.Identical(results.At(results.Len()-1).Type(), types.Universe.Lookup("error").Type()) {
		g.replace(Error, last, "nil")
	}
}

// signature is that of the innermost function.
func (g *generator) signature() *types.Signature {
	for _, n := range slices.Backward(g.stack) {
		if inner, ok := n.(*ast.FuncLit); ok {
			return g.info.TypeOf(inner).(*types.Signature)
		}
	}
	return g.unit.signature
}

// statements are left out one at a time. What they use stays used.
func (g *generator) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt, *ast.BranchStmt, *ast.SendStmt:
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.ReturnStmt:
			if len(s.Results) > 0 {
				continue
			}
		default:
			continue
		}
		g.replace(Statement, s, "if false { "+g.text(s)+" }")
	}
}

// elements of a literal are left out one at a time, where the rest keeps its meaning.
func (g *generator) elements(n *ast.CompositeLit) {
	t := g.info.TypeOf(n).Underlying()
	if p, ok := t.(*types.Pointer); ok { // of an element without its type
		t = p.Elem().Underlying()
	}
	_, isStruct := t.(*types.Struct)
	for i, e := range n.Elts {
		if _, keyed := e.(*ast.KeyValueExpr); isStruct && !keyed {
			return
		}
		to := e.End()
		if i+1 < len(n.Elts) {
			to = n.Elts[i+1].Pos()
		} else if rest := string(g.unit.file.text[g.offset(to):g.offset(n.Rbrace)]); strings.HasPrefix(rest, ",") {
			to++
		}
		g.add(Element, e, e.Pos(), to, "")
	}
}

// arguments of the same type are exchanged, each with the next one.
func (g *generator) arguments(n *ast.CallExpr) {
	if tv := g.info.Types[n.Fun]; tv.IsType() {
		return
	}
	for i, a := range n.Args {
		for _, b := range n.Args[i+1:] {
			if types.Identical(g.argumentType(a), g.argumentType(b)) {
				f := g.unit.file
				between := string(f.text[g.offset(a.End()):g.offset(b.Pos())])
				if first, second := g.text(a), g.text(b); first != second {
					g.add(Argument, n, a.Pos(), b.End(), second+between+first)
				}
				break
			}
		}
	}
}

func (g *generator) argumentType(e ast.Expr) types.Type {
	t := g.info.TypeOf(e)
	if t == nil {
		return types.Typ[types.Invalid]
	}
	return types.Default(t)
}
