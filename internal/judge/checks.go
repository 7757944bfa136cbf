package judge

import (
	"cmp"

	"github.com/adconform/adconform/internal/oracle"
)

// A Check is a row of the checks over several exchanges.
type Check = oracle.Check

// Checks are all checks except those of the oracle on a single response.
var Checks []Check

// row adds a check: its requirement, and the clauses that it can find broken.
func row(id string, traits oracle.Trait, text string, clauses ...string) *Check {
	c := Check{ID: id, Traits: traits, Text: text, Clauses: clauses}
	Checks = append(Checks, c)
	return &c
}

const (
	none    = oracle.Trait(0)
	bySent  = oracle.BySent
	writes  = oracle.Writes
	deletes = oracle.Deletes
)

// serverError is the check of the oracle that no answer is a failure.
const serverError = "server-error"

// checkOf returns the row of a check, including those of the oracle.
func checkOf(id string) *Check {
	for i := range Checks {
		if Checks[i].ID == id {
			return &Checks[i]
		}
	}
	return cmp.Or(oracle.Row(id), CheckSpec)
}

// The checks, in the order in which they are listed.
var (
	CheckExpectedStatus = row("expected-status", bySent, "The status is one that the case allows.",
		"AUTH-1", "AUTH-2", "AUTH-3", "AUTH-4", "ERR-1", "ERR-2", "ERR-3", "ERR-4", "ERR-5",
		"EFFECT-3", "PROFILE-1", "HOST-1", "CAMPAIGN-1", "DELETE-1", "DELETE-3", "DELETE-6", "MEDIA-1", "HTTP-4")
	CheckNotRefused = row("not-refused", bySent,
		"A request that must be refused is not carried out: it is not answered 2xx.",
		"AUTH-1", "AUTH-2", "AUTH-3", "ERR-1", "ERR-2", "ERR-3", "ERR-4", "ERR-5", "DELETE-3", "DELETE-6")
	CheckRelatedField = row("related-field", bySent,
		"If one field is wrong, an issue names it, and no issue names something that is not in the request.",
		"ERR-10", "OPEN-10")
	CheckForeignIssue = row("foreign-issue", none, "An error contains no issue of another request.",
		"ERR-8")
	CheckRefusalHeader = row("refusal-header", none, "A 401 has the header WWW-Authenticate, a 405 has Allow.",
		"OPEN-11", "OPEN-12")
	CheckIdentity = row("identity", none, "The representation has the id of the path.",
		"PROFILE-2", "HOST-2", "CAMPAIGN-2")
	CheckShowsSent = row("shows-sent", bySent|writes, "The representation shows each value that was sent.",
		"PROFILE-3", "HOST-3", "CAMPAIGN-3", "ERR-4")
	CheckTextAltered = row("text-altered", bySent, "A text does not come back trimmed, folded or normalised.",
		"OPEN-6")
	CheckBeyondDocument = row("beyond-document", bySent,
		"A body is accepted only in the form that the document describes.",
		"OPEN-8")
	CheckStays = row("stays", none,
		"A value that no request can change stays as it was first seen, or as the target file gives it.",
		"PROFILE-11", "HOST-10", "CAMPAIGN-13")
	CheckUpdatedAt = row("updated-at", none,
		"updatedAt is the date of the update: close to the Date of the answer, never earlier than before, "+
			"and unchanged when the object is shown again.",
		"PROFILE-12", "HOST-11", "CAMPAIGN-14")
	CheckDateForm = row("date-form", none, "All dates have one format.",
		"OPEN-2")
	CheckStale = row("stale", bySent|writes, "A later answer does not show a value from before the last success.",
		"PROFILE-4", "HOST-4", "CAMPAIGN-4")
	CheckRefusedWrite = row("refused-write", bySent|writes, "The effect of a refused request never shows.",
		"EFFECT-1")
	CheckOtherObject = row("other-object", writes, "A value sent to one object never shows on another.",
		"EFFECT-2")
	CheckDeleteEffect = row("delete-effect", deletes, "A request for a deleted creative is answered 404, every time.",
		"DELETE-3")
	CheckDeleteOther = row("delete-other", deletes, "A delete removes no other creative.",
		"DELETE-4")
	CheckDeleteListed = row("delete-listed", deletes,
		"A deleted media file leaves its parent's list, and nothing else changes there.",
		"DELETE-3", "DELETE-5")
	CheckRefusedDelete = row("refused-delete", bySent|deletes, "A refused delete deletes nothing.",
		"EFFECT-1")
	CheckListMembers = row("list-members", deletes, "A list holds the media files that the target file names.",
		"MEDIA-7")
	CheckListTotal = row("list-total", deletes, "totalCount is the number of media files in the collection.",
		"MEDIA-4")
	CheckListWalk = row("list-walk", none,
		"The pages together are the collection, without repeats, and agree on its size.",
		"MEDIA-4", "MEDIA-6", "MEDIA-8")
	CheckListPage = row("list-page", none, "page and the items are both those of the requested page.",
		"MEDIA-5")
	CheckListRepeat = row("list-repeat", deletes, "Two reads without a write between them show the same.",
		"MEDIA-9")
	CheckTransport = row("transport", none, "Each request gets one complete, readable response.",
		"HTTP-2")
	CheckFraming = row("framing", none, "The bytes of a response on a raw connection are well-formed HTTP.",
		"HTTP-2")
	CheckPinned = row("pinned", none, "At an open point that the target file pins, the target chooses as pinned.",
		"PIN-1")
	CheckConsistent = row("consistent", none, "At an open point, every operation makes the same choice.",
		"OPEN-1")
	CheckConcurrentWriters = row("concurrent-writers", writes,
		"Two concurrent updates of different fields are both kept.",
		"OPEN-7")
	CheckReadDelay = row("read-delay", none, "A read shows at once what an update or a delete did.",
		"OPEN-13")
	CheckSpec = &Check{ID: "spec"} // for a matcher that is not about an answer
)
