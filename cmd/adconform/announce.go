package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/suites/wire"
)

// announce prints what one needs to talk to the server.
func (o *serveOptions) announce(w io.Writer, t *fixtures.Target, origin string, on *disguised) {
	if o.quiet {
		fmt.Fprintln(w, t.BaseURL)
		return
	}
	line := func(what, text string) { fmt.Fprintf(w, "%-13s %s\n", what, text) }
	line("base URL", t.BaseURL)
	line("owner key", t.Credentials.Owner)
	if t.Credentials.Stranger != "" {
		line("stranger key", t.Credentials.Stranger)
	}
	if on.fault != "" {
		line("fault", on.fault)
	}
	if on.variant != "" {
		line("variant", on.variant)
	}
	var owners, strangers []string
	for _, o := range objectsOf(t) {
		owners = append(owners, o.Kind+" "+o.Owner)
		if o.Stranger != "" {
			strangers = append(strangers, o.Kind+" "+o.Stranger)
		}
	}
	line("the owner's", strings.Join(owners, "; "))
	if len(strangers) > 0 {
		line("another's", strings.Join(strangers, "; "))
	}
	if o.overlay == "" { // another dialect's paths are in its documentation
		line("try it", curl(t))
	}
	line("read it", origin+reference.DocsPath)
	if o.front.control {
		line("reset it", "curl -X POST "+wire.Quote(origin+reference.ResetPath))
	}
	if o.targetFile != "" {
		line("test it", "adconform run "+wire.Quote(o.targetFile))
	}
}

// curl is a request that succeeds and changes nothing, if the world has an
// object for one.
func curl(t *fixtures.Target) string {
	path, change := "/creatives/0/media-files", "" // answers 404, and shows the error shape
	if o := t.Objects; o.VastCreative != nil {
		path = fmt.Sprintf("/creatives/%d/media-files", o.VastCreative.ID)
	} else if o.Campaign != nil {
		path, change = fmt.Sprintf("/campaigns/%d", o.Campaign.ID), " -X PATCH --json '{}'"
	}
	return "curl -i" + change + " -H " + wire.Quote(t.Credentials.Header+": "+t.Credentials.Owner) +
		" " + wire.Quote(t.BaseURL+path)
}

// ownedIDs are the ids of one kind of objects, by who owns them.
type ownedIDs struct{ Kind, Owner, Stranger string }

// objectsOf are the objects of a target by kind.
func objectsOf(t *fixtures.Target) (all []ownedIDs) {
	for _, n := range t.Named() {
		kind := n.Kind
		if strings.Contains(strings.ToLower(n.Key), "vastcreative") {
			kind = "VAST creative"
		}
		i := slices.IndexFunc(all, func(o ownedIDs) bool { return o.Kind == kind })
		switch {
		case n.File:
			continue
		case i < 0:
			i, all = len(all), append(all, ownedIDs{Kind: kind})
		}
		ids := &all[i].Owner
		if n.Foreign() {
			ids = &all[i].Stranger
		}
		*ids = strings.TrimPrefix(fmt.Sprintf("%s, %d", *ids, n.ID), ", ")
	}
	return all
}
