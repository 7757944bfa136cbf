package mutants

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// generator collects the mutants of a source.
type generator struct {
	*source
	unit  *unit
	all   []*Mutant
	seen  map[edit]bool
	stack []ast.Node // from the unit's node down to the one that is looked at
}

// generate makes all mutants that the operators give, those that do not compile among
// them.
func generate(s *source) []*Mutant {
	g := &generator{source: s, seen: map[edit]bool{}}
	for _, f := range s.files {
		for _, u := range f.units {
			g.unit = u
			ast.Inspect(u.node(), func(n ast.Node) bool {
				if n == nil {
					g.stack = g.stack[:len(g.stack)-1]
					return true
				}
				g.look(n)
				g.stack = append(g.stack, n)
				return true
			})
		}
	}
	g.constants()
	return g.all
}

func (g *generator) look(n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		g.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			g.replace(Boolean, n, g.text(n.X))
		}
	case *ast.Ident:
		g.ident(n)
	case *ast.SelectorExpr:
		g.status(n)
	case *ast.BasicLit:
		g.literal(n)
	case *ast.IfStmt:
		g.condition(n.Cond)
		if set, ok := n.Init.(*ast.AssignStmt); ok && set.Tok != token.DEFINE {
			g.replace(Statement, set, "")
		}
	case *ast.ForStmt:
		if n.Cond != nil {
			g.condition(n.Cond)
		}
	case *ast.SwitchStmt:
		g.cases(n)
	case *ast.ReturnStmt:
		g.returned(n)
	case *ast.BlockStmt:
		g.statements(n.List)
	case *ast.CaseClause:
		g.statements(n.Body)
	case *ast.CommClause:
		g.statements(n.Body)
	case *ast.CompositeLit:
		g.elements(n)
	case *ast.CallExpr:
		g.arguments(n)
	case *ast.AssignStmt:
		if other := swapped[n.Tok]; other != "" && !g.isText(n.Lhs[0]) {
			g.add(Arithmetic, n, n.TokPos, n.TokPos+token.Pos(len(n.Tok.String())), other)
		}
	case *ast.IncDecStmt:
		g.add(Arithmetic, n, n.TokPos, n.TokPos+2, swapped[n.Tok])
	}
}

// add adds a mutant that replaces a part of the unit; of is the node whose lines show it.
func (g *generator) add(kind Kind, of ast.Node, from, to token.Pos, text string) {
	f := g.unit.file
	e := edit{g.unit, g.offset(from), g.offset(to), text}
	if g.seen[e] || string(f.text[e.from:e.to]) == text {
		return
	}
	g.seen[e] = true
	before, start := f.lines(e.from, e.to)
	after := before[:e.from-start] + text + before[e.to-start:]
	before, _, _ = strings.Cut(before, "\n") // of several lines the first is enough
	after, _, _ = strings.Cut(after, "\n")
	m := &Mutant{
		File: f.name, Function: g.unit.name, Kind: kind, Line: g.fset.Position(from).Line,
		Before: oneLine(before), After: oneLine(after), edits: []edit{e},
	}
	_, clause := of.(*ast.CaseClause)
	wholeLine := text == "" && strings.TrimSpace(before[:e.from-start]) == "" && e.to-start >= len(before)
	if _, statement := of.(ast.Stmt); clause || wholeLine || statement && kind == Statement || m.After == "" {
		m.After = Dropped
	}
	g.all = append(g.all, m)
}

func (g *generator) replace(kind Kind, n ast.Node, text string) {
	g.add(kind, n, n.Pos(), n.End(), text)
}

func (g *generator) text(n ast.Node) string { return g.textOf(g.unit.file, n) }

// swapped are the operators that stand for one another.
var swapped = map[token.Token]string{
	token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*", token.REM: "*",
	token.SHL: ">>", token.SHR: "<<", token.AND: "|", token.OR: "&", token.XOR: "&",
	token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+=", token.MUL_ASSIGN: "/=", token.QUO_ASSIGN: "*=",
	token.INC: "--", token.DEC: "++", token.LAND: "||", token.LOR: "&&",
}

var compared = map[token.Token][]string{
	token.EQL: {"!="}, token.NEQ: {"=="},
	token.LSS: {"<=", ">="}, token.LEQ: {"<", ">"}, token.GTR: {">=", "<="}, token.GEQ: {">", "<"},
}

