package reference

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// kind describes a kind of object that can be shown and updated. T is its wire type.
type kind[T any] struct {
	params []string // of its path
	fields *resource
	find   func(w *world, ids []int64) (found *T, owner int64) // nil for none
	set    func(value *T, changes update)
	date   func(value *T, now clock)
	taken  func(w *world, id, owner int64, name string) bool // whether another object has the name; nil for objects without names
}

// clock returns the date of an update that is made now, for an object with these dates.
type clock func(created time.Time, updated *time.Time) *time.Time

// get returns the object that the path of a request names, for its owner.
func (k *kind[T]) get(w *world, ids []int64, by caller) (*T, error) {
	found, owner := k.find(w, ids)
	if found == nil {
		return nil, notFound()
	}
	return found, by.permit(owner)
}

// update answers a PATCH: it changes the fields in the body and shows the new representation. An update that changes
// nothing keeps updatedAt.
func (k *kind[T]) update(s *Server) operation {
	return func(r *http.Request, by caller) (*answer, error) {
		ids, err := s.pathIDs(r, k.params...)
		if err != nil {
			return nil, err
		}
		changes, wrongBody := s.readUpdate(r, k.fields)
		if wrongBody != nil && s.choices.CheckBodyFirst {
			return nil, wrongBody
		}
		var shown T
		err = s.store.update(func(w *world) error {
			value, err := k.get(w, ids, by)
			if err != nil {
				return err
			}
			if wrongBody != nil {
				return wrongBody
			}
			if name := changes["name"]; name != nil && s.choices.NameTaken != 0 && k.taken(w, ids[0], by.user, *name) {
				return &refusal{s.choices.NameTaken, []spec.Issue{s.choices.issue("nameTaken", "name", "is taken")}}
			}
			before := *value
			dated := len(changes) == 0 && s.choices.EmptyDated || len(changes) > 0 && s.choices.SameDated
			if k.set(value, changes); dated || !reflect.DeepEqual(*value, before) {
				k.date(value, s.updatedAt)
			}
			if shown = *value; by.Save != nil {
				by.Save(s.choices.encode(before), value)
			}
			return nil
		})
		return &answer{s.choices.SuccessStatus, spec.Data[T]{Data: shown}}, err
	}
}

// read answers a GET, which some choices add, with the representation that an update shows.
func (k *kind[T]) read(s *Server) operation {
	return func(r *http.Request, by caller) (*answer, error) {
		ids, err := s.pathIDs(r, k.params...)
		if err != nil {
			return nil, err
		}
		found, err := k.get(s.store.read(), ids, by)
		if err != nil {
			return nil, err
		}
		return &answer{http.StatusOK, spec.Data[T]{Data: *found}}, nil
	}
}

// updatedAt is a clock. It never returns a date before the creation or the last update, even if the clock of the
// machine is set back.
func (s *Server) updatedAt(created time.Time, updated *time.Time) *time.Time {
	now := s.now().UTC().Truncate(time.Microsecond)
	if updated == nil {
		updated = &created
	}
	if now.Before(*updated) {
		now = *updated
	}
	return &now
}

// profiles can be given another name and other default actions (interface document,
// Endpoints 1).
var profiles = kind[spec.ConnectionProfile]{
	params: []string{"connectionProfileId"},
	fields: profileResource,
	find: func(w *world, ids []int64) (*spec.ConnectionProfile, int64) {
		if p := w.profile(ids[0]); p != nil {
			return &p.ConnectionProfile, p.UserID
		}
		return nil, 0
	},
	set: func(p *spec.ConnectionProfile, changes update) {
		p.Name = changes.text("name", p.Name)
		p.WithoutCookiesAction = changes.text("withoutCookiesAction", p.WithoutCookiesAction)
		p.WithCookiesAction = changes.text("withCookiesAction", p.WithCookiesAction)
	},
	date: func(p *spec.ConnectionProfile, now clock) { p.UpdatedAt = now(p.CreatedAt, p.UpdatedAt) },
	taken: func(w *world, id, owner int64, name string) bool {
		return nil != first(w.Profiles, func(p *fixtures.Profile) bool { return p.ID != id && p.UserID == owner && p.Name == name })
	},
}

// ruleHosts can be given another hostname and URL matching regex. The rule in the path
// must be the profile's and the host the rule's (interface document, Endpoints 2).
var ruleHosts = kind[spec.ConnectionProfileRuleHost]{
	params: []string{"connectionProfileId", "connectionProfileRuleId", "connectionProfileRuleHostId"},
	fields: ruleHostResource,
	find: func(w *world, ids []int64) (*spec.ConnectionProfileRuleHost, int64) {
		p := w.profile(ids[0])
		if p == nil {
			return nil, 0
		}
		r := first(p.Rules, func(r *fixtures.Rule) bool { return r.ID == ids[1] })
		if r == nil {
			return nil, 0
		}
		return first(r.Hosts, func(h *spec.ConnectionProfileRuleHost) bool { return h.ID == ids[2] }), p.UserID
	},
	set: func(h *spec.ConnectionProfileRuleHost, changes update) {
		h.Hostname = changes.text("hostname", h.Hostname)
		if expression, given := changes["regularExpression"]; given {
			h.RegularExpression = expression
		}
	},
	date: func(h *spec.ConnectionProfileRuleHost, now clock) { h.UpdatedAt = now(h.CreatedAt, h.UpdatedAt) },
}

