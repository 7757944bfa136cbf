package faults

import (
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// seenAliveFaults know nothing of an object that they showed elsewhere to be
// there: a part of the server has lost it, or never learned of it.
func seenAliveFaults(c *spec.Contract) []Fault {
	unknown := func(name, clause, sentence string, also []string, when func(x *exchange) bool) Fault {
		return Fault{
			ID: "alive/" + name, Clause: clause, Also: also, Sentence: sentence + ".",
			Wrap: each(func(x *exchange) *answer {
				if x.op != nil && slices.Contains([]string{x.owner(), x.stranger()}, x.key()) && when(x) {
					return refusal(http.StatusNotFound)
				}
				return x.forward()
			}),
		}
	}
	owner := func(when func(x *exchange) bool) func(x *exchange) bool {
		return func(x *exchange) bool { return x.byOwner() && when(x) }
	}
	of := func(op string, when func(x *exchange) bool) func(x *exchange) bool {
		return func(x *exchange) bool { return x.op.ID == op && when(x) }
	}
	mediaFile := func(x *exchange) bool {
		return slices.ContainsFunc(x.World.Creatives, func(c spec.Creative) bool {
			return c.ID == int64(atoi(x.lastID())) && c.ParentID != nil
		})
	}
	container := func(x *exchange) bool {
		for _, d := range x.World.Objects.DisposableVastCreatives {
			if d.ID == int64(atoi(x.lastID())) {
				return true
			}
		}
		return false
	}
	always := func(*exchange) bool { return true }
	also := []string{"AUTH-2", "EFFECT-1", "DELETE-4", "DELETE-5", "MEDIA-7"}
	all := []Fault{
		unknown("listed-file", "EFFECT-3", "A media file that is listed cannot be deleted: 404 for its owner", also, owner(of(creativeDelete, mediaFile))),
		unknown("listed-file-for-all", "EFFECT-3", "A media file that is listed cannot be deleted: 404 for everyone", also, of(creativeDelete, mediaFile)),
		unknown("list-of-deletable", "EFFECT-3", "The list of a container with media files is answered 404, its delete 204", also, owner(of(mediaFileList, container))),
		unknown("list-of-deletable-for-all", "EFFECT-3", "The list of a container with media files is answered 404 for everyone, its delete 204", also, of(mediaFileList, container)),
		unknown("lists", "EFFECT-3", "Every list is answered 404, whoever asks with a key", also, of(mediaFileList, always)),
		unknown("lists-of-owner", "EFFECT-3", "Every list is answered 404 to its owner", also, owner(of(mediaFileList, always))),
		unknown("profile-of-host", "EFFECT-3", "A profile whose hosts can be updated is answered 404", also, of(profileUpdate, func(x *exchange) bool { return x.onMine() })),
		unknown("campaign-for-owner", "EFFECT-3", "A campaign that the stranger is forbidden is answered 404 to its owner", also, owner(of(campaignUpdate, always))),
		unknown("host-for-owner", "EFFECT-3", "A host that the stranger is forbidden is answered 404 to its owner", also, owner(of(hostUpdate, always))),
	}
	for _, op := range c.Operations {
		if !op.Updates() {
			continue
		}
		all = append(all, Fault{
			ID: "alive/lost-after-use/" + op.ID, Clause: "EFFECT-3", Also: append(also, op.Effects["persists"]), Sentence: "An object that was updated is unknown from the 20th update on.",
			Wrap: fresh(func() behaviour {
				var seen counter
				return on(op.ID, func(x *exchange) *answer {
					if x.byOwner() && x.onMine() && seen.next() > 20 {
						return refusal(http.StatusNotFound)
					}
					return x.forward()
				})
			}),
		})
	}
	return all
}

// missingFirstVariants look for the object before they look at the key: without
// one, what does not exist is answered 404.
func missingFirstVariants() []Variant {
	known := func(x *exchange) bool {
		return slices.ContainsFunc(x.World.Users, func(u fixtures.User) bool { return u.Key == x.key() })
	}
	first := func(id, sentence string, when func(x *exchange) bool) Variant {
		return Variant{ID: "auth/" + id, Sentence: sentence + ".", Open: []string{"error-precedence"}, Wrap: each(func(x *exchange) *answer {
			if x.op == nil || known(x) || !when(x) {
				return x.forward()
			}
			other := x.stranger() // who may not have it is told whether it is there
			if x.onForeign() {
				other = x.owner()
			}
			if a := x.peek(x.request.with(x.as(other))); a.status == http.StatusNotFound {
				return a
			}
			return x.forward()
		})}
	}
	return []Variant{
		first("missing-before-key", "Without a key, what does not exist is answered 404", func(*exchange) bool { return true }),
		first("missing-creative-before-key", "Without a key, a creative that does not exist is answered 404", func(x *exchange) bool {
			return strings.HasPrefix(x.op.Path, "/creatives/")
		}),
		first("missing-before-unknown-key", "With a key that nobody has, what does not exist is answered 404", func(x *exchange) bool { return x.key() != "" }),
	}
}
