package oracle

import (
	"fmt"
	"strings"
	"testing"
)

// list returns a row with an answer to a request for a page of the list of creative 200, or for none if asked is 0.
func list(name string, asked int64, body string, want ...string) row {
	r := answer(200, body)
	r.PathID, r.RequestedPage = 200, asked
	return row{name, listMedia, r, strings.Join(want, ", ")}
}

func TestListsThatConform(t *testing.T) {
	rows := []row{
		list("none, 0 pages", 0, listBody(0, 0, 1, 0)),
		list("none, 1 page", 1, listBody(0, 0, 1, 1)),
		list("beyond, empty", 4, listBody(0, 10, 4, 3)),
		list("beyond the only page", 2, listBody(0, 5, 2, 1)),
		list("beyond, none at all", 2, listBody(0, 0, 2, 0)),
		list("beyond, the last again", 9, listBody(2, 10, 3, 3, numbered(9, 2)...)),
		list("beyond, empty, the last number that the server knows", 9, listBody(0, 10, 7, 3)),
		list("beyond, page 1 again", 9, listBody(4, 10, 1, 3, numbered(1, 4)...)),
		list("parameter without effect", 2, listBody(4, 10, 1, 3, numbered(1, 4)...)),
	}
	// Every page of every collection up to 13 items, in every page size.
	for total := 1; total <= 13; total++ {
		for size := 1; size <= 13; size++ {
			pages := (total + size - 1) / size
			for page := 1; page <= pages; page++ {
				n := min(size, total-(page-1)*size)
				rows = append(rows,
					list(fmt.Sprintf("%d by %d, page %d", total, size, page), int64(page), listBody(n, total, page, pages, numbered(1, n)...)))
			}
		}
	}
	judgeAll(t, rows)
}

func TestListsThatDoNot(t *testing.T) {
	const (
		count  = "MEDIA-3 /meta/pagination/count"
		total  = "MEDIA-4 /meta/pagination/totalCount"
		number = "MEDIA-5 /meta/pagination/page"
		pages  = "MEDIA-6 /meta/pagination/totalPages"
	)
	three := numbered(1, 3)
	judgeAll(t, []row{
		list("count too high", 0, listBody(4, 3, 1, 1, three...), count),
		list("count of a larger list", 0, listBody(2, 9, 1, 3, three...), count),
		list("count negative", 0, listBody(-3, 3, 1, 1, three...), count),
		list("an item is missing", 0, listBody(3, 3, 1, 1, 1, 2), count),
		list("empty, count 1", 0, listBody(1, 0, 1, 0), count),

		list("total too high", 0, listBody(3, 4, 1, 1, three...), total),
		list("total too low", 0, listBody(3, 2, 1, 1, three...), total),
		list("total negative", 0, listBody(3, -1, 1, 1, three...), total),
		list("total below a page", 1, listBody(3, 2, 1, 2, three...), total, pages),
		list("total negative, beyond", 3, listBody(0, -1, 3, 1), total),
		list("nothing, total 5", 0, listBody(0, 5, 1, 1), total),
		list("nothing matches", 0, listBody(4, 7, 1, 1, three...), count, total),

		list("page 0", 0, listBody(3, 3, 0, 1, three...), number),
		list("page after the last", 0, listBody(3, 3, 2, 1, three...), number),
		list("page 2 of nothing", 0, listBody(0, 0, 2, 0), number),
		list("a page beyond 53 bits, rounded", 1<<53+1, listBody(0, 3, 1<<53, 1)),
		list("another page than asked", 2, listBody(3, 9, 3, 3, three...), number),
		list("another page, whose size does not fit", 1, listBody(4, 10, 3, 3, numbered(1, 4)...), number),
		list("page 2 for 1", 1, listBody(3, 9, 2, 3, three...), number),

		list("one page too many", 0, listBody(3, 3, 1, 2, three...), pages),
		list("one page too few", 0, listBody(3, 10, 1, 3, three...), pages),
		list("0 pages for 3", 0, listBody(3, 3, 1, 0, three...), pages),
		list("2 pages for nothing", 0, listBody(0, 0, 1, 2), pages),
		list("negative", 0, listBody(3, 3, 1, -1, three...), pages),
		list("empty page of many", 1, listBody(0, 9, 1, 3), pages),
		list("empty last page that fits", 3, listBody(0, 8, 3, 3), pages),
		list("last page larger than others", 3, listBody(3, 7, 3, 3, three...), pages),
		list("last page of no size", 3, listBody(3, 10, 3, 3, three...), pages),

		list("the creative itself", 0, listBody(3, 3, 1, 1, 1, 200, 3), "MEDIA-7 /data/1/id"),
		list("twice", 0, listBody(3, 3, 1, 1, 1, 2, 1), "MEDIA-8 /data/2/id"),
	})
}

const listHuge = `{"meta":{"pagination":{"count":0,"totalCount":9223372036854775807,"page":9223372036854775807,` +
	`"totalPages":9223372036854775806}},"data":[]}`
