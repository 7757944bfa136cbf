package engine

import "github.com/adconform/adconform/suites/oracle"

// Checks are the judgements over a case and over several exchanges, beside
// those that the oracle makes on each response. Each can be disabled by id, so
// that the self-test can show that something slips through without it.
var Checks = []oracle.Check{
	{ID: "expected-status", Text: "The status is one that the case allows."},
	{ID: "related-field", Clauses: []string{"ERR-10"}, Text: "Where one field is wrong, an issue names it."},
	{ID: "identity", Text: "The representation has the id of the path."},
	{ID: "shows-sent", Text: "The representation shows each value that was sent."},
	{ID: "text-altered", Clauses: []string{"OPEN-6"}, Text: "A text does not come back trimmed or normalised."},
	{ID: "stays", Text: "What no request can change stays as it was first seen, or as the target file says."},
	{ID: "updated-at", Text: "updatedAt does not go backwards, nor before createdAt."},
	{ID: "date-form", Clauses: []string{"OPEN-2"}, Text: "All dates have one form."},
	{ID: "stale", Text: "A later answer does not show a value from before the last success."},
	{ID: "refused-write", Clauses: []string{"EFFECT-1"}, Text: "A value of a refused request never shows."},
	{ID: "other-object", Clauses: []string{"EFFECT-2"}, Text: "A value sent to one object never shows on another."},
	{ID: "delete-effect", Clauses: []string{"DELETE-3"}, Text: "A deleted creative answers 404, again and again."},
	{ID: "delete-other", Clauses: []string{"DELETE-4"}, Text: "No other creative goes with a deleted one."},
	{ID: "delete-listed", Clauses: []string{"DELETE-5"}, Text: "A deleted media file leaves its parent's list, and nothing else changes there."},
	{ID: "refused-delete", Clauses: []string{"EFFECT-1"}, Text: "A refused delete deletes nothing."},
	{ID: "list-members", Clauses: []string{"MEDIA-7"}, Text: "A list holds the media files that the target file names."},
	{ID: "list-total", Clauses: []string{"MEDIA-4"}, Text: "totalCount is the number of media files in the collection."},
	{ID: "list-walk", Clauses: []string{"MEDIA-4", "MEDIA-6", "MEDIA-8"}, Text: "The pages together are the collection, without repeats, and agree on its size."},
	{ID: "list-page", Clauses: []string{"MEDIA-5"}, Text: "page and the items both follow the page that was asked for."},
	{ID: "list-repeat", Clauses: []string{"MEDIA-9"}, Text: "Two reads with no write between show the same."},
	{ID: "transport", Clauses: []string{"HTTP-2"}, Text: "Each request gets one complete, readable response."},
	{ID: "framing", Clauses: []string{"HTTP-2"}, Text: "The bytes of a response on a raw connection are what HTTP allows."},
	{ID: "pinned", Clauses: []string{"PIN-1"}, Text: "An open point that the target file pins is as pinned."},
	{ID: "consistent", Clauses: []string{"OPEN-1"}, Text: "An open point is decided alike in every operation."},
	{ID: "concurrent-writers", Clauses: []string{"OPEN-7"}, Text: "Two writers on different fields both get their way."},
}
