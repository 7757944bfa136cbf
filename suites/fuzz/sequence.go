package fuzz

// A sequence sends the request more than once, or ordinary ones behind it on its connection.
var sequenceClasses = []*class{
	{
		id: "sequence/repeated", words: "the same request again on its connection", sizes: []int{2, 3, 10}, most: 12,
		change: func(d *draft, _ string, n int) { d.copies = n },
	},
	{id: "sequence/together", words: "the same request several times at once", sizes: []int{2, 4, 8}, most: 8, change: func(d *draft,
		_ string, n int,
	) {
		d.copies, d.together = n, true
	}},
	{
		id: "sequence/then-ordinary", words: "an ordinary request behind it on its connection", sizes: []int{1, 3}, most: 4,
		change: func(d *draft, _ string, n int) { d.plain = n },
	},
}
