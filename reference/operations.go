package reference

import (
	"cmp"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// kind describes a kind of object that can be shown and updated. T is its wire type.
type kind[T any] struct {
	resource
	find  func(w *world, ids []int64) (found *T, owner int64) // by the ids of a path; nil for none
	taken func(w *world, id, owner int64, name string) bool   // whether another object has the name; nil without names
}

// get returns the object that the path of a request names, for its owner.
func (k *kind[T]) get(w *world, by caller) (*T, error) {
	found, owner := k.find(w, by.ids)
	if found == nil {
		return nil, notFound()
	}
	return found, by.permit(owner)
}

// isTaken reports whether another object of the user has a name that an update sets, which is nil for none.
func (k *kind[T]) isTaken(w *world, by caller, name *string) bool {
	return name != nil && k.taken(w, by.ids[0], by.user, *name)
}

// update answers a PATCH: it changes the fields in the body and shows the new representation. An update that changes
// nothing keeps updatedAt.
func (k *kind[T]) update(s *Server) operation {
	return func(r *http.Request, by caller) (*answer, error) {
		changes, wrongBody := s.readUpdate(r, &k.resource)
		if wrongBody != nil && s.choices.CheckBodyFirst {
			return nil, wrongBody
		}
		var shown, stored T
		err := s.store.update(func(w *world) error {
			value, err := k.get(w, by)
			if err = cmp.Or(err, wrongBody); err != nil {
				return err
			}
			if s.choices.NameTaken != 0 && k.isTaken(w, by, changes["name"]) {
				return &refusal{s.choices.NameTaken, []spec.Issue{
					s.choices.issue("nameTaken", "name", "is taken"),
				}}
			}
			before := members(value)
			after := members(value)
			maps.Copy(after, members(changes))
			isDated := s.choices.SameDated
			if len(changes) == 0 {
				isDated = s.choices.EmptyDated
			}
			if isDated || !reflect.DeepEqual(before, after) {
				maps.Copy(after,
					members(map[string]time.Time{"updatedAt": s.updatedAt(before)}))
			}
			setMembers(&shown, after)
			if setMembers(&stored, after); by.Save != nil {
				by.Save(s.choices.encode(value), &stored)
			}
			*value = stored
			return nil
		})
		return &answer{s.choices.SuccessStatus, spec.Data[T]{Data: shown}}, err
	}
}

// members returns the JSON form of an object by member, and setMembers sets an object without any to it.
func members(object any) (all map[string]jsontext.Value) {
	data, err := json.Marshal(object)
	if err = cmp.Or(err, json.Unmarshal(data, &all)); err != nil {
		panic(err) // wire types always can be encoded
	}
	return all
}

func setMembers(object any, all map[string]jsontext.Value) {
	data, err := json.Marshal(all)
	if err = cmp.Or(err, json.Unmarshal(data, object)); err != nil {
		panic(err)
	}
}

// read answers a GET, which some choices add, with the representation that an update shows.
func (k *kind[T]) read(s *Server) operation {
	return func(_ *http.Request, by caller) (*answer, error) {
		found, err := k.get(s.store.read(), by)
		if err != nil {
			return nil, err
		}
		return &answer{http.StatusOK, spec.Data[T]{Data: *found}}, nil
	}
}

// updatedAt returns the date of an update that is made now. It is never before the creation or the last update, even if
// the clock of the machine is set back.
func (s *Server) updatedAt(before map[string]jsontext.Value) time.Time {
	now := s.now().UTC().Truncate(time.Microsecond)
	for _, name := range []string{"createdAt", "updatedAt"} {
		var date time.Time // null, before the first update, leaves it as it is
		if err := json.Unmarshal(before[name], &date); err == nil && now.Before(date) {
			now = date
		}
	}
	return now
}

// profiles can be given another name and other default actions (interface document,
// Endpoints 1).
var profiles = kind[spec.ConnectionProfile]{
	resource: resource{"profile", []field{
		{
			name: "name", isName: true, initial: new("Untitled"), check: (*Choices).checkName,
		},
		{name: "withoutCookiesAction", initial: new("pass"), check: (*Choices).checkAction},
		{name: "withCookiesAction", initial: new("pass"), check: (*Choices).checkAction},
	}, []string{"id", "createdAt", "updatedAt"}},
	find: func(w *world, ids []int64) (*spec.ConnectionProfile, int64) {
		if p := w.profile(ids[0]); p != nil {
			return &p.ConnectionProfile, p.UserID
		}
		return nil, 0
	},
	taken: func(w *world, id, owner int64, name string) bool {
		return nil != first(w.Profiles, func(p *fixtures.Profile) bool {
			return p.ID != id && p.UserID == owner && p.Name == name
		})
	},
}

// ruleHosts can be given another hostname and URL matching regex. The rule in the path
// must be the profile's and the host the rule's (interface document, Endpoints 2).
var ruleHosts = kind[spec.ConnectionProfileRuleHost]{
	resource: resource{"host", []field{
		{
			name: "hostname", isName: true, initial: new("example.com"), check: (*Choices).checkHostname,
		},
		{name: "regularExpression", optional: true, check: (*Choices).checkRegex},
	}, []string{"id", "createdAt", "updatedAt"}},
	find: func(w *world, ids []int64) (*spec.ConnectionProfileRuleHost, int64) {
		p := w.profile(ids[0])
		if p == nil {
			return nil, 0
		}
		r := first(p.Rules,
			func(r *fixtures.Rule) bool { return r.ID == ids[1] })
		if r == nil {
			return nil, 0
		}
		return first(r.Hosts, func(h *spec.ConnectionProfileRuleHost) bool {
			return h.ID == ids[2]
		}), p.UserID
	},
}

// campaigns can be given another name (interface document, Endpoints 3).
var campaigns = kind[spec.Campaign]{
	resource: resource{"campaign", []field{
		{
			name: "name", isName: true, initial: new("Untitled"), check: (*Choices).checkName,
		},
	}, []string{"id", "createdAt", "updatedAt", "type", "shareURL", "adspecId", "userId"}},
	find: func(w *world, ids []int64) (*spec.Campaign, int64) {
		if c := first(w.Campaigns, func(c *spec.Campaign) bool { return c.ID == ids[0] }); c != nil {
			return c, c.UserID
		}
		return nil, 0
	},
	taken: func(w *world, id, owner int64, name string) bool {
		return nil != first(w.Campaigns, func(c *spec.Campaign) bool {
			return c.ID != id && c.UserID == owner && c.Name == name
		})
	},
}

// listCreativeMediaFiles shows one page of the media files of a VAST creative
// (interface document, Endpoints 5; List metadata). A body or a Content-Type
// makes no difference.
func (s *Server) listCreativeMediaFiles(r *http.Request, by caller) (*answer, error) {
	w := s.store.read()
	creative := w.creative(by.ids[0])
	files := w.mediaFiles(by.ids[0])
	var err error
	if creative == nil {
		files = nil
		err = noMediaFiles(s.choices.MediaFilesOfMissing, "names no creative.")
	} else if err = by.permit(creative.UserID); err == nil && len(files) == 0 {
		status := s.choices.MediaFilesOfNonVast
		if creative.HoldsMediaFiles() {
			status = s.choices.MediaFilesOfEmpty
		}
		err = noMediaFiles(status, "names a creative that is no VAST creative.")
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
	if status == http.StatusOK {
		return nil
	}
	return wrongParameter(status, "creativeId", message)
}

// page returns the page that the query selects. Without a page parameter all items are on one page.
func (s *Server) page(r *http.Request, items []spec.Creative) (list spec.List[spec.Creative], err error) {
	total := int64(len(items))
	size := int64(s.choices.PageSize)
	if s.choices.PageParameter == "" {
		size = max(1, total)
	}
	p := &list.Meta.Pagination
	*p = spec.Pagination{
		TotalCount: total, Page: 1, TotalPages: max(int64(s.choices.EmptyListPages),
			(total+size-1)/size),
	}
	if asked := r.URL.Query()[s.choices.PageParameter]; s.choices.PageParameter != "" && len(asked) > 0 {
		number, err := strconv.ParseInt(asked[0], 10, 64)
		if err == nil && positive.MatchString(asked[0]) {
			p.Page = number
		} else if s.choices.MalformedPage != 0 {
			return list, wrongParameter(s.choices.MalformedPage, s.choices.PageParameter, "must be a positive integer.")
		}
	}
	number := min(p.Page, max(1, p.TotalPages)) // an empty list has a first page, too
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
func (s *Server) deleteCreative(_ *http.Request, by caller) (*answer, error) {
	err := s.store.update(func(w *world) error {
		creative := w.creative(by.ids[0])
		if creative == nil {
			return notFound()
		}
		if err := by.permit(creative.UserID); err != nil {
			return err
		}
		if creative.ParentID != nil && s.choices.DeleteMediaFile == Refuse {
			return refuse(422, "mediaFile", "A media file cannot be deleted; delete its VAST creative.")
		}
		if s.choices.DeleteContainerWithFiles == Refuse && len(w.mediaFiles(creative.ID)) > 0 {
			return refuse(422, "hasMediaFiles", "A creative with media files cannot be deleted; delete them first.")
		}
		gone := by.ids
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
