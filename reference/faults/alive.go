package faults

import (
	"slices"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

const unseen = "EFFECT-3 AUTH-2 EFFECT-1 DELETE-4 DELETE-5 MEDIA-7"

// unknownHere know nothing of an object that they showed elsewhere to be there: a part
// of the server has lost it, or never learned of it.
func unknownHere(*spec.Contract) []row {
	unknown := func(name, sentence string, is ...condition) row {
		user := func(x *exchange) bool { return x.op != nil && (byOwner(x) || byStranger(x)) }
		return fault(name, unseen, sentence, when(all(append([]condition{user}, is...)...), refuse(404)))
	}
	mediaFile := func(x *exchange) bool {
		return slices.ContainsFunc(x.World.Creatives, func(c spec.Creative) bool {
			return c.ID == int64(atoi(x.lastID())) && c.ParentID != nil
		})
	}
	container := func(x *exchange) bool {
		return slices.ContainsFunc(x.World.Objects.DisposableVastCreatives, func(o fixtures.Container) bool {
			return o.ID == int64(atoi(x.lastID()))
		})
	}
	deletes, lists := of(creativeDelete), of(mediaFileList)
	return []row{
		unknown("listed-file", "A media file that is listed cannot be deleted: 404 for its owner", byOwner, deletes, mediaFile),
		unknown("listed-file-for-all", "A media file that is listed cannot be deleted: 404 for everyone", deletes, mediaFile),
		unknown("list-of-deletable", "The list of a container with media files is answered 404, its delete 204", byOwner, lists, container),
		unknown("list-of-deletable-for-all", "The list of a container with media files is answered 404 for everyone, its delete 204",
			lists, container),
		unknown("lists", "Every list is answered 404, whoever asks with a key", lists),
		unknown("lists-of-owner", "Every list is answered 404 to its owner", byOwner, lists),
		unknown("profile-of-host", "A profile whose hosts can be updated is answered 404", of(profileUpdate), onMine),
		unknown("campaign-for-owner", "A campaign that the stranger is forbidden is answered 404 to its owner", byOwner, of(campaignUpdate)),
		unknown("host-for-owner", "A host that the stranger is forbidden is answered 404 to its owner", byOwner, of(hostUpdate)),
	}
}

// lostAfterUse are objects that many updates have shown to be there.
func lostAfterUse(c *spec.Contract) []row {
	var rows []row
	for _, op := range c.Operations {
		if op.Updates() {
			rows = append(rows, fault("lost-after-use/"+op.ID, unseen+" "+op.Effects["persists"],
				"An object that was updated is unknown from the 20th update on",
				on(op.ID, when(all(byOwner, onMine, beyond(20)), refuse(404)))))
		}
	}
	return rows
}

// forgotten are objects that are gone and that nobody deleted.
func forgotten(op *spec.Operation) []row {
	if op.Deletes() {
		return nil
	}
	gone := func(name, sentence string, is condition) row {
		return fault(name, "EFFECT-3 DELETE-4 operation", sentence, when(all(byOwner, onMine, is), refuse(404)))
	}
	return []row{
		gone("gone-after-five", "after five requests the object is not found any more", beyond(5)),
		gone("gone-now-and-then", "every fourth time the object is not found", nth(4)),
	}
}
