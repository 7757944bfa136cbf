package doctor

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
)

// A rule stands in the paths of its hosts alone. Where hosts can be read, they tell what
// they belong to: a host is found under its own rule and profile, and under no others.

// parentKey is an object of a target file that is the parent of others.
type parentKey struct {
	kind string
	id   int64
}

// parentsOf are those of an object that an operation names, the nearest last.
func parentsOf(op *spec.Operation, l look) []parentKey {
	var all []parentKey
	for i, param := range op.Params[:len(op.Params)-1] {
		all = append(all, parentKey{fixtures.KindOf(param.Object), l.ids[i]})
	}
	return all
}

// read asks for the object of a look, perhaps under other parents.
func (p *preflight) read(op *spec.Operation, key string, ids []int64) *judge.Answer {
	path := make([]string, len(ids))
	for i, id := range ids {
		path[i] = strconv.FormatInt(id, 10)
	}
	return p.get(op, key, path, p.T.Known().Owner())
}

// ignores says which parents reads of an operation's objects do not look at, as one that
// was read is read under unknown ones, too; "" for none.
func (p *preflight) ignores(op *spec.Operation, l look) string {
	for i, param := range op.Params[:len(op.Params)-1] {
		ids := slices.Clone(l.ids)
		ids[i] = p.T.Known().UnknownObject(op).IDs[i]
		if a := p.read(op, l.Key, ids); a.OK && a.Shown != nil {
			return fixtures.KindOf(param.Object)
		}
	}
	return ""
}

// elsewhere is where an object that is not under its parents is found: under others;
// "" for nowhere.
func (p *preflight) elsewhere(op *spec.Operation, l look) string {
	for i, own := range parentsOf(op, l) {
		for _, n := range p.T.Known().Target.Named() {
			if n.Kind != own.kind || n.ID == own.id || n.Foreign() {
				continue
			}
			ids := slices.Clone(l.ids)
			ids[i] = n.ID
			if a := p.read(op, l.Key, ids); a.OK && a.Shown != nil {
				return fmt.Sprintf("belongs to %s %d, not to %s %d", n.Bare(), n.ID, own.kind, own.id)
			}
		}
	}
	return ""
}

// parents keeps what the answers to an operation's objects tell of their parents.
func (p *preflight) parents(op *spec.Operation, looks []look) {
	if len(op.Params) < 2 {
		return
	}
	ignored, asked := "", false
	for _, l := range looks {
		if l.Foreign() || !l.answer.OK || l.answer.Shown == nil {
			continue
		}
		if !asked {
			ignored, asked = p.ignores(op, l), true
		}
		for _, parent := range parentsOf(op, l) {
			if p.below[parent] == nil {
				p.below[parent] = &children{ignored: ignored}
			}
			p.below[parent].names = append(p.below[parent].names, fmt.Sprintf("%s %d", l.Bare(), l.ID))
		}
	}
}

// children are the objects that were read beneath another, and the kind of a parent that
// such reads do not look at.
type children struct {
	names   []string
	ignored string
}

// rules says of rules, which no operation reads, what their hosts showed.
func (p *preflight) rules() {
	for _, n := range p.T.Known().Target.Named() {
		if !n.Rule() {
			continue
		}
		switch hosts := p.below[parentKey{n.Kind, n.ID}]; {
		case hosts == nil:
			p.note(n.Key, n.ID, Unchecked, "no operation reads a rule, and no host beneath it was read")
		case hosts.ignored != "":
			p.note(n.Key, n.ID, Unchecked, "hosts are read under any %s, so reading does not tell whose they are", hosts.ignored)
		default:
			p.note(n.Key, n.ID, Fine, "%s is read under it, and not under others", hosts.names[0])
		}
	}
}

// absent notes an object that is answered 404.
func (p *preflight) absent(op *spec.Operation, l look, offered bool) {
	where := p.elsewhere(op, l)
	switch {
	case where != "":
		p.note(l.Key, l.ID, Wrong, "%s", where)
	case offered:
		p.note(l.Key, l.ID, Wrong, "is not there (%d)", http.StatusNotFound)
	default:
		p.unread(l)
	}
}
