package main

import (
	"testing"

	"github.com/adconform/adconform/fixtures"
)

func TestTimeoutOfTheTargetFileIsOverridden(t *testing.T) {
	o := &options{rate: 3, timeout: 5}
	target := fixtures.DefaultWorld().Target("http://127.0.0.1:1")
	target.Limits.Rate = 1
	if c, err := o.config(target); err != nil || c.Target.Limits.Rate != 3 || c.Target.Limits.Timeout != 5 {
		t.Errorf("limits %+v (%v)", target.Limits, err)
	}
}
