package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// serveOptions holds the flags of serve.
type serveOptions struct {
	fault, variant         string
	addr, data, targetFile string
	quiet, control         bool
	origins                []string
}

// serveCommand is the command.
func serveCommand(a *app) *cobra.Command {
	o := &serveOptions{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the reference implementation",
		Long: `Serves the reference implementation until it is interrupted, and prints what is
needed to call it. Requests are logged to standard error, never with a key.
Besides the five operations it has GET /healthz, GET /docs and, with --control,
POST /_adconform/reset, which restores all objects. In variants with keys that
expire, GET /_adconform/token?user=owner (or stranger) returns the current one,
and the target file uses it.`,
		Example: `  adconform serve
  adconform serve --addr 127.0.0.1:0 --write-target target.yaml --data world.db
  adconform serve --control --cors '*'
  adconform serve --variant wire/429-one-second  # limits the rate of requests
  adconform serve --fault auth/any-key/updateCampaign  # accepts any key`,
		RunE: func(cmd *cobra.Command, _ []string) error { return serveReference(cmd.Context(), a, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.addr, "addr", "127.0.0.1:8080", "`host:port` to listen on; port 0 means a free one")
	f.StringVar(&o.data, "data", "",
		"keep the objects in this `file` and start with those in it; default: only in memory")
	f.StringVar(&o.targetFile, "write-target", "",
		"write the target `file` of this server, with its keys, before answering requests")
	f.StringVar(&o.fault, "fault", "", "break the server in one way: the `id` of a seeded fault")
	f.StringVar(&o.variant, "variant", "", "make other choices where the contract is open: the `id` of a variant")
	f.BoolVar(&o.control, "control", false, "allow POST /_adconform/reset, which needs no key and restores all objects")
	addList(f, &o.origins, "cors", asText,
		"allow browsers to call from this `origin` (several with commas), "+
			"such as http://localhost:3000, or from any with *")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print only the base URL and log nothing")
	return cmd
}

func serveReference(ctx context.Context, a *app, o *serveOptions) error {
	ctx, cancel := a.Interruptible(ctx, "")
	defer cancel()
	options := reference.Options{Data: o.data}
	if !o.quiet {
		options.Logger = slog.New(slog.NewTextHandler(a.Stderr, nil))
	}
	server, err := newReference(o.fault, o.variant, options)
	if err != nil {
		return err
	}
	defer server.Close()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.addr)
	if err != nil {
		return fmt.Errorf("--addr %s: %w; give another address, such as 127.0.0.1:0 for a free port", o.addr, err)
	}
	origin := "http://" + listener.Addr().String()
	if tcp, ok := listener.Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() { // all addresses include the loopback
		origin = fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	target := server.target(origin + basePath)
	keys := map[string]string{}
	if faults.Choices(server.changes...).KeyUses > 0 {
		keys["owner"] = target.Credentials.Owner
		keys["stranger"] = target.Credentials.Stranger
		target.Credentials.Commands = tokenCommands(origin)
	}
	if o.control {
		target.Provision = &fixtures.Provision{Post: origin + reference.ResetPath}
	}
	if o.targetFile != "" {
		if err := writeTarget(o.targetFile, target); err != nil {
			listener.Close()
			return fmt.Errorf("--write-target %w", err)
		}
	}
	o.announce(a.Stdout, target, origin, server.changes)
	return server.Serve(ctx, listener, o.inFront(server, keys))
}

// tokenCommands returns, for each user, a command that prints the user's current token.
func tokenCommands(origin string) map[string][]string {
	all := map[string][]string{}
	for _, user := range []string{"owner", "stranger"} {
		all[user] = []string{"curl", "-sSf", origin + reference.TokenPath + "?user=" + user}
	}
	return all
}

// inFront returns the server within its faults, variants and other handlers. It gives out tokens to users with these
// keys, if there are any.
func (o *serveOptions) inFront(server *varied, keys map[string]string) http.Handler {
	var now atomic.Value
	begin := func() { now.Store(server.handler().ServeHTTP) }
	begin()
	front := reference.Front{OpenAPI: spec.OpenAPI(), Origins: o.origins}
	if o.control {
		front.Reset = func() error {
			defer begin() // faults and variants remember requests
			return server.Reset(server.world)
		}
	}
	if len(keys) > 0 {
		front.Token = func(user string) (string, error) { return server.Token(keys[user]) }
	}
	return front.Before(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now.Load().(func(http.ResponseWriter, *http.Request))(w, r)
	}))
}

