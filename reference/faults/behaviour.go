package faults

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
)

// behaviour answers one exchange in place of the server.
type behaviour func(x *exchange) *answer

// condition says in which exchanges something happens.
type condition func(x *exchange) bool

// on narrows a behaviour to one operation.
func on(op string, b behaviour) behaviour { return when(of(op), b) }

// when does something where a condition holds, and nothing elsewhere.
func when(is condition, then behaviour) behaviour {
	return func(x *exchange) *answer {
		if is(x) {
			return then(x)
		}
		return x.forward()
	}
}

// In place of the server.

// refuse answers with an error, with the named fields as issues.
func refuse(status int, fields ...string) behaviour {
	return func(*exchange) *answer { return refusal(status, fields...) }
}

// crashes fails where a condition holds.
func crashes(is condition) behaviour { return when(is, refuse(http.StatusInternalServerError)) }

func noContent(*exchange) *answer {
	return &answer{status: http.StatusNoContent, header: http.Header{}}
}

// Before the server.

// says gives the server another body.
func says(body any) behaviour {
	return func(x *exchange) *answer { return x.send(x.saying(body)) }
}

// setting gives the server other fields, where the body is an object.
func setting(change func(x *exchange, fields object)) behaviour {
	return func(x *exchange) *answer { return x.send(x.alter(func(fields object) { change(x, fields) })) }
}

// naming names another object in the path.
func naming(ids func(x *exchange) []string) behaviour {
	return func(x *exchange) *answer { return x.send(x.to(ids(x)...)) }
}

// On hooks of the server.

// asOwner takes the user for the owner.
func asOwner(x *exchange) *answer {
	x.hooks.Authenticate = func(int64) int64 { return x.World.Users[0].ID }
	return x.forward()
}

// permitting lets the user have the object, and permitted carries out what was sent so.
func permitting(does behaviour) behaviour {
	return func(x *exchange) *answer {
		x.hooks.Permit = func(bool) bool { return true }
		return does(x)
	}
}

var permitted = permitting((*exchange).forward)

// knowing does something that uses x.before.
func knowing(does behaviour) behaviour {
	return func(x *exchange) *answer {
		x.hooks.Save = func(before []byte, _ any) { x.before, _ = decode(before).(object) }
		return does(x)
	}
}

// saves stores other fields of an update than the answer shows, knowing what the object held before.
func saves(change func(x *exchange, before object) object) behaviour {
	return func(x *exchange) *answer {
		x.hooks.Save = func(shown []byte, value any) {
			before, _ := decode(shown).(object)
			sent := encode(value)
			_ = json.Unmarshal(encode(change(x, before)), value) // what does not fit stays
			x.fired = x.fired || !bytes.Equal(sent, encode(value))
		}
		return x.forward()
	}
}

// stores changes what is stored of the fields that were sent.
func stores(change func(x *exchange, fields object)) behaviour {
	return saves(func(x *exchange, _ object) object {
		fields := x.fields()
		change(x, fields)
		return onlyFields(x.op, fields)
	})
}

// deletes deletes other creatives than the one that is named.
func deletes(ids func(x *exchange, c spec.Creative) []int64) behaviour {
	return func(x *exchange) *answer {
		x.hooks.Delete = func(c spec.Creative) []int64 {
			gone := ids(x, c)
			x.fired = x.fired || !slices.Equal(gone, []int64{c.ID})
			return gone
		}
		return x.forward()
	}
}

// After the server.

// answers changes the answer.
func answers(change func(x *exchange, a *answer)) behaviour {
	return func(x *exchange) *answer {
		a := x.forward()
		change(x, a)
		return a
	}
}

// rewrites changes the answer, whatever the request was.
func rewrites(change func(a *answer)) behaviour {
	return answers(func(_ *exchange, a *answer) { change(a) })
}

// replaces answers with another status and body.
func replaces(status int, body any) behaviour {
	return rewrites(func(a *answer) { a.replace(status, body) })
}

// inPlaceOf changes answers with a status, where a condition holds.
func inPlaceOf(status int, is condition, change func(x *exchange, a *answer)) behaviour {
	return answers(func(x *exchange, a *answer) {
		if a.status == status && is(x) {
			change(x, a)
		}
	})
}

// instead does something in place of an answer with a status, and made beside it, in secret.
func instead(status int, is condition, does behaviour) behaviour {
	return inPlaceOf(status, is, func(x *exchange, a *answer) { *a = *does(x) })
}

func made(status int, is condition, does behaviour) behaviour {
	return inPlaceOf(status, is, func(x *exchange, _ *answer) {
		shown := x.last
		does(x)
		x.last = shown
	})
}

// restates answers with another status, in the error shape, where the status is from.
func restates(from, to int, is condition) behaviour {
	return inPlaceOf(from, is, func(_ *exchange, a *answer) { a.replace(to, errorBody(to)) })
}

// shows changes the representation in a success; x.n is which one it is.
func shows(change func(x *exchange, data object)) behaviour {
	return func(x *exchange) *answer {
		return x.forward().shown(func(data object) {
			x.count()
			change(x, data)
		})
	}
}

// lists changes the page in a success; p.n is which request for a list it answers.
func lists(change func(p *page)) behaviour {
	return func(x *exchange) *answer {
		x.count()
		return x.forward().paged(func(p *page) {
			p.exchange = x
			change(p)
		})
	}
}

// Conditions.

func always(*exchange) bool { return true }

func all(conditions ...condition) condition {
	return func(x *exchange) bool {
		return !slices.ContainsFunc(conditions, func(is condition) bool { return !is(x) })
	}
}

func not(is condition) condition { return func(x *exchange) bool { return !is(x) } }

// nth is every n-th of the exchanges that come to it.
func nth(n int64) condition { return func(x *exchange) bool { return x.count()%n == 0 } }

// beyond is every exchange that comes to it after the first n.
func beyond(n int64) condition { return func(x *exchange) bool { return x.count() > n } }

func of(operation string) condition {
	return func(x *exchange) bool { return x.op != nil && x.op.ID == operation }
}

func byOwner(x *exchange) bool    { return x.key() == x.owner() }
func byStranger(x *exchange) bool { return x.key() == x.stranger() }
func noKey(x *exchange) bool      { return x.key() == "" }

// onMine is a request for the object that an operation is tried on.
func onMine(x *exchange) bool { return slices.Equal(x.ids, x.mine()) }

// onForeign is a request for the stranger's object.
func onForeign(x *exchange) bool { return x.lastID() == x.foreign()[len(x.ids)-1] }

// setsMine is an update of fields of the object of onMine by its owner.
func setsMine(x *exchange) bool { return byOwner(x) && onMine(x) && len(x.fields()) > 0 }

func asks(query string) condition { return func(x *exchange) bool { return x.query == query } }

// body is an owner's request with such a body.
func body(is func(body string) bool) condition {
	return func(x *exchange) bool { return byOwner(x) && is(string(x.body)) }
}

func bodyHas(part string) condition { return body(has(part)) }

func bodyIs(texts ...string) condition {
	return body(func(b string) bool { return slices.Contains(texts, b) })
}

// cutOff is a body that begins as an object and does not end.
var cutOff = body(func(b string) bool { return strings.HasPrefix(b, "{") && !strings.Contains(b, "}") })

// gives is an owner's request that gives a field such a value.
func gives(f *spec.Field, is func(v any) bool) condition {
	return func(x *exchange) bool {
		v, given := x.fields()[f.Name]
		return given && byOwner(x) && is(v)
	}
}
