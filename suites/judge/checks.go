package judge

import "github.com/adconform/adconform/suites/oracle"

// Checks are the judgements over a case and over several exchanges, beside
// those that the oracle makes on each response. Each can be disabled by id, so
// that the self-test can show that something slips through without it.
var Checks = []oracle.Check{
	{
		ID: "expected-status",
		Clauses: []string{
			"AUTH-1", "AUTH-2", "AUTH-3", "AUTH-4", "ERR-1", "ERR-2", "ERR-3", "ERR-4", "ERR-5", "EFFECT-3",
			"PROFILE-1", "HOST-1", "CAMPAIGN-1", "DELETE-1", "DELETE-3", "DELETE-6", "MEDIA-1", "HTTP-4",
		},
		Text: "The status is one that the case allows.",
	},
	{
		ID:      "not-refused",
		Clauses: []string{"AUTH-1", "AUTH-2", "AUTH-3", "ERR-1", "ERR-2", "ERR-3", "ERR-4", "ERR-5", "DELETE-3", "DELETE-6"},
		Text:    "What has to be refused is not carried out: no 2xx where the case allows errors only.",
	},
	{ID: "related-field", Clauses: []string{"ERR-10"}, Text: "Where one field is wrong, an issue names it."},
	{ID: "identity", Clauses: []string{"PROFILE-2", "HOST-2", "CAMPAIGN-2"}, Text: "The representation has the id of the path."},
	{
		ID:      "shows-sent",
		Clauses: []string{"PROFILE-3", "HOST-3", "CAMPAIGN-3", "ERR-4"},
		Text:    "The representation shows each value that was sent.",
	},
	{ID: "text-altered", Clauses: []string{"OPEN-6"}, Text: "A text does not come back trimmed, folded or normalised."},
	{ID: "beyond-document", Clauses: []string{"OPEN-8"}, Text: "A body is taken only in the form that the document describes."},
	{
		ID:      "stays",
		Clauses: []string{"PROFILE-11", "HOST-10", "CAMPAIGN-13"},
		Text:    "What no request can change stays as it was first seen, or as the target file says.",
	},
	{
		ID:      "updated-at",
		Clauses: []string{"PROFILE-12", "HOST-11", "CAMPAIGN-14"},
		Text: "updatedAt is the date of the update: close to the Date of the answer, never earlier than before, " +
			"and still there where the object is shown again.",
	},
	{ID: "date-form", Clauses: []string{"OPEN-2"}, Text: "All dates have one form."},
	{
		ID:      "stale",
		Clauses: []string{"PROFILE-4", "HOST-4", "CAMPAIGN-4"},
		Text:    "A later answer does not show a value from before the last success.",
	},
	{ID: "refused-write", Clauses: []string{"EFFECT-1"}, Text: "A value of a refused request never shows."},
	{ID: "other-object", Clauses: []string{"EFFECT-2"}, Text: "A value sent to one object never shows on another."},
	{ID: "delete-effect", Clauses: []string{"DELETE-3"}, Text: "A deleted creative answers 404, again and again."},
	{ID: "delete-other", Clauses: []string{"DELETE-4"}, Text: "No other creative goes with a deleted one."},
	{
		ID:      "delete-listed",
		Clauses: []string{"DELETE-3", "DELETE-5"},
		Text:    "A deleted media file leaves its parent's list, and nothing else changes there.",
	},
	{ID: "refused-delete", Clauses: []string{"EFFECT-1"}, Text: "A refused delete deletes nothing."},
	{ID: "list-members", Clauses: []string{"MEDIA-7"}, Text: "A list holds the media files that the target file names."},
	{ID: "list-total", Clauses: []string{"MEDIA-4"}, Text: "totalCount is the number of media files in the collection."},
	{
		ID:      "list-walk",
		Clauses: []string{"MEDIA-4", "MEDIA-6", "MEDIA-8"},
		Text:    "The pages together are the collection, without repeats, and agree on its size.",
	},
	{ID: "list-page", Clauses: []string{"MEDIA-5"}, Text: "page and the items both follow the page that was asked for."},
	{ID: "list-repeat", Clauses: []string{"MEDIA-9"}, Text: "Two reads with no write between show the same."},
	{ID: "transport", Clauses: []string{"HTTP-2"}, Text: "Each request gets one complete, readable response."},
	{ID: "framing", Clauses: []string{"HTTP-2"}, Text: "The bytes of a response on a raw connection are what HTTP allows."},
	{ID: "pinned", Clauses: []string{"PIN-1"}, Text: "An open point that the target file pins is as pinned."},
	{ID: "consistent", Clauses: []string{"OPEN-1"}, Text: "An open point is decided alike in every operation."},
	{ID: "concurrent-writers", Clauses: []string{"OPEN-7"}, Text: "Two writers on different fields both get their way."},
}
