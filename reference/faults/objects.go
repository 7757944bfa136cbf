package faults

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// mine is the path of the owner's object that an operation is tried on, in the
// lane of the exchange.
func (x *exchange) mine(op *spec.Operation) []string { return named(x.lane(), op, "") }

// other is the path of another object of the owner's, in another place than mine.
func (x *exchange) other(op *spec.Operation) []string { return named(x.lane(), op, "other") }

// sibling is the path of an object beside mine, where the world has one, else other.
func (x *exchange) sibling(op *spec.Operation) []string { return sibling(x.lane(), op) }

func sibling(o *fixtures.Objects, op *spec.Operation) []string {
	if ids := named(o, op, "sibling"); ids != nil {
		return ids
	}
	return named(o, op, "other")
}

// lane is the set of objects that the path of the exchange begins in: the first,
// where it begins in none.
func (x *exchange) lane() *fixtures.Objects {
	lanes := x.lanes()
	for _, o := range lanes {
		for _, prefix := range []string{"", "other"} {
			if ids := named(o, x.op, prefix); ids != nil && len(x.ids) > 0 && ids[0] == x.ids[0] {
				return o
			}
		}
	}
	return lanes[0]
}

// lanes are the sets of the owner's objects.
func (env *Env) lanes() []*fixtures.Objects {
	all := []*fixtures.Objects{&env.World.Objects}
	for i := range env.World.Lanes {
		all = append(all, &env.World.Lanes[i])
	}
	return all
}

// foreign is the path of the stranger's object.
func (env *Env) foreign(op *spec.Operation) []string {
	var ids []string
	for _, p := range op.Params {
		key := p.Object
		if op.Deletes() {
			key = "creative"
		}
		ids = append(ids, itoa(int(env.World.Foreign.ByKey(key))))
	}
	return ids
}

// named is a path whose object stands under the operation's key, with a prefix;
// nil where the world has none.
func named(o *fixtures.Objects, op *spec.Operation, prefix string) []string {
	var ids []string
	for i, p := range op.Params {
		key := p.Object
		if prefix != "" && (i == len(op.Params)-1 || prefix == "other" && i > 0) {
			key = prefix + strings.ToUpper(key[:1]) + key[1:]
		}
		found := o.ByKey(key)
		if len(found) == 0 {
			return nil
		}
		ids = append(ids, itoa(int(found[0].ID)))
	}
	return ids
}

// onMine says whether the exchange names the object of mine.
func (x *exchange) onMine() bool { return slices.Equal(x.ids, x.mine(x.op)) }

// onForeign says whether the exchange names the stranger's object.
func (x *exchange) onForeign() bool {
	return x.ids[len(x.ids)-1] == x.foreign(x.op)[len(x.ids)-1]
}

// holder is the key of the user whose object the exchange names.
func (x *exchange) holder() string {
	if x.onForeign() {
		return x.stranger()
	}
	return x.owner()
}

// asHolder sends the request as the user whose object it names.
func (x *exchange) asHolder(changes ...func(*request)) request {
	return x.request.with(append([]func(*request){x.as(x.holder())}, changes...)...)
}

// current is what the object at a path of the exchange's operation holds, as
// {} shows it.
func (x *exchange) current(ids ...string) map[string]any {
	a := x.peek(x.asHolder(to(x.at(x.op, ids...)), saying([]byte("{}")), func(r *request) {
		r.query = ""
		r.header.Set("Content-Type", "application/json")
	}))
	return a.data()
}

// last is the id of the object that the exchange names.
func (x *exchange) lastID() string { return x.ids[len(x.ids)-1] }

// updates are the contract's operations that change an object, and so on.
func updates(c *spec.Contract) []*spec.Operation {
	return selected(c, (*spec.Operation).Updates)
}

func selected(c *spec.Contract, is func(*spec.Operation) bool) []*spec.Operation {
	var all []*spec.Operation
	for _, op := range c.Operations {
		if is(op) {
			all = append(all, op)
		}
	}
	return all
}

// operation ids that faults by hand name.
const (
	profileUpdate  = "updateConnectionProfile"
	hostUpdate     = "updateConnectionProfileRuleHost"
	campaignUpdate = "updateCampaign"
	creativeDelete = "deleteCreative"
	mediaFileList  = "listCreativeMediaFiles"
)
