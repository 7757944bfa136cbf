package reference

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/spec"
)

// listCreativeMediaFiles shows one page of the media files of a VAST creative
// (interface document, Endpoints 5; List metadata). A body or a Content-Type
// makes no difference.
func (s *Server) listCreativeMediaFiles(r *http.Request, user int64) (*answer, error) {
	id, err := s.pathID(r, "creativeId")
	if err != nil {
		return nil, err
	}
	var list spec.List[spec.Creative]
	err = s.store.transaction(func(t *tx) error {
		var files []spec.Creative
		creative, err := t.creative(id)
		switch {
		case errors.Is(err, errNotExist):
			if err := noMediaFiles(s.choices.MediaFilesOfMissing, "creativeId", "names no creative."); err != nil {
				return err
			}
		case err != nil:
			return err
		default:
			if err := permit(user, creative.UserID); err != nil {
				return err
			}
			files = t.mediaFiles(id)
			if len(files) == 0 && isVAST(creative) && s.choices.MediaFilesOfEmpty == http.StatusNotFound {
				return notFound()
			}
			if len(files) == 0 && !isVAST(creative) {
				if err := noMediaFiles(s.choices.MediaFilesOfNonVast, "creativeId", "names a creative that is no VAST creative."); err != nil {
					return err
				}
			}
		}
		total := int64(len(files))
		pages, err := s.page(r, total)
		if err != nil {
			return err
		}
		list.Meta.Pagination = pages
		if s.choices.ListOrder == Descending {
			slices.Reverse(files)
		}
		if pages.Count > 0 {
			list.Data = files[(pages.Page-1)*s.pageSize(total):][:pages.Count]
		}
		for i := range list.Data {
			if s.choices.NbMediaFilesInList { // else not available in list mode (interface document, Creative)
				list.Data[i].NbMediaFiles = new(int64(len(t.mediaFiles(list.Data[i].ID))))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &answer{status: s.choices.SuccessStatus, body: list}, nil
}

// isVAST says whether a creative is of a type that has media files, not one
// that is a media file itself.
func isVAST(c spec.Creative) bool {
	return strings.HasPrefix(c.SourceType, "vast") && !strings.HasPrefix(c.SourceType, "vast-child")
}

// noMediaFiles answers for what cannot have media files; nil for an empty list.
func noMediaFiles(status int, name, message string) error {
	switch status {
	case http.StatusOK:
		return nil
	case http.StatusNotFound:
		return notFound()
	}
	return wrongParameter(status, name, message)
}

// page is where the page that the query selects stands among total items.
func (s *Server) page(r *http.Request, total int64) (spec.Pagination, error) {
	size := s.pageSize(total)
	p := spec.Pagination{TotalCount: total, Page: 1, TotalPages: max(1, (total+size-1)/size)}
	if query := r.URL.Query(); s.choices.PageParameter != "" && query.Has(s.choices.PageParameter) {
		text := query.Get(s.choices.PageParameter)
		number, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err == nil && positive.MatchString(text):
			p.Page = number
		case s.choices.MalformedPage == Refuse:
			return p, wrongParameter(http.StatusUnprocessableEntity, s.choices.PageParameter, "must be a positive integer.")
		}
	}
	if p.Page > p.TotalPages {
		switch s.choices.PageBeyond {
		case PageNotFound:
			return p, notFound()
		case EmptyPage:
			return p, nil
		}
		p.Page = p.TotalPages
	}
	p.Count = min(size, total-(p.Page-1)*size)
	return p, nil
}

// pageSize is how many items a page has; without a page parameter all.
func (s *Server) pageSize(total int64) int64 {
	if s.choices.PageParameter == "" {
		return max(1, total)
	}
	return int64(s.choices.PageSize)
}

// deleteCreative deletes a creative: from then on it does not exist (interface
// document, Endpoints 4). A body or a Content-Type makes no difference.
func (s *Server) deleteCreative(r *http.Request, user int64) (*answer, error) {
	id, err := s.pathID(r, "creativeId")
	if err != nil {
		return nil, err
	}
	err = s.store.transaction(func(t *tx) error {
		creative, err := t.creative(id)
		if err != nil {
			return err
		}
		if err := permit(user, creative.UserID); err != nil {
			return err
		}
		if creative.ParentID != nil && s.choices.DeleteMediaFile == Refuse {
			return unprocessable("mediaFile", "A media file cannot be deleted; delete its VAST creative.")
		}
		if len(t.mediaFiles(id)) > 0 && s.choices.DeleteContainerWithFiles == RefuseContainer {
			return unprocessable("hasMediaFiles", "A creative with media files cannot be deleted; delete them first.")
		}
		if s.choices.DeleteContainerWithFiles == Orphan {
			t.orphanMediaFiles(id)
		}
		t.deleteCreative(id)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &answer{status: http.StatusNoContent}, nil
}
