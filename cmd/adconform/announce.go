package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/suites/wire"
)

// announce prints what one needs to talk to the server.
func (o *options) announce(w io.Writer, t *fixtures.Target, origin string, on *Disguised) {
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
	if on.Fault != "" {
		line("fault", on.Fault)
	}
	if on.Variant != "" {
		line("variant", on.Variant)
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
	if o.Overlay == "" { // another dialect's paths are in its documentation
		line("try it", curl(t))
	}
	line("open it", origin+"/")
	line("read it", origin+reference.DocsPath)
	if o.front.control {
		line("reset it", "curl -X POST "+shellQuote(origin+reference.ResetPath))
	}
	if o.targetFile != "" {
		line("test it", "adconform run "+shellQuote(o.targetFile))
	}
}

// curl is a request that succeeds and changes nothing, if the world has an
// object for one.
func curl(t *fixtures.Target) string {
	path, change := "/creatives/0/media-files", "" // answers 404, and shows the error shape
	switch objects := t.Objects; {
	case objects.VastCreative != nil:
		path = fmt.Sprintf("/creatives/%d/media-files", objects.VastCreative.ID)
	case objects.EmptyVastCreative != nil:
		path = fmt.Sprintf("/creatives/%d/media-files", objects.EmptyVastCreative.ID)
	case len(objects.PagedVastCreatives) > 0:
		path = fmt.Sprintf("/creatives/%d/media-files", objects.PagedVastCreatives[0].ID)
	case objects.Campaign != nil:
		path, change = fmt.Sprintf("/campaigns/%d", objects.Campaign.ID), " -X PATCH --json '{}'"
	case objects.ConnectionProfile != nil:
		path, change = fmt.Sprintf("/connection-profiles/%d", objects.ConnectionProfile.ID), " -X PATCH --json '{}'"
	}
	return "curl -i" + change + " -H " + shellQuote(t.Credentials.Header+": "+t.Credentials.Owner) +
		" " + shellQuote(t.BaseURL+path)
}

// shellQuote makes one word of a POSIX shell.
func shellQuote(text string) string { return wire.Join([]wire.KeyPart{{Text: text}}) }
