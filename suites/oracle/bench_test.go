package oracle

import (
	"strings"
	"testing"
)

func BenchmarkJudge(b *testing.B) {
	c := contract(b)
	o := New(c)
	for _, bench := range []struct {
		name, op string
		r        Response
	}{
		{"campaign", updateCampaign, answer(200, campaign)},
		{"error", updateCampaign, answer(422, errorBody)},
		{"204", deleteCreative, answer(204, "")},
		{"list of 100", listMedia, answer(200, listBody(100, 100, 1, 1, numbered(1, 100)...))},
		{"list of 100, all wrong", listMedia, answer(200, strings.ReplaceAll(listBody(100, 100, 1, 1, numbered(1, 100)...), "640", `"640"`))},
	} {
		op := c.Operation(bench.op)
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				o.Judge(op, bench.r)
			}
		})
	}
}

func BenchmarkParseDate(b *testing.B) {
	for b.Loop() {
		ParseDate("2024-01-31T09:30:00Z")
	}
}
