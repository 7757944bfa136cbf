package suites_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

func ExampleExecute() {
	world := fixtures.DefaultWorld()
	handler, err := reference.New(reference.Options{World: world}) // your server in its place
	if err != nil {
		fmt.Println(err)
		return
	}
	defer handler.Close()
	server := httptest.NewServer(handler)
	defer server.Close()

	r, err := suites.Execute(context.Background(), suites.NewConfig(world.Target(server.URL+"/v2")))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Verdict, r.Level, len(r.Findings))
	// Output: conforming complete 0
}

func ExampleRun() {
	_ = func(t *testing.T) { // as TestConformance
		target, err := fixtures.Load("target.yaml", os.LookupEnv)
		if err != nil {
			t.Fatal(err)
		}
		suites.Run(t, target, func(c *suites.Config) { c.Require = report.Complete })
	}
}
