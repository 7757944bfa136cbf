package k6

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/adconform/adconform/spec"
)

// contract is what the script knows of the contract, to judge an answer alone.
type contract struct {
	Operations map[string]*operation `json:"operations"`
	Error      *schema               `json:"error"`
	Names      map[string]string     `json:"names"` // of an error body, by meaning
	Clauses    map[string]string     `json:"clauses"`
}

type operation struct {
	Name     string  `json:"name"`               // method and path, for the tag of that name
	Statuses []int   `json:"statuses"`           // that the document declares
	Clause   string  `json:"clause"`             // of a success without its body
	Success  *schema `json:"success,omitempty"`  // none: no content
	Updates  *update `json:"updates,omitempty"`  // it answers the new representation
	Lists    *list   `json:"lists,omitempty"`    // it answers a page of items
	Declares []int   `json:"declares,omitempty"` // statuses with the error body
}

// update is how a representation shows what was sent.
type update struct {
	Data     string  `json:"data"`
	ID       string  `json:"id"`
	Identity string  `json:"identity"` // clause
	Shows    string  `json:"shows"`    // clause
	Fields   []field `json:"fields"`
}

type field struct {
	Sent     string `json:"sent"`
	Shown    string `json:"shown"`
	Hostname bool   `json:"hostname,omitempty"`
}

// list are the wire names of a page.
type list struct {
	Data       string `json:"data"`
	ID         string `json:"id"`
	Meta       string `json:"meta"`
	Pagination string `json:"pagination"`
	Count      string `json:"count"`
	TotalCount string `json:"totalCount"`

	// Clauses of count, totalCount, of an id that is there twice and of an item that
	// does not belong there; that is not judged where it is "".
	CountClause  string `json:"countClause"`
	TotalClause  string `json:"totalClause"`
	UniqueClause string `json:"uniqueClause"`
	Members      string `json:"members,omitempty"`
}

// schema is what the script checks of a JSON value.
type schema struct {
	Type       string             `json:"type,omitempty"`
	Nullable   bool               `json:"nullable,omitempty"`
	Enum       []any              `json:"enum,omitempty"`
	URL        bool               `json:"url,omitempty"`
	Clause     string             `json:"clause,omitempty"` // of the value and what is in it, unless that says more
	Required   []string           `json:"required,omitempty"`
	Properties map[string]*schema `json:"properties,omitempty"`
	Items      *schema            `json:"items,omitempty"`
}

// newContract leaves out what is only a notice.
func newContract(c *spec.Contract) *contract {
	k := &contract{Operations: map[string]*operation{}, Names: map[string]string{}, Clauses: map[string]string{}}
	for _, op := range c.Operations {
		k.Operations[op.ID] = newOperation(c, op)
		for _, status := range k.Operations[op.ID].Declares {
			k.Error = newSchema(c, op.ResponseSchema(status), "ERR-11")
		}
	}
	section := c.Error.Field("error")
	issues := section.Object.Field("issues")
	k.Names["error"], k.Names["issues"], k.Names["responseCode"] = section.Name, issues.Name, section.Object.Field("responseCode").Name
	for _, meaning := range []string{"type", "message", "relatedField"} {
		k.Names[meaning] = issues.Items.Field(meaning).Name
	}
	for _, clause := range c.Clauses {
		if judged(c, clause.ID) != "" {
			k.Clauses[clause.ID] = clause.Text
		}
	}
	return k
}

func newOperation(c *spec.Contract, op *spec.Operation) *operation {
	o := &operation{Name: op.Method + " " + op.Path, Clause: cmp.Or(op.Clause, "ERR-12")}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		code, err := strconv.Atoi(status)
		if err != nil {
			continue
		}
		o.Statuses = append(o.Statuses, code)
		if code >= 400 && op.ResponseSchema(code) != nil {
			o.Declares = append(o.Declares, code)
		}
	}
	if op.Success == nil {
		return o
	}
	o.Success = newSchema(c, op.Success.Schema, o.Clause)
	shown := op.Representation()
	if op.Lists() {
		meta := op.Success.Field("meta")
		p := meta.Object.Field("pagination")
		o.Lists = &list{
			Data: op.Success.Field("data").Name, ID: shown.Field("id").Name, Meta: meta.Name, Pagination: p.Name,
			Count: p.Object.Field("count").Name, TotalCount: p.Object.Field("totalCount").Name,
			CountClause: op.PageClause("count"), TotalClause: op.PageClause("totalCount"),
			UniqueClause: op.Effects["unique"], Members: op.Effects["members"],
		}
	}
	if op.Reads() {
		o.Updates = newUpdate(c, op)
	}
	if op.Updates() {
		o.Updates = newUpdate(c, op)
		o.Updates.Shows = judged(c, op.Effects["shows"])
		for _, f := range op.Body.Fields {
			if r := shown.Field(f.Meaning); r != nil {
				o.Updates.Fields = append(o.Updates.Fields, field{f.Name, r.Name, f.Hostname})
			}
		}
	}
	return o
}

func newUpdate(c *spec.Contract, op *spec.Operation) *update {
	return &update{
		Data: op.Success.Field("data").Name, ID: op.Representation().Field("id").Name,
		Identity: judged(c, op.Effects["identity"]), Fields: []field{},
	}
}

func newSchema(c *spec.Contract, s *openapi3.Schema, clause string) *schema {
	n := &schema{Nullable: s.Nullable, Enum: s.Enum, URL: s.Format == "uri", Required: s.Required}
	if types := s.Type.Slice(); len(types) > 0 {
		n.Type = types[0]
	}
	clause = cmp.Or(judged(c, spec.ClauseOf(s)), clause)
	n.Clause = clause
	for name, p := range s.Properties {
		if n.Properties == nil {
			n.Properties = map[string]*schema{}
		}
		n.Properties[name] = newSchema(c, p.Value, clause)
	}
	if s.Items != nil {
		n.Items = newSchema(c, s.Items.Value, clause)
	}
	return n
}
