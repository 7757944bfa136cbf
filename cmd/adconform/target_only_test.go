package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/testcase"
)

// Every write names objects of the target file, or unknown ids; no
// delete names what is foreign, or what is not there to be deleted.
func TestNothingButTheTargetFileIsWrittenTo(t *testing.T) {
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	for i, server := range []struct{ fault, variant string }{
		{}, {"", "path/read-all"}, {"refused/403-foreign/updateCampaign", ""}, {"deleteCreative/404/status-200", ""},
	} {
		if testing.Short() && i > 0 {
			continue
		}
		for name, change := range map[string]func(*fixtures.Target){
			"complete": func(*fixtures.Target) {},
			"little": func(t *fixtures.Target) {
				t.Objects = fixtures.Objects{
					Campaign: t.Objects.Campaign, DisposableCreatives: t.Objects.DisposableCreatives[:2],
					VastCreative: t.Objects.VastCreative,
				}
				t.Foreign = fixtures.Foreign{Campaign: t.Foreign.Campaign}
			},
		} {
			if testing.Short() && name == "complete" {
				continue
			}
			t.Run(name+" "+server.fault+server.variant, func(t *testing.T) {
				w := watch(t, server.fault, server.variant)
				change(w.target)
				w.run(t, t.Context(), func(c *suites.Config) { c.Depth = testcase.Deep })
				if len(w.writes) == 0 {
					t.Fatal("nothing was sent")
				}
				for _, write := range w.writes {
					method, path, _ := strings.Cut(write, " ")
					for table, id := range idsIn(contract, method, path) {
						_, exists := w.before[table+" "+id]
						key := keyOf(w.target, table, id)
						switch {
						case exists && key == "":
							t.Errorf("%s: %s %s is there and not in the target file", write, table, id)
						case method == http.MethodDelete && key != "" && !strings.HasPrefix(key, "objects.disposable"):
							t.Errorf("%s: deletes %s", write, key)
						}
					}
				}
			})
		}
	}
}

// idsIn are the ids of a path, by the table that holds such objects.
func idsIn(contract *spec.Contract, method, path string) map[string]string {
	tables := map[string]string{
		"connection profile": "connection_profiles", "rule": "connection_profile_rules", "rule host": "connection_profile_rule_hosts",
		"campaign": "campaigns", "creative": "creatives",
	}
	ids := map[string]string{}
	op, inPath := contract.Match(method, path)
	for i, id := range inPath {
		ids[tables[fixtures.KindOf(op.Params[i].Object)]] = id
	}
	return ids
}

// keyOf is where a target file names an object, "" where it does not.
func keyOf(target *fixtures.Target, table, id string) string {
	for _, n := range target.Named() {
		if fmt.Sprint(n.ID) == id && (n.Creative() == (table == "creatives")) && (n.Rule() == (table == "connection_profile_rules")) {
			switch {
			case n.Creative(), n.Rule(), strings.ReplaceAll(n.Kind, " ", "_")+"s" == table,
				n.Kind == "rule host" && table == "connection_profile_rule_hosts":
				return n.Key
			}
		}
	}
	return ""
}
