package finding

import (
	"regexp"
	"strings"
)

// former has earlier sentences of causes, each with the present one, as entries of a baseline name causes by their
// sentence.
var former = []string{
	"a request, also an ordinary one,", string(AlsoOrdinary),
	"a request that has to be refused", string(MustBeRefused),
	"fails now and then with", "fails intermittently with",
	", and not each time that the same is sent", "",
	", which the operation does not have", ", a status that the operation does not declare",
	"the server hangs from a request on: it takes connections and answers nothing more", table[Hangs].sentence,
	"an issue names what is no part of the request", table[NamesNothing].sentence,
	"a refusal lacks a header that HTTP wants", table["refusal-header"].sentence,
	"the answer is not as the schema says", table["schema"].sentence,
	"an item is twice on a page", table["page-unique"].sentence,
	"a list does not hold what it has to", table["list-members"].sentence,
	"the pages together are not the collection", table["list-walk"].sentence,
	"page or items are not those of the page that was asked for", table[ListPage].sentence,
	"the pages together have items twice", table[ItemsTwice].sentence,
	"a list does not follow a delete", table["delete-listed"].sentence,
	"a creative is gone that no accepted delete named", table[GoneUnnamed].sentence,
	"a creative is gone though no request deleted it", table[GoneUnprompted].sentence,
	"the answer is about another object than the path names", table["identity"].sentence,
	"the answer shows another value than was sent", table["shows-sent"].sentence,
	"a body is accepted that is not of the document's form", table["beyond-document"].sentence,
	"a value has changed that no request can change", table["stays"].sentence,
	"an update was answered with success and is not kept", table[Stale].sentence,
	"what an update leaves out is shown neither as it was set nor as one fixed default", table[NoDefault].sentence,
	"an update shows on another object", table[OtherObject].sentence,
	"one of two writers on different fields loses", table[Writers].sentence,
	"a read shows only later what was changed", table[ReadOnlyLater].sentence,
	"an open point is not as the target file pins it", table["pinned"].sentence,
}

// formerSchema matches the earlier sentence about a value of the right type that the schema does not allow.
var formerSchema = regexp.MustCompile(`^(the answer has .*) where (.*\b(?:must|should|doesn't)\b.*) belongs$`)

// PresentWords returns the sentence of a cause as it is now, for one that an earlier version wrote.
func PresentWords(written string) string {
	present := strings.NewReplacer(former...).Replace(written)
	return formerSchema.ReplaceAllString(present, "$1 that breaks the schema: $2")
}