func (g *generator) binary(n *ast.BinaryExpr) {
	op := func(kind Kind, text string) { g.add(kind, n, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), text) }
	for _, other := range compared[n.Op] {
		op(Comparison, other)
	}
	switch {
	case n.Op == token.LAND || n.Op == token.LOR:
		op(Boolean, swapped[n.Op])
		g.replace(Boolean, n, g.text(n.X))
		g.replace(Boolean, n, g.text(n.Y))
	case swapped[n.Op] != "" && !g.isText(n):
		op(Arithmetic, swapped[n.Op])
	}
}

func (g *generator) isText(e ast.Expr) bool {
	t := g.info.TypeOf(e)
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

func (g *generator) ident(n *ast.Ident) {
	switch c, isConst := g.info.Uses[n].(*types.Const); {
	case !isConst:
	case c.Parent() == types.Universe && n.Name == "true":
		g.replace(Boolean, n, "false")
	case c.Parent() == types.Universe && n.Name == "false":
		g.replace(Boolean, n, "true")
	case c.Pkg() == g.pkg:
		if others := g.sameType(c); len(others) > 1 {
			g.replace(Constant, n, others[(slices.Index(others, c.Name())+1)%len(others)])
		}
	}
}

// sameType are the constants of the package that have the same type as one of a type of
// the package, in the order in which they are declared.
func (g *generator) sameType(c *types.Const) (names []string) {
	if named, ok := c.Type().(*types.Named); !ok || named.Obj().Pkg() != g.pkg {
		return nil
	}
	var all []types.Object
	for _, name := range g.pkg.Scope().Names() {
		if other, ok := g.pkg.Scope().Lookup(name).(*types.Const); ok && types.Identical(other.Type(), c.Type()) {
			all = append(all, other)
		}
	}
	slices.SortFunc(all, func(a, b types.Object) int { return int(a.Pos() - b.Pos()) })
	for _, o := range all {
		names = append(names, o.Name())
	}
	return names
}

// otherStatus is what a status is taken for.
var otherStatus = map[string]string{
	"StatusOK": "StatusCreated", "StatusNoContent": "StatusOK", "StatusBadRequest": "StatusUnprocessableEntity",
	"StatusUnauthorized": "StatusForbidden", "StatusForbidden": "StatusNotFound", "StatusNotFound": "StatusUnprocessableEntity",
	"StatusUnprocessableEntity": "StatusBadRequest", "StatusInternalServerError": "StatusOK",
}

func (g *generator) status(n *ast.SelectorExpr) {
	c, ok := g.info.Uses[n.Sel].(*types.Const)
	if !ok || c.Pkg().Path() != "net/http" || !strings.HasPrefix(c.Name(), "Status") {
		return
	}
	if value, _ := constant.Int64Val(c.Val()); http.StatusText(int(value)) == "" {
		return
	}
	other := otherStatus[c.Name()]
	if other == "" {
		other = "StatusBadRequest"
	}
	g.replace(Status, n.Sel, other)
	if c.Name() != "StatusInternalServerError" {
		g.replace(Status, n.Sel, "StatusInternalServerError")
	}
}

func (g *generator) literal(n *ast.BasicLit) {
	for _, text := range otherLiterals(n) {
		kind := Constant
		if n.Kind == token.STRING {
			kind = Text
		}
		g.replace(kind, n, text)
	}
	if n.Kind == token.STRING && isSQL(n.Value) {
		for _, q := range otherQueries(n.Value) {
			g.add(SQL, n, n.Pos()+token.Pos(q.from), n.Pos()+token.Pos(q.to), q.text)
		}
	}
}

// otherLiterals are what an integer, character or string is changed to. A query has
// mutants of its own.
func otherLiterals(n *ast.BasicLit) []string {
	switch n.Kind {
	case token.INT:
		if i, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
			return []string{strconv.FormatInt(i+1, 10), strconv.FormatInt(i-1, 10)}
		}
	case token.CHAR:
		if r, _, _, err := strconv.UnquoteChar(n.Value[1:], '\''); err == nil {
			return []string{strconv.QuoteRune(r + 1)}
		}
	case token.STRING:
		s, err := strconv.Unquote(n.Value)
		switch {
		case err != nil || isSQL(n.Value):
		case s == "":
			return []string{`"x"`}
		default:
			return []string{`""`, strconv.Quote(s + "x")}
		}
	}
	return nil
}