// announce prints what a user needs to call the server.
func (o *serveOptions) announce(w io.Writer, t *fixtures.Target, origin string, changes []faults.Server) {
	if o.quiet {
		fmt.Fprintln(w, t.BaseURL)
		return
	}
	line := func(name, text string) { fmt.Fprintf(w, "%-13s %s\n", name, text) }
	lines := func(name string, texts []string) {
		for _, text := range texts {
			line(name, text)
			name = ""
		}
	}
	line("base URL", t.BaseURL)
	line("owner key", t.Credentials.Owner)
	line("stranger key", t.Credentials.Stranger)
	if t.Credentials.Commands != nil {
		line("next token", "curl "+wording.Quote(origin+reference.TokenPath+"?user=owner"))
	}
	for _, s := range changes {
		line(s.Kind(), s.ID+": "+strings.TrimSuffix(s.Sentence, "."))
	}
	owned, foreign := namedByKey(t)
	lines("the owner's", owned)
	lines("another's", foreign)
	line("try it", tryLine(t))
	line("read it", origin+reference.DocsPath)
	if o.control {
		line("reset it", "curl -X POST "+wording.Quote(origin+reference.ResetPath))
	}
	if o.targetFile != "" {
		line("test it", "adconform run "+wording.Quote(o.targetFile)+overlaysOf(changes))
	}
}

// namedByKey lists the objects that a target names, a line for each key: "disposableCreatives 301, 302".
func namedByKey(t *fixtures.Target) (owned, foreign []string) {
	ids := map[string][]string{}
	var keys []string
	for _, n := range t.Named() {
		key, _, _ := strings.Cut(n.Key, "[")
		if n.File {
			continue
		}
		if ids[key] == nil {
			keys = append(keys, key)
		}
		ids[key] = append(ids[key], string(n.ID))
	}
	for _, key := range keys {
		section, name, _ := strings.Cut(key, ".")
		text := name + " " + strings.Join(ids[key], ", ")
		if section == "foreign" {
			foreign = append(foreign, text)
		} else {
			owned = append(owned, text)
		}
	}
	return owned, foreign
}

// overlaysOf returns the flags of run that name the overlays of a server's dialect, as the repository has them.
func overlaysOf(changes []faults.Server) (flags string) {
	for _, s := range changes {
		if s.Dialect == nil {
			continue
		}
		for _, folder := range s.Dialect.Overlays {
			flags += " --overlay docs/dialects/" + folder + "/overlay.yaml"
		}
	}
	return flags
}

// tryLine returns a line for a shell that lists media files as the owner.
func tryLine(t *fixtures.Target) string {
	words := []string{"curl", "-i"}
	header := func(name, value string) {
		words = append(words, "-H", wording.Quote(name+": "+value))
	}
	address := fmt.Sprintf("%s/creatives/%s/media-files", t.BaseURL, t.Objects["vastCreative"][0].ID)
	form := t.Credentials.Form()
	key := t.Credentials.Owner
	if form.Query != "" {
		address += "?" + form.Query + "=" + url.QueryEscape(key)
	} else {
		header(form.Header, form.Value(key))
	}
	for _, h := range t.Headers {
		header(h.Name, h.Value)
	}
	return strings.Join(append(words, wording.Quote(address)), " ")
}
