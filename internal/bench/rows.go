package main

// row is a line of the page: a figure and what it means.
type row struct{ id, what string }

// section is a table of the page. The one without rows is that of the lanes.
type section struct {
	title, text string
	rows        []row
}

// bar is a bound that a figure has to keep.
type bar struct {
	id, what string
	atMost   float64
	atLeast  float64 // where atMost is 0
}

var bars = []bar{
	{id: "suite/bundled/default", what: "standard suite ÷ bare loop, bundled reference", atMost: 2},
	{id: "suite/apart/default", what: "standard suite ÷ bare loop, reference in another process", atMost: 2},
	{id: "lanes/8/50ms/ideal", what: "8 lanes at 50 ms ÷ the ideal", atMost: 1.1},
	{id: "lanes/8/50ms/faster", what: "8 lanes at 50 ms, times faster than one", atLeast: 6},
	{id: "startup/ms", what: "start to first request, ms", atMost: 50},
	{id: "memory/bundled", what: "peak memory with the bundled reference, MiB", atMost: 64},
	{id: "memory/apart", what: "peak memory of the suite alone, MiB", atMost: 64},
	{id: "document/500/run", what: "a run's cost an operation, 500 operations ÷ 5", atMost: 1.5},
	{id: "lists/10000/item", what: "judging an item, list of 10,000 ÷ list of 100", atMost: 1.5},
}

// withGinkgo is the bound of a suite that keeps its bar but for Ginkgo.
const withGinkgo = 3

var sections = []section{
	{"The suite and a bare loop", `The loop sends what a run of the suite sent, byte by byte and in the same order, on
keep-alive connections (what went on a connection of its own does so again), reads
the bodies, and checks that one lane gets the same statuses. All figures are
multiples of the time that the loop with one lane took in the same round on the
same server: the bundled one in the same process, or one apart in a process of its
own. A run is planning, Ginkgo, sending, judging and putting back; as it is,
it has the lanes that it has where the target file does not say.`, []row{
		{"suite/bundled/default", "bundled: suite as it is"},
		{"suite/bundled/one-lane", "bundled: suite, one lane"},
		{"suite/bundled/8-lanes", "bundled: suite, 8 lanes"},
		{"suite/bundled/no-ginkgo", "bundled: suite without Ginkgo's tree"},
		{"suite/bundled/loop-8", "bundled: bare loop, 8 lanes"},
		{"suite/bundled/8-lanes÷loop-8", "bundled: suite with 8 lanes ÷ bare loop with 8 lanes"},
		{"suite/bundled/processor", "bundled: processor time, suite as it is ÷ bare loop, server included"},
		{"suite/apart/default", "apart: suite as it is"},
		{"suite/apart/one-lane", "apart: suite, one lane"},
		{"suite/apart/8-lanes", "apart: suite, 8 lanes"},
		{"suite/apart/no-ginkgo", "apart: suite without Ginkgo's tree"},
		{"suite/apart/loop-8", "apart: bare loop, 8 lanes"},
		{"suite/apart/8-lanes÷loop-8", "apart: suite with 8 lanes ÷ bare loop with 8 lanes"},
		{"suite/apart/processor", "apart: processor time, suite as it is ÷ bare loop"},
	}},
	{"The steps of a run", `Processor time of each step alone, without that of the server, as a multiple of the
bare loop's in the same round: it says what there is to save, also on a busy machine.
Sending is the suite's client with what it sent before, and nobody to judge;
judging is what a run without Ginkgo takes beyond planning and sending; Ginkgo is a
suite of as many empty specs in the same containers.`, []row{
		{"steps/plan", "planning"},
		{"steps/send", "sending"},
		{"steps/judge", "judging, and remembering what was seen"},
		{"steps/report", "reporting: every file of --report"},
		{"steps/ginkgo", "Ginkgo with empty specs"},
		{"steps/ginkgo-spec", "one empty spec ÷ one request of the loop"},
	}},
	{"Lanes", `Against a reference that holds each answer back for 0, 5 or 50 ms: how many times
faster than one lane a run is, and its time ÷ the ideal, which is requests × latency
÷ lanes. Medians; the quartiles are in the JSON.`, nil},
	{"Size of the document", `Documents with the five operations 1, 10 and 100 times over; each copy is served by a
reference of its own in the same process. Processor time for each operation, as a
multiple of that with five operations.`, []row{
		{"document/50/load", "loading, 50 operations"},
		{"document/500/load", "loading, 500 operations"},
		{"document/50/plan", "planning, 50 operations"},
		{"document/500/plan", "planning, 500 operations"},
		{"document/50/run", "a whole run, 50 operations"},
		{"document/500/run", "a whole run, 500 operations"},
	}},
	{"Length of a list", `The processor time of judging one item of a list.`, []row{
		{"lists/1/item", "list of 1 ÷ list of 100"},
		{"lists/10000/item", "list of 10,000 ÷ list of 100"},
		{"lists/1/decode", "list of 1 ÷ decoding it with encoding/json"},
		{"lists/100/decode", "list of 100 ÷ decoding it with encoding/json"},
		{"lists/10000/decode", "list of 10,000 ÷ decoding it with encoding/json"},
	}},
	{"Start and memory", "From the start of `adconform run --target` until the server has its first request;\nthe peak of the resident set as the kernel counts it.", []row{
		{"startup/ms", "start to first request, ms"},
		{"startup/processor", "processor time of it, ms"},
		{"startup/hello", "start to first request ÷ that of a Go program that does nothing else"},
		{"memory/bundled", "`adconform run`: suite and bundled reference, MiB"},
		{"memory/apart", "`adconform run --target`: the suite alone, MiB"},
		{"memory/report", "the same with `--report`, MiB"},
		{"memory/version", "`adconform version`: what is there without a run, MiB"},
	}},
}
