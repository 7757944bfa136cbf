package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/engine"
)

// copiesOf are the documents of 5, 50 and 500 operations.
var copiesOf = []int{1, 10, 100}

// measureDocument loads and plans from documents that have the five operations
// many times over, and runs the plan. The processor time for each operation is given
// as a multiple of that with the document of five.
func measureDocument(ctx context.Context, rounds int) (Figures, error) {
	into := samples{}
	contracts := map[int]*spec.Contract{}
	for range min(rounds, 5) {
		load, plan := map[int]float64{}, map[int]float64{}
		for _, n := range copiesOf {
			text, err := multiplied(n)
			if err != nil {
				return nil, err
			}
			clauses, open, err := otherDocuments()
			if err != nil {
				return nil, err
			}
			repeat := copiesOf[len(copiesOf)-1] / n / 5
			took, err := spent(max(1, repeat), func() (err error) {
				contracts[n], err = spec.New(text, clauses, open)
				return err
			})
			if err != nil {
				return nil, fmt.Errorf("%d operations: %w", 5*n, err)
			}
			load[n] = took.Seconds() / float64(n)
			c := suites.NewConfig(fixtures.DefaultWorld().Target("http://127.0.0.1:1/v2"))
			c.Contract = contracts[n]
			took, err = spent(max(1, repeat), func() error { _, err := c.Plan(); return err })
			if err != nil {
				return nil, err
			}
			plan[n] = took.Seconds() / float64(n)
		}
		for _, n := range copiesOf {
			into.add(fmt.Sprintf("document/%d/load", 5*n), load[n]/load[1])
			into.add(fmt.Sprintf("document/%d/plan", 5*n), plan[n]/plan[1])
		}
	}
	for start := time.Now(); len(into["document/5/run"]) == 0 || len(into["document/5/run"]) < rounds && time.Since(start) < 4*patience; {
		var one float64
		for _, n := range copiesOf {
			each, err := runMultiplied(ctx, n, contracts[n])
			if err != nil {
				return nil, fmt.Errorf("%d operations: %w", 5*n, err)
			}
			if n == 1 {
				one = each
			}
			into.add(fmt.Sprintf("document/%d/run", 5*n), each/one)
		}
	}
	return into.figures(), nil
}

// runMultiplied is the processor time that a run takes for each of n copies.
func runMultiplied(ctx context.Context, n int, contract *spec.Contract) (float64, error) {
	worlds := &copies{ctx: ctx, base: map[string]*reference.Server{}}
	defer worlds.close()
	s, err := open(ctx, worlds.around)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	for i := 1; i < n; i++ { // before the time counts
		if _, err := worlds.of(strconv.Itoa(i)); err != nil {
			return 0, err
		}
	}
	c := lanesOf(s, 0)
	c.Contract = contract
	// A delete of a copy is seen in the list of the first: not that one case.
	c.Select = func(cs *engine.Case) bool { return !strings.Contains(cs.ID, "/effects/media-file-") }
	runs := max(1, 10/n)
	var total time.Duration
	for range runs {
		if err := worlds.reset(ctx, s); err != nil {
			return 0, err
		}
		took, err := spent(1, func() error { return conforming(suites.RunGinkgo(ctx, c, suites.GinkgoOptions{})) })
		if err != nil {
			return 0, err
		}
		total += took
	}
	return total.Seconds() / float64(n*runs), nil
}

// multiplied is openapi.yaml with its paths n times: as they are, and below
// /copies/1, /copies/2, …
func multiplied(n int) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(spec.OpenAPI(), &document); err != nil {
		return nil, err
	}
	paths := member(document.Content[0], "paths")
	if paths == nil {
		return nil, errors.New("openapi.yaml has no paths")
	}
	original := paths.Content
	for i := 1; i < n; i++ {
		for at := 0; at < len(original); at += 2 {
			path := *original[at]
			path.Value = fmt.Sprintf("/copies/%d%s", i, path.Value)
			item := *original[at+1]
			item.Content = nil
			for _, part := range original[at+1].Content {
				item.Content = append(item.Content, renamed(part, i))
			}
			paths.Content = append(paths.Content, &path, &item)
		}
	}
	return yaml.Marshal(&document)
}

// renamed is an operation under another id, or what else it is as it is.
func renamed(operation *yaml.Node, i int) *yaml.Node {
	id := member(operation, "operationId")
	if id == nil {
		return operation
	}
	fresh := *operation
	fresh.Content = append([]*yaml.Node(nil), operation.Content...)
	for at, part := range fresh.Content {
		if part == id {
			other := *id
			other.Value = fmt.Sprintf("%s%d", id.Value, i)
			fresh.Content[at] = &other
		}
	}
	return &fresh
}

func member(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content) && mapping.Kind == yaml.MappingNode; i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// otherDocuments are the embedded clauses and open points, as documents.
func otherDocuments() (clauses, open []byte, err error) {
	c, err := spec.Load()
	if err != nil {
		return nil, nil, err
	}
	clauses, err = yaml.Marshal(map[string]any{"clauses": c.Clauses})
	if err != nil {
		return nil, nil, err
	}
	open, err = yaml.Marshal(map[string]any{"open": c.Open})
	return clauses, open, err
}

// copies serve the lists and deletes of each copy of the paths from a reference of its
// own, or one would delete what another is to. Updates go to one: several of the same
// object have to show what any of them set.
type copies struct {
	ctx  context.Context
	mu   sync.Mutex
	base map[string]*reference.Server
}

func (c *copies) of(id string) (*reference.Server, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.base[id]; s != nil {
		return s, nil
	}
	s, err := reference.New(c.ctx, reference.Options{World: fixtures.DefaultWorld()})
	if err == nil {
		c.base[id] = s
	}
	return s, err
}

// reset puts all worlds back, that of the original paths too.
func (c *copies) reset(ctx context.Context, original *site) error {
	err := original.reset(ctx)
	for _, s := range c.base {
		err = errors.Join(err, s.Reset(ctx, fixtures.DefaultWorld()))
	}
	return err
}

func (c *copies) close() {
	for _, s := range c.base {
		s.Close()
	}
}

// around gives /v2/copies/7/creatives/301 to the seventh copy as /v2/creatives/301.
func (c *copies) around(first http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rest, isCopy := strings.CutPrefix(r.URL.EscapedPath(), basePath+"/copies/")
		if !isCopy {
			first.ServeHTTP(w, r)
			return
		}
		id, _, _ := strings.Cut(rest, "/")
		s, err := c.of(id)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		inner := r.Clone(r.Context())
		inner.URL.Path = strings.Replace(r.URL.Path, "/copies/"+id, "", 1)
		inner.URL.RawPath = strings.Replace(r.URL.RawPath, "/copies/"+id, "", 1)
		if r.Method == http.MethodPatch { // the target file names one object for all of them
			first.ServeHTTP(w, inner)
			return
		}
		s.ServeHTTP(w, inner)
	})
}
