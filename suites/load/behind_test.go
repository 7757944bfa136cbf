package load

import (
	"strings"
	"testing"
)

func TestABottleneckIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		busy, woke, unsent int
		processor, waiting float64
		want               Bottleneck
	}{
		"none":                  {5, 4, 0, 0.99, 1, NoBottleneck},
		"lanes wait":            {500, 0, 0, 0.2, 0.9, ByTarget},
		"never sent":            {0, 0, 500, 0.2, 0.9, ByTarget},
		"lanes judge":           {500, 0, 0, 0.5, 0.2, ByMachine},
		"processors are full":   {500, 0, 0, 0.9, 0.9, ByMachine},
		"timers":                {100, 500, 0, 0.3, 0.9, ByTimers},
		"timers and processors": {100, 500, 0, 0.9, 0.9, ByMachine},
	} {
		r := &run{unsent: c.unsent, usage: usage{busy: c.processor, total: 1}}
		b := r.behind(&meter{busy: lateness{n: c.busy}, woke: lateness{n: c.woke}}, 1000-c.unsent, c.waiting)
		if b.Bottleneck != c.want {
			t.Errorf("%s: %q, want %q", name, b.Bottleneck, c.want)
		}
		if told := b.String(); strings.Contains(told, "our own side") != (c.want == ByMachine || c.want == ByTimers) {
			t.Errorf("%s: %s", name, told)
		}
	}
}
