package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
)

// startPage is what the server shows at /.
func (o *options) startPage(t *fixtures.Target, on *Disguised) (*reference.StartPage, error) {
	contract, err := LoadContract(o.Overlay)
	if err != nil {
		return nil, err
	}
	page := &reference.StartPage{BaseURL: BasePath, Objects: objectsOf(t)}
	for _, broken := range []struct{ what, how string }{{"Broken on purpose", on.Fault}, {"With other choices", on.Variant}} {
		if broken.how != "" {
			page.Broken = append(page.Broken, broken.what+", "+broken.how)
		}
	}
	for _, op := range contract.Operations {
		path, named := op.Path, true
		for _, p := range op.Params {
			objects := t.Objects.ByKey(p.Object)
			if named = named && len(objects) > 0; named {
				path = strings.Replace(path, "{"+p.Name+"}", strconv.FormatInt(objects[0].ID, 10), 1)
			}
		}
		if named {
			page.Requests = append(page.Requests, op.Method+" "+BasePath+path)
		}
	}
	return page, nil
}

// objectsOf are the objects of a target by kind.
func objectsOf(t *fixtures.Target) []reference.StartObjects {
	type ids struct{ owner, stranger []int64 }
	var kinds []string
	of := map[string]*ids{}
	for _, n := range t.Named() {
		if n.File {
			continue
		}
		kind := n.Kind
		if strings.Contains(strings.ToLower(n.Key), "vastcreative") {
			kind = "VAST creative"
		}
		if of[kind] == nil {
			kinds, of[kind] = append(kinds, kind), &ids{}
		}
		if n.Foreign() {
			of[kind].stranger = append(of[kind].stranger, n.ID)
		} else {
			of[kind].owner = append(of[kind].owner, n.ID)
		}
	}
	var all []reference.StartObjects
	for _, kind := range kinds {
		all = append(all, reference.StartObjects{Kind: kind, Owner: inSpans(of[kind].owner), Stranger: inSpans(of[kind].stranger)})
	}
	return all
}

// inSpans writes ids in order: 12, 13, 301–308.
func inSpans(ids []int64) string {
	slices.Sort(ids)
	var words []string
	for i := 0; i < len(ids); {
		end := i
		for end+1 < len(ids) && ids[end+1] == ids[end]+1 {
			end++
		}
		word := strconv.FormatInt(ids[i], 10)
		if end > i+1 {
			word = fmt.Sprintf("%d–%d", ids[i], ids[end])
		} else {
			end = i
		}
		words = append(words, word)
		i = end + 1
	}
	return strings.Join(words, ", ")
}
