package main

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// planWrites are the requests of a run that could change the target. None is sent there: the
// suite runs against a reference that holds the target file's objects under the same ids.
func planWrites(ctx context.Context, c *suites.Config) (*report.Writes, error) {
	simulated, stop, err := startSimulated(ctx, c)
	if err != nil {
		return nil, err
	}
	defer stop()
	dry := *c
	dry.Target, dry.Mark = simulated, ""
	w := &report.Writes{
		Schema: report.WritesSchema, Target: report.NewTarget(c.Target),
		Seed: c.Seed, Depth: c.Depth.String(), Objects: []report.Written{}, Deleted: []report.Deleted{},
	}
	if p := c.Target.Provision; p != nil && !c.ReadOnly {
		w.Provision = strings.TrimSpace("POST " + p.Post)
		if p.Post == "" {
			w.Provision = strings.Join(p.Command, " ")
		}
	}
	dry.Record = func(ex *wire.Exchange) {
		if r := ex.Request; ex.Attempts > 0 && !wire.Safe(r.Method) {
			op, n := named(c.Contract, c.Target, r.Method, r.Path)
			w.Add(n.Key, n.ID, n.Foreign(), report.WriteRequest{
				Operation: op, Method: r.Method, Path: r.Path, Credential: r.Credential.Name, Body: string(r.Body),
			})
		}
	}
	r, err := suites.Execute(ctx, &dry)
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	w.Requests = r.Requests
	for _, change := range slices.Backward(r.Changes) {
		if change.Change == "deleted" {
			w.Deleted = append(w.Deleted, report.Deleted{Key: "objects." + change.Object, ID: change.ID})
		}
	}
	forGood, err := c.ForGood()
	if err != nil {
		return nil, err
	}
	for i := range w.Objects {
		for _, u := range forGood {
			if u.Key == w.Objects[i].Key {
				w.Objects[i].Unnamed = u.Fields
			}
		}
	}
	inFileOrder(w.Objects, c.Target)
	return w, nil
}

// startSimulated serves the objects of a target under the same ids, until stop is
// called, and returns the target that is served.
func startSimulated(ctx context.Context, c *suites.Config) (simulated *fixtures.Target, stop func(), err error) {
	ours, err := spec.Load()
	if err != nil {
		return nil, nil, err
	}
	world, simulated := c.Target.Simulated()
	simulated.Limits.Concurrency = 1 // requests are listed in the order of the plan
	simulated.BaseURL, stop, err = Serve(ctx, reference.Options{World: world}, func(h http.Handler) http.Handler {
		return reference.Dialect(h, ours, c.Contract)
	})
	return simulated, stop, err
}

// named is the operation of a request and the object of the target file that its
// path ends in; none when it ends in an id that the file does not name.
func named(contract *spec.Contract, t *fixtures.Target, method, path string) (operation string, object fixtures.Named) {
	op, ids := contract.Match(method, path)
	if op == nil {
		return "", fixtures.Named{}
	}
	kind := fixtures.KindOf(op.Key())
	for _, n := range t.Named() {
		if n.Kind == kind && len(ids) > 0 && strconv.FormatInt(n.ID, 10) == ids[len(ids)-1] {
			return op.ID, n
		}
	}
	return op.ID, fixtures.Named{}
}

// inFileOrder sorts objects as a target file has them, unknown ids last.
func inFileOrder(objects []report.Written, t *fixtures.Target) {
	place := map[string]int{"": 1 << 30}
	for i, n := range t.Named() {
		place[n.Key] = i
	}
	slices.SortStableFunc(objects, func(a, b report.Written) int { return place[a.Key] - place[b.Key] })
}
