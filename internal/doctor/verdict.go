package doctor

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// verdict judges the answer for an object.
func (p *preflight) verdict(l *look) (report.PartStatus, string) {
	target := p.Known().Target
	switch {
	case l.op == nil:
		return report.Unchecked, "no operation reads it"
	case !judge.Has(target, l.Key):
		return report.Wrong, judge.NotGiven(target, l.Key)
	case l.ids == nil:
		return report.Unchecked, "the objects above it are missing in the target file"
	case isUnanswered(l.answer):
		return p.notShown(l)
	case p.isLikeUnknown(l):
		return report.Unchecked, "its list is empty, like that of an unknown id"
	case l.mistake != "":
		return report.Wrong, l.mistake
	case l.Foreign:
		return p.foreignVerdict(l)
	case l.answer.Status == http.StatusForbidden:
		return report.Wrong, "the owner has no permission for it (403)"
	case l.files != nil:
		return p.containerVerdict(l)
	case l.Creative:
		return p.creativeVerdict(l)
	case l.answer.Shown != nil:
		return report.Fine, "is there"
	case p.isSurelyMissing(l):
		return report.Wrong, missing(l.op)
	}
	return p.notShown(l)
}

// missing says that the object of an operation is not there.
func missing(op *spec.Operation) string {
	if len(op.Params) > 1 {
		return "does not exist under the parents that the target file names (404)"
	}
	return "does not exist (404)"
}

// isLikeUnknown reports whether an empty list may be a target's answer for any id.
func (p *preflight) isLikeUnknown(l *look) bool {
	if !p.unknown.OK || l.page == nil || l.hasFiles() {
		return false
	}
	return l.Foreign || l.files != nil
}

func (l *look) hasFiles() bool {
	return l.page != nil && l.page.TotalCount > 0
}

// isSurelyMissing reports whether a target that reads such objects answers 404 for this one.
func (p *preflight) isSurelyMissing(l *look) bool {
	return l.answer.Status == http.StatusNotFound && p.offersRead[l.op]
}

func (p *preflight) foreignVerdict(l *look) (report.PartStatus, string) {
	switch {
	case l.ownership == report.Fine:
		return report.Fine, "is the stranger's"
	case l.answer.Status == http.StatusForbidden:
		return report.Fine, "exists and is not the owner's"
	case l.answer.OK:
		return report.Wrong, "the owner can read it. Name an object for which the owner has no permission; " +
			"if this is one, the target does not check permissions"
	case p.isSurelyMissing(l):
		return report.Wrong, "does not exist (404), or the target answers 404 where it must answer 403"
	case l.op.Updates():
		return report.Unchecked, "not shown to be the stranger's: GET of its path is answered " +
			l.answer.StatusText() + "; a run asks the stranger with an update that sets nothing"
	}
	return p.notShown(l)
}

func (p *preflight) containerVerdict(l *look) (report.PartStatus, string) {
	status := l.answer.Status
	if l.answer.OK {
		if p.isTooShort(l) {
			return report.Wrong, "fits on one page: name one with more " + l.op.Items +
				" than a page holds, or pin pageParameter: null if there is no paging"
		}
		return report.Fine, "is there"
	}
	mayBeEmpty := l.files.MediaFileCount == 0 || l.Bare == "emptyVastCreative"
	switch {
	case mayBeEmpty && status == http.StatusNotFound:
		return report.Unchecked, "its list is answered 404, which is allowed for an empty container"
	case status == p.unknown.Status:
		return report.Wrong, fmt.Sprintf("does not exist: answered %d, like an unknown id", status)
	}
	return report.Wrong, fmt.Sprintf("is not a VAST creative: its list is answered %d", status)
}

// isTooShort reports whether the list of a container for paging has a single page.
func (p *preflight) isTooShort(l *look) bool {
	if !strings.HasPrefix(l.Bare, "paged") || p.Known().PageParameter(l.op) == "" {
		return false
	}
	return l.page != nil && l.page.TotalPages <= 1
}

func (p *preflight) creativeVerdict(l *look) (report.PartStatus, string) {
	status := l.answer.Status
	switch {
	case l.hasFiles():
		return report.Wrong, fmt.Sprintf("is a VAST creative: it has %d media files", l.page.TotalCount)
	case status != p.unknown.Status:
		return report.Fine, "is there"
	case p.plainKnown:
		return report.Wrong, fmt.Sprintf(
			"does not exist: answered %d, like an unknown id, whereas another plain creative is not", status)
	}
	return report.Unchecked, fmt.Sprintf("answered %d, like an unknown id", status)
}

// notShown is the verdict on an object that reading does not show.
func (p *preflight) notShown(l *look) (report.PartStatus, string) {
	text := "GET of its path is answered " + l.answer.StatusText()
	if l.Bare != l.op.Key() {
		return report.Unchecked, text
	}
	if fields := judge.Unnamed(l.op, p.Known().Target); len(fields) > 0 {
		text += "; only what an update with {} shows can be restored: " + strings.Join(fields, ", ")
	}
	return report.Unchecked, text
}
