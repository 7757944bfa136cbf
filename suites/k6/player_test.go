package k6_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/sobek"
)

// player stands in for k6: it runs a script in k6's JavaScript engine, each
// iteration after the other, sends the requests and collects the checks.
type player struct {
	t        *testing.T
	runtime  *sobek.Runtime
	script   *sobek.Object
	env      map[string]string
	held     map[string]int // checks by clause
	broken   map[string]int
	counters map[string]int64
	said     []string // on the console
	aborted  string
	slept    int
}

// modules are what a script imports, in terms of the player.
var modules = map[string]string{
	"k6":          `export const { check, sleep } = player;`,
	"k6/data":     `export class SharedArray { constructor(name, make) { return JSON.parse(JSON.stringify(make())); } }`,
	"k6/encoding": `export default { b64decode: player.b64decode };`,
	"k6/execution": `export default {
		scenario: { get iterationInTest() { return player.iteration(); } },
		vu: { get iterationInScenario() { return player.iteration(); } },
		test: { abort(why) { player.abort(why); throw new Error('aborted'); } },
	};`,
	"k6/http": `export default {
		request: player.request, CookieJar: class {}, setResponseCallback() {}, expectedStatuses() {},
	};`,
	"k6/metrics": `export class Counter { constructor(name) { this.name = name; } add(n) { player.count(this.name, n); } }`,
}

// play runs a whole script: setup, each scenario, teardown.
func play(t *testing.T, script string, env map[string]string) *player {
	t.Helper()
	p := load(t, script, env)
	if p.call("setup"); p.aborted != "" {
		return p
	}
	scenarios := p.script.Get("options").ToObject(p.runtime).Get("scenarios").ToObject(p.runtime)
	for _, name := range scenarios.Keys() {
		var s struct {
			Exec, Executor string
			Iterations     int
			Env            map[string]string
		}
		if err := p.runtime.ExportTo(scenarios.Get(name), &s); err != nil {
			t.Fatal(err)
		}
		if s.Iterations == 0 {
			t.Fatalf("scenario %s (%s) has no number of iterations: give PASSES", name, s.Executor)
		}
		p.with(s.Env)
		for i := range s.Iterations {
			p.set("iteration", func() int { return i })
			p.call(s.Exec)
		}
	}
	p.call("teardown")
	return p
}

// load links and evaluates a script.
func load(t *testing.T, script string, env map[string]string) *player {
	t.Helper()
	p := &player{t: t, runtime: sobek.New(), env: env, held: map[string]int{}, broken: map[string]int{}, counters: map[string]int64{}}
	p.runtime.SetFieldNameMapper(sobek.UncapFieldNameMapper())
	must(t, p.runtime.Set("player", p.runtime.NewObject()))
	must(t, p.runtime.Set("console", map[string]any{"warn": p.say, "error": p.say}))
	p.with(nil)
	p.set("check", p.check)
	p.set("sleep", func(float64) { p.slept++ })
	p.set("abort", func(why string) { p.aborted = why })
	p.set("count", func(name string, n int64) { p.counters[name] += n })
	p.set("request", p.request)
	p.set("b64decode", func(text string) sobek.ArrayBuffer {
		data, err := base64.StdEncoding.DecodeString(text)
		must(t, err)
		return p.runtime.NewArrayBuffer(data)
	})
	loaded := map[string]sobek.ModuleRecord{}
	var resolve sobek.HostResolveImportedModuleFunc
	resolve = func(_ any, name string) (sobek.ModuleRecord, error) {
		if m := loaded[name]; m != nil {
			return m, nil
		}
		source, ok := modules[name]
		if !ok {
			return nil, fmt.Errorf("k6 has no module %s", name)
		}
		m, err := sobek.ParseModule(name, source, resolve)
		loaded[name] = m
		return m, err
	}
	module, err := sobek.ParseModule("script.js", script, resolve)
	must(t, err)
	must(t, module.Link())
	if promise := p.runtime.CyclicModuleRecordEvaluate(module, resolve); promise.State() != sobek.PromiseStateFulfilled {
		t.Fatalf("the script fails: %v", promise.Result())
	}
	p.script = p.runtime.NamespaceObjectFor(module)
	return p
}

func (p *player) set(name string, f any) {
	must(p.t, p.runtime.GlobalObject().Get("player").ToObject(p.runtime).Set(name, f))
}

// with sets the environment, with more for a scenario.
func (p *player) with(more map[string]string) {
	all := maps.Clone(p.env)
	maps.Copy(all, more)
	must(p.t, p.runtime.Set("__ENV", all))
}

func (p *player) call(name string) {
	f, ok := sobek.AssertFunction(p.script.Get(name))
	if !ok {
		p.t.Fatalf("the script exports no function %s", name)
	}
	if _, err := f(sobek.Undefined()); err != nil && p.aborted == "" {
		p.t.Fatalf("%s: %v", name, err)
	}
}

func (p *player) say(words string) { p.said = append(p.said, words) }

func (p *player) check(_ sobek.Value, checks map[string]func() bool, _ map[string]string) {
	for name, holds := range checks {
		clause, _, _ := strings.Cut(name, " ")
		if holds() {
			p.held[clause]++
		} else {
			p.broken[clause]++
		}
	}
}

// request sends as k6 does, as far as the scripts use it.
func (p *player) request(method, url string, body sobek.Value, params struct{ Headers map[string]string }) map[string]any {
	var content io.Reader
	switch v := body.Export().(type) {
	case nil:
	case string:
		content = strings.NewReader(v)
	case sobek.ArrayBuffer:
		content = strings.NewReader(string(v.Bytes()))
	default:
		p.t.Fatalf("a body of type %T", v)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), method, url, content)
	must(p.t, err)
	for name, value := range params.Headers {
		req.Header.Set(name, value)
	}
	var text []byte
	answer, err := http.DefaultTransport.RoundTrip(req)
	if err == nil {
		defer answer.Body.Close()
		text, err = io.ReadAll(answer.Body)
	}
	if err != nil {
		return map[string]any{"status": 0, "error": err.Error(), "headers": map[string]string{}}
	}
	headers := map[string]string{}
	for name, values := range answer.Header {
		headers[name] = values[0]
	}
	return map[string]any{"status": answer.StatusCode, "headers": headers, "body": string(text)}
}

// brokenClauses are the clauses of checks that failed.
func (p *player) brokenClauses() []string { return slices.Sorted(maps.Keys(p.broken)) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