// campaigns can be given another name (interface document, Endpoints 3).
var campaigns = kind[spec.Campaign]{
	params: []string{"campaignId"},
	fields: campaignResource,
	find: func(w *world, ids []int64) (*spec.Campaign, int64) {
		if c := first(w.Campaigns, func(c *spec.Campaign) bool { return c.ID == ids[0] }); c != nil {
			return c, c.UserID
		}
		return nil, 0
	},
	set:  func(c *spec.Campaign, changes update) { c.Name = changes.text("name", c.Name) },
	date: func(c *spec.Campaign, now clock) { c.UpdatedAt = *now(c.CreatedAt, &c.UpdatedAt) },
	taken: func(w *world, id, owner int64, name string) bool {
		return nil != first(w.Campaigns, func(c *spec.Campaign) bool { return c.ID != id && c.UserID == owner && c.Name == name })
	},
}

// listCreativeMediaFiles shows one page of the media files of a VAST creative
// (interface document, Endpoints 5; List metadata). A body or a Content-Type
// makes no difference.
func (s *Server) listCreativeMediaFiles(r *http.Request, by caller) (*answer, error) {
	ids, err := s.pathIDs(r, "creativeId")
	if err != nil {
		return nil, err
	}
	w := s.store.read()
	creative, files := w.creative(ids[0]), w.mediaFiles(ids[0])
	if creative != nil {
		err = by.permit(creative.UserID)
	}
	switch {
	case creative == nil:
		files, err = nil, noMediaFiles(s.choices.MediaFilesOfMissing, "names no creative.")
	case err != nil:
	case len(files) == 0 && creative.HoldsMediaFiles():
		err = noMediaFiles(s.choices.MediaFilesOfEmpty, "")
	case len(files) == 0:
		err = noMediaFiles(s.choices.MediaFilesOfNonVast, "names a creative that is no VAST creative.")
	}
	if err != nil {
		return nil, err
	}
	if s.choices.ListOrder == Descending {
		slices.Reverse(files)
	}
	list, err := s.page(r, files)
	for i := range list.Data {
		list.Data[i].NbMediaFiles = nil // not available in list mode (interface document, Creative)
		if s.choices.NbMediaFilesInList {
			list.Data[i].NbMediaFiles = new(int64(len(w.mediaFiles(list.Data[i].ID))))
		}
	}
	return &answer{s.choices.SuccessStatus, list}, err
}

// noMediaFiles answers for a creative without media files; nil means an empty list.
func noMediaFiles(status int, message string) error {
	switch status {
	case http.StatusOK:
		return nil
	case http.StatusNotFound:
		return notFound()
	}
	return wrongParameter(status, "creativeId", message)
}

// page returns the page that the query selects. Without a page parameter all items are on one page.
func (s *Server) page(r *http.Request, items []spec.Creative) (list spec.List[spec.Creative], err error) {
	total, size := int64(len(items)), int64(s.choices.PageSize)
	if s.choices.PageParameter == "" {
		size = max(1, total)
	}
	p := &list.Meta.Pagination
	*p = spec.Pagination{TotalCount: total, Page: 1, TotalPages: max(int64(s.choices.EmptyListPages), (total+size-1)/size)}
	if query := r.URL.Query(); s.choices.PageParameter != "" && query.Has(s.choices.PageParameter) {
		text := query.Get(s.choices.PageParameter)
		number, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err == nil && positive.MatchString(text):
			p.Page = number
		case s.choices.MalformedPage != 0:
			return list, wrongParameter(s.choices.MalformedPage, s.choices.PageParameter, "must be a positive integer.")
		}
	}
	number := min(p.Page, p.TotalPages)
	if number < p.Page {
		switch s.choices.PageBeyond {
		case PageNotFound:
			return list, notFound()
		case EmptyPage:
			return list, nil
		case PageZero:
			p.Page = 0
			return list, nil
		case LastPage:
			p.Page = number
		}
	}
	first := (number - 1) * size
	list.Data = items[first:min(first+size, total)]
	p.Count = int64(len(list.Data))
	return list, nil
}

// deleteCreative deletes a creative (interface document, Endpoints 4). A body or a Content-Type makes no difference.
func (s *Server) deleteCreative(r *http.Request, by caller) (*answer, error) {
	ids, err := s.pathIDs(r, "creativeId")
	if err != nil {
		return nil, err
	}
	err = s.store.update(func(w *world) error {
		creative := w.creative(ids[0])
		if creative == nil {
			return notFound()
		}
		if err := by.permit(creative.UserID); err != nil {
			return err
		}
		if creative.ParentID != nil && s.choices.DeleteMediaFile == Refuse {
			return unprocessable("mediaFile", "A media file cannot be deleted; delete its VAST creative.")
		}
		if s.choices.DeleteContainerWithFiles == Refuse && len(w.mediaFiles(ids[0])) > 0 {
			return unprocessable("hasMediaFiles", "A creative with media files cannot be deleted; delete them first.")
		}
		gone := ids
		if by.Delete != nil {
			gone = by.Delete(*creative)
		}
		for _, id := range gone {
			w.deleteCreative(id, s.choices.DeleteContainerWithFiles == Orphan)
		}
		return nil
	})
	return &answer{status: http.StatusNoContent}, err
}
