package reference

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/adconform/adconform/spec"
)

// kind is a kind of object that can be shown and updated: T is its wire type.
type kind[T any] struct {
	params []string // of its path
	path   []string // the kinds that they name
	fields *resource
	// apply makes the changes; where they change anything it dates the object too.
	apply func(s *Server, object *T, changes update) (changed bool)
}

// update answers a PATCH: it changes what the body gives, and shows the new
// representation.
func (k *kind[T]) update(s *Server) operation {
	return func(r *http.Request, user int64) (*answer, error) {
		ids, err := s.pathIDs(r, k.params...)
		if err != nil {
			return nil, err
		}
		changes, wrongBody := s.readUpdate(r, k.fields)
		if wrongBody != nil && s.choices.CheckBodyFirst {
			return nil, wrongBody
		}
		var value T
		err = s.store.transaction(func(t *tx) error {
			at, found, err := t.find(k.path, ids)
			if err != nil {
				return err
			}
			if err := permit(user, found.Owner); err != nil {
				return err
			}
			if wrongBody != nil {
				return wrongBody
			}
			if err := s.checkUnique(t, at, found.Owner, changes); err != nil {
				return err
			}
			value = found.Value.(T)
			if k.apply(s, &value, changes) {
				t.changes[at] = &object{found.Owner, found.Parent, value}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		return represent(s.choices.SuccessStatus, value), nil
	}
}

// read answers a GET, which choices add, as an update shows the object.
func (k *kind[T]) read(s *Server) operation {
	return func(r *http.Request, user int64) (*answer, error) {
		ids, err := s.pathIDs(r, k.params...)
		if err != nil {
			return nil, err
		}
		var found *object
		err = s.store.transaction(func(t *tx) error {
			if _, found, err = t.find(k.path, ids); err != nil {
				return err
			}
			return permit(user, found.Owner)
		})
		if err != nil {
			return nil, err
		}
		return represent(http.StatusOK, found.Value.(T)), nil
	}
}

// updatedAt is the date of an update that is made now. It is never before the
// creation or the update before, whatever the clock does.
func (s *Server) updatedAt(created time.Time, before *time.Time) *time.Time {
	now := s.now().UTC().Truncate(time.Microsecond)
	if before == nil {
		before = &created
	}
	if now.Before(*before) {
		now = *before
	}
	return &now
}

// checkUnique refuses a new name that another object of the owner has.
func (s *Server) checkUnique(t *tx, at key, owner int64, changes update) error {
	name := changes["name"]
	if name == nil || !s.choices.UniqueNames || !t.nameTaken(at, owner, *name) {
		return nil
	}
	return &refusal{status: http.StatusUnprocessableEntity, issues: []spec.Issue{{
		Type: "nameTaken", Message: fmt.Sprintf("name is taken: another object is called %q.", *name),
		RelatedField: new(s.choices.RelatedFieldForm.of("name")),
	}}}
}

// profiles can be given another name and other default actions (interface document,
// Endpoints 1).
var profiles = kind[spec.ConnectionProfile]{
	params: []string{"connectionProfileId"},
	path:   []string{profileKind},
	fields: profileResource,
	apply: func(s *Server, p *spec.ConnectionProfile, changes update) bool {
		old := *p
		p.Name = changes.text("name", old.Name)
		p.WithoutCookiesAction = spec.Action(changes.text("withoutCookiesAction", string(old.WithoutCookiesAction)))
		p.WithCookiesAction = spec.Action(changes.text("withCookiesAction", string(old.WithCookiesAction)))
		if *p == old {
			return false
		}
		p.UpdatedAt = s.updatedAt(old.CreatedAt, old.UpdatedAt)
		return true
	},
}

// ruleHosts can be given another hostname and URL matching regex. The rule in the path
// has to be the profile's and the host the rule's (interface document, Endpoints 2).
var ruleHosts = kind[spec.ConnectionProfileRuleHost]{
	params: []string{"connectionProfileId", "connectionProfileRuleId", "connectionProfileRuleHostId"},
	path:   []string{profileKind, ruleKind, hostKind},
	fields: ruleHostResource,
	apply: func(s *Server, h *spec.ConnectionProfileRuleHost, changes update) bool {
		old := *h
		h.Hostname = changes.text("hostname", old.Hostname)
		h.RegularExpression = changes.optional("regularExpression", old.RegularExpression)
		if reflect.DeepEqual(*h, old) {
			return false
		}
		h.UpdatedAt = s.updatedAt(old.CreatedAt, old.UpdatedAt)
		return true
	},
}

// campaigns can be given another name (interface document, Endpoints 3).
var campaigns = kind[spec.Campaign]{
	params: []string{"campaignId"},
	path:   []string{campaignKind},
	fields: campaignResource,
	apply: func(s *Server, c *spec.Campaign, changes update) bool {
		old := *c
		if c.Name = changes.text("name", old.Name); *c == old {
			return false
		}
		c.UpdatedAt = *s.updatedAt(old.CreatedAt, &old.UpdatedAt)
		return true
	},
}

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
			if len(files) == 0 && creative.HoldsMediaFiles() && s.choices.MediaFilesOfEmpty == http.StatusNotFound {
				return notFound()
			}
			if len(files) == 0 && !creative.HoldsMediaFiles() {
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
