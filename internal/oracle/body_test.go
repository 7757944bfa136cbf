package oracle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/spec"
)

func TestNoContent(t *testing.T) {
	none := answer(204, "")
	judgeAll(t, []row{
		{"nothing", deleteCreative, none, ""},
		{"body", deleteCreative, answer(204, "{}"), "DELETE-2 "},
		{"announced", deleteCreative, headed(none, "Content-Length", "12"), "DELETE-2 header:Content-Length"},
		{"announced oddly", deleteCreative, headed(none, "Content-Length", "-1"), "DELETE-2 header:Content-Length"},
		{"length 0", deleteCreative, headed(none, "Content-Length", "0"), "OPEN-4 header:Content-Length"},
		{"content type alone", deleteCreative, headed(none, "Content-Type", "text/html"), ""},
	})
}

func TestWhyItIsNotJSON(t *testing.T) {
	for body, want := range map[string]string{
		"\ufeff{}":           `invalid character '\ufeff' at start of value at byte 0`,
		" \n":                "nothing but white space",
		`{"a":1} {"b":2}`:    "more after the end of the text at byte 7",
		`{"a":[1,`:           "unexpected EOF at byte 8",
		"{\"a\":\"b\xffc\"}": "invalid UTF-8 at byte 7",
	} {
		if _, problem := decode([]byte(body)); problem == nil || problem.got != want {
			t.Errorf("%q: expected %q, got %+v", body, want, problem)
		}
	}
}

// Hostile bodies must lead to a finding, in time and memory proportional to their
// length.
func TestHostileBodies(t *testing.T) {
	id := func(number string) string { return strings.Replace(campaign, `"id":25`, `"id":`+number, 1) }
	extra := func(text string) string { return strings.Replace(campaign, `"id":25`, `"id":25,"x":`+text, 1) }
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	twice := strings.Repeat(`{"a":1,"a":`, 9_000) + "1" + strings.Repeat("}", 9_000)
	c := spec.Load()
	o := New(c, nil)
	for name, tc := range map[string]struct{ body, want string }{
		"nested 100,000":         {extra(deep(100_000)), "JSON-1"},
		"nested 5,000":           {extra(deep(5_000)), ""},
		"twice at every depth":   {extra(twice), "JSON-2"},
		"10,000 digits":          {id(strings.Repeat("9", 10_000)), "CAMPAIGN-5"},
		"a million digits":       {id("1." + strings.Repeat("9", 1_000_000)), "CAMPAIGN-5"},
		"-1e999999999999999999":  {id("-1e999999999999999999"), "CAMPAIGN-5"},
		"0e99999":                {id("0e9999"), "OPEN-5"},
		"long name":              {extra(`{"` + strings.Repeat("n", 1_000_000) + `":1}`), ""},
		"controls in the string": {strings.Replace(campaign, `"id":25`, `"id":"\u0000\u001b[31m\u202e\r\n"`, 1), "CAMPAIGN-5"},
	} {
		t.Run(name, func(t *testing.T) {
			j := o.Judge(c.Operation(updateCampaign), answer(200, tc.body))
			got := ""
			for _, f := range j.Findings {
				checkFinding(t, c, j, f)
				got += f.Clause
			}
			if got != tc.want {
				t.Errorf("expected %q, got %q: %+v", tc.want, got, j.Findings)
			}
		})
	}
}

func TestTooMuch(t *testing.T) {
	long := strings.Repeat("a", maxString)
	for name, test := range map[string]struct{ body, want string }{
		"short":          {`{"a":[1,2]}`, ""},
		"a long list":    {"[" + strings.Repeat("7,", maxValues-2) + "7]", ""},
		"one value more": {"[" + strings.Repeat("7,", maxValues) + "7]", "too many to judge"},
		"a long string":  {`["` + long + `"]`, ""},
		"one byte more":  {`["` + long + `a"]`, "too long to judge"},
	} {
		if got := TooMuch([]byte(test.body)); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want … %s …", name, got, test.want)
		}
	}
}

// conforming has an answer of each operation that shows a representation, and one of a refusal.
var conforming = map[string]string{
	updateProfile: profileBody, updateHost: hostBody, updateCampaign: campaign, listMedia: listBody(1, 1, 1, 1, 241), refused: errorBody,
}

const refused = "updateCampaign, refused"

// A change is one place in which an answer differs from a conforming one, and the findings that it causes.
type change struct {
	op, old, new string // if old is "", new is the whole body
	want         string // "CLAUSE pointer", several of them separated by a comma
}

func judgeChanges(t *testing.T, changes []change) {
	t.Helper()
	var rows []row
	for _, c := range changes {
		body := c.new
		if c.old != "" {
			body = replace(t, conforming[c.op], c.old, c.new)
		}
		status := 200
		if c.op == refused {
			c.op, status = updateCampaign, 422
		}
		rows = append(rows, row{fmt.Sprintf("%q for %q", c.new, c.old), c.op, answer(status, body), c.want})
	}
	judgeAll(t, rows)
}

func TestJSONText(t *testing.T) {
	const id, name = `"id":25`, "Spring video"
	judgeChanges(t, []change{
		{updateCampaign, "", " \t\r\n" + campaign + " \n\t\r", ""},
		{updateCampaign, name, `é日😀\u00e9\ud83d\ude00\u0000\n\/` + "\x7f", ""},
		{updateCampaign, id, `"id":25,"more":[{"a":{}},[[]],1e-7,-0,0.10]`, ""},
		{updateCampaign, "", "\ufeff" + campaign, "JSON-1 "},
		{updateCampaign, "", campaign + "x", "JSON-1 "},
		{updateCampaign, "", campaign + "\x00", "JSON-1 "},
		{updateCampaign, "", " \n", "JSON-1 "},
		{updateCampaign, "", campaign[:len(campaign)-1], "JSON-1 "},
		{updateCampaign, "", campaign[:len(campaign)-2], "JSON-1 /data"},
		{updateCampaign, "", "\x1f\x8b\x08", "JSON-1 "},
		{updateCampaign, id, `"id":025`, "JSON-1 /data"},
		{updateCampaign, id, `"id":+25`, "JSON-1 /data/id"},
		{updateCampaign, id, `id:25`, "JSON-1 /data"},
		{updateCampaign, id, `"id":25,`, "JSON-1 /data"},
		{updateCampaign, id, `"id":25 /* one */`, "JSON-1 /data"},
		{updateCampaign, name, "a\nb", "JSON-1 /data/name"},
		{updateCampaign, name, "a\xffb", "JSON-1 /data/name"},
		{updateCampaign, name, "a\xed\xa0\x80b", "JSON-1 /data/name"}, // a surrogate in UTF-8
		{updateCampaign, name, "a\xc0\xafb", "JSON-1 /data/name"},     // overlong UTF-8
		{updateCampaign, name, `a\ud800b`, "JSON-1 /data/name"},
		{updateCampaign, name, `a\udc00`, "JSON-1 /data/name"},
		// Of several members with the same name, the last one counts.
		{updateCampaign, id, `"id":25,"id":25`, "JSON-2 /data/id"},
		{updateCampaign, id, `"id":25,"\u0069d":25`, "JSON-2 /data/id"},
		{updateCampaign, id, `"id":25,"x":[0,{"a/b":1,"a/b":2}]`, "JSON-2 /data/x/1/a~1b"},
		{updateCampaign, id, `"id":25,"id":25,"id":25,"x":{"":1,"":2}`, "JSON-2 /data/id"},
		{updateCampaign, id, `"id":"x","id":25`, "JSON-2 /data/id"},
		{updateCampaign, id, `"id":25,"id":"x"`, "CAMPAIGN-5 /data/id, JSON-2 /data/id"},
		{updateCampaign, id, `"id":25,"x":{"id":1},"ID":1`, ""},
	})
}

func TestSchema(t *testing.T) {
	list := listBody(3, 3, 1, 1, 241, 242, 243)
	judgeChanges(t, []change{
		{updateProfile, "", "[]", "PROFILE-1 "},
		{updateHost, "", "false", "HOST-1 "},
		{updateCampaign, "", `{"id":25,"name":"x"}`, "CAMPAIGN-16 /data"},
		{updateCampaign, "", `{"data":null}`, "CAMPAIGN-16 /data"},
		{updateCampaign, "", errorBody, "CAMPAIGN-16 /data"},
		{updateProfile, `"pass"`, `"never"`, "PROFILE-9 /data/withoutCookiesAction"},
		{updateProfile, `"warn"`, `"WARN"`, "PROFILE-10 /data/withCookiesAction"},
		{updateProfile, `12,"name":"EU publishers"`, `"12","name":1`, "PROFILE-5 /data/id, PROFILE-6 /data/name"},
		{updateProfile, `"id"`, `"x":{"id":"y"},"":null,"id"`, ""},
		{updateHost, `"regularExpression":"^/pixel/",`, ``, ""},
		{updateHost, `"^/pixel/"`, `null`, ""},
		{listMedia, "", replace(t, list, `"id":243`, `"id":"243"`), "CREATIVE-1 /data/2/id"},
		{
			listMedia, "", strings.ReplaceAll(list, `"width":640,"height":360`, `"width":"640","height":3.5`),
			"CREATIVE-12 /data/0/width, CREATIVE-13 /data/0/height",
		},
		{listMedia, `"processingStatus":"finished"`, `"status":1`, "CREATIVE-17 /data/0/latestScanStatus/processingStatus"},
		{listMedia, `"processingStatus"`, `"createdAt":"x","processingStatus"`, ""},
		{listMedia, `"nbVariations":0`, `"nbVariations":0,"nbMediaFiles":3`, ""},
		// A number whose type the schema check reports is not compared with others.
		{listMedia, `"count":1`, `"count":"1"`, "MEDIA-3 /meta/pagination/count"},
		{listMedia, `"totalCount":1,`, ``, "MEDIA-4 /meta/pagination/totalCount"},
		{listMedia, `"page":1`, `"page":null`, "MEDIA-5 /meta/pagination/page"},
		{listMedia, `"totalPages":1`, `"totalPages":1.5`, "MEDIA-6 /meta/pagination/totalPages"},
		{listMedia, "", `{"meta":{},"data":[]}`, "MEDIA-2 /meta/pagination"},
		{listMedia, "", `{"data":[]}`, "MEDIA-2 /meta"},
		{listMedia, "", `{"meta":{"pagination":{"count":0,"totalCount":0,"page":1,"totalPages":0}}}`, "MEDIA-2 /data"},
		{listMedia, "", `{"meta":{"pagination":{"count":0,"totalCount":0,"page":1,"totalPages":0}},"data":{}}`, "MEDIA-2 /data"},
		{listMedia, "", `{"meta":{"pagination":{"count":1,"totalCount":1,"page":1,"totalPages":1}},"data":[null]}`, "MEDIA-2 /data/0"},
		{listMedia, "", `[]`, "MEDIA-1 "},
		{listMedia, `"page":1`, `"page":1.0`, "OPEN-5 /meta/pagination/page"},
		{listMedia, "", listHuge, "MEDIA-5 /meta/pagination/page"},
		{updateCampaign, `"video"`, `"Video"`, "CAMPAIGN-17 /data/type"},
	})
}

func TestFindingsSayWhatAndWhere(t *testing.T) {
	c := spec.Load()
	body := strings.ReplaceAll(listBody(3, 3, 1, 1, 241, 242, 243), `"width":640`, `"width":"640 px\n"`)
	want := []Finding{{
		Check: "schema", Operation: listMedia, Clause: "CREATIVE-12", Basis: spec.Stated, Severity: Violation, WFC: 200, Pointer: "/data/0/width",
		Expected: "an integer of 64 bits, or null", Got: `the string "640 px\n"`,
		Cause:  finding.Cause{Kind: finding.WrongType, Detail: "a string where an integer of 64 bits, or null belongs"},
		Aspect: finding.ForInteger, Shape: finding.Shape{Kind: finding.KindString},
	}}
	if diff := cmp.Diff(want, New(c, nil).Judge(c.Operation(listMedia), answer(200, body)).Findings); diff != "" {
		t.Error(diff)
	}
}

func TestValues(t *testing.T) {
	var changes []change
	add := func(op, old, format, want string, values ...string) {
		for _, v := range values {
			changes = append(changes, change{op, old, fmt.Sprintf(format, v), want})
		}
	}
	add(updateCampaign, `"id":25`, `"id":%s`, "", "0", "-0", "-5", "9223372036854775807", "-9223372036854775808", "9007199254740993")
	add(updateCampaign, `"id":25`, `"id":%s`, "OPEN-5 /data/id", "1.0", "25.000", "1e0", "1E+2", "2500e-2", "0.25e2", "-0.0",
		"9223372036854775807.0", "9.223372036854775807e18", "0e-5")
	add(updateCampaign, `"id":25`, `"id":%s`, "CAMPAIGN-5 /data/id", "1.5", "0.1", "25e-1", "1e-400", "-1.0000000000000000000001",
		"9007199254740992.5",  // an integer as a float of 64 bits
		"9223372036854775808", // the largest int64 as a float
		"9223372036854775809", "-9223372036854775809", "1e19", "1e400")
	const url = "https://example.com/share/campaign/25"
	add(updateCampaign, url, "%s", "", "https://example.com/share/25", "http://127.0.0.1:8080/x?a=b#c", "HTTPS://EXAMPLE.COM",
		"https://[::1]/x", "https://example.com/é", "https://user@example.com/")
	add(updateCampaign, url, "%s", "CAMPAIGN-10 /data/shareURL", "", "/share/25", "//example.com/x", "example.com/x", "ftp://example.com/x",
		"https:", "https://", "https:///x", "https://:80/x", "https:example.com", "mailto:a@example.com", "urn:x:y", "https://exa mple.com/",
		"https://example.com/a b", "https://example.com:port/", "https://example.com/%zz", "javascript:alert(1)")
	add(listMedia, `"https://example.com/preview/1"`, "%s", "CREATIVE-10 /data/0/livePreviewURL", `"/preview/1"`, "null")
	add(listMedia, `"previewAnimationURL":null`, `"previewAnimationURL":%s`, "CREATIVE-11 /data/0/previewAnimationURL", `""`)
	const created = `"createdAt":"2024-01-01T00:00:00Z"`
	add(updateCampaign, created, `"createdAt":%q`, "", "2024-01-31", "2024-01-31 09:30:00.5", "Wed, 31 Jan 2024 09:30:00 GMT",
		"1969-12-31T23:59:59+0000")
	add(updateCampaign, created, `"createdAt":%s`, "OPEN-9 /data/createdAt", "1704067200", "1704067200000", "1704067200.25")
	add(updateCampaign, created, `"createdAt":%s`, "CAMPAIGN-7 /data/createdAt", "7", "170406720000000000", `"1704067200"`, `"2024-02-30"`)
	add(updateProfile, `"updatedAt":null`, `"updatedAt":%s`, "PROFILE-8 /data/updatedAt", `""`)
	add(updateProfile, `"updatedAt":null`, `"updatedAt":%s`, "OPEN-9 /data/updatedAt", "1704067200")
	add(listMedia, `"2024-02-01T00:00:00Z"`, "%s", "OPEN-9 /data/0/updatedAt", "1706745600")
	add(listMedia, "2024-02-01", "%s", "CREATIVE-5 /data/0/updatedAt", "2024-02-31")
	judgeChanges(t, changes)
}

// Bounds that the schema of an answer states beyond types are judged under the clause of their place.
func TestStatedBounds(t *testing.T) {
	const name, adspec, kind = "Campaign.properties.name", "Campaign.properties.adspecId", "Campaign.properties.type"
	with := func(old, new string) string { return replace(t, campaign, old, new) }
	named := func(name string) string { return with("Spring video", name) }
	number := func(n int) string { return with(`"adspecId":3`, fmt.Sprintf(`"adspecId":%d`, n)) }
	for _, tc := range []struct{ op, target, update, held, broken, want string }{
		{updateCampaign, name, "maxLength: 3", named("日日日"), named("日日日日"), "CAMPAIGN-6 /data/name"},
		{updateCampaign, name, "pattern: '^[A-Z]'", named("Spring"), named("spring"), "CAMPAIGN-6 /data/name"},
		{updateCampaign, adspec, "minimum: 3, exclusiveMinimum: true", number(4), number(3), "CAMPAIGN-11 /data/adspecId"},
		{updateCampaign, adspec, "multipleOf: 3", number(9), number(10), "CAMPAIGN-11 /data/adspecId"},
		{updateCampaign, adspec, "enum: [3, 4]", number(4), number(5), "CAMPAIGN-11 /data/adspecId"},
		{
			updateCampaign, kind, "format: date-time", with(`"type":"video"`, `"type":"2024-01-01T00:00:00Z"`),
			with(`"type":"video"`, `"type":"yesterday"`), "CAMPAIGN-9 /data/type",
		},
		{updateCampaign, "Campaign", "additionalProperties: false", campaign, with(`"userId":1`, `"userId":1,"more":2`), "CAMPAIGN-16 /data"},
		{
			updateHost, "ConnectionProfileRuleHost", "required: [regularExpression]", hostBody,
			replace(t, hostBody, `"regularExpression":"^/pixel/",`, ""), "HOST-7 /data/regularExpression",
		},
		{listMedia, "CreativeList.properties.data", "minItems: 2", listBody(2, 2, 1, 1, 1, 2), listBody(1, 1, 1, 1, 1), "MEDIA-2 /data"},
	} {
		c, err := spec.LoadOverlays(spec.Overlay{File: "mine.yaml", Data: fmt.Appendf(nil,
			"overlay: 1.0.0\ninfo: {title: t, version: 1.0.0}\nactions:\n"+
				"  - {target: $.components.schemas.%s, update: {%s}}\n", tc.target, tc.update)})
		if err != nil {
			t.Fatal(tc.update, err)
		}
		for body, want := range map[string]string{tc.held: "", tc.broken: tc.want} {
			if got := found(New(c, nil).Judge(c.Operation(tc.op), answer(200, body))); got != want {
				t.Errorf("%s: expected %q, got %q: %s", tc.update, want, got, body)
			}
		}
	}
}

// list returns a row with an answer to a request for a page of the list of creative 200, or for none if asked is 0.
func list(name string, asked int64, body string, want ...string) row {
	r := answer(200, body)
	r.PathID, r.RequestedPage = "200", asked
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
		list("beyond, page 1 of nothing", 9, listBody(0, 0, 1, 1)),
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
		list("page 1 of 1, empty, beyond", 9, listBody(0, 3, 1, 1), number),
		list("page 3 of 3, empty, beyond", 9, listBody(0, 9, 3, 3), number),
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
		list("0 twice", 0, listBody(2, 2, 1, 1, 0, 0), "MEDIA-8 /data/1/id"),
	})
}

const listHuge = `{"meta":{"pagination":{"count":0,"totalCount":9223372036854775807,"page":9223372036854775807,` +
	`"totalPages":9223372036854775806}},"data":[]}`

// Numbers of a page may be texts only where the document says so.
func TestReadListReadsTheTypesOfTheDocument(t *testing.T) {
	asTexts, err := spec.LoadOverlays(spec.Overlay{File: "mine.yaml", Data: []byte(`overlay: 1.0.0
info: {title: t, version: 1.0.0}
actions:
  - target: $.components.schemas.Pagination.properties.page
    update: {type: string, format: ""}
`)})
	if err != nil {
		t.Fatal(err)
	}
	number := listBody(1, 1, 1, 1, 241)
	quoted := strings.Replace(number, `"page":1`, `"page":"1"`, 1)
	for _, row := range []struct {
		contract *spec.Contract
		body     string
		isRead   bool
	}{
		{spec.Load(), number, true},
		{spec.Load(), quoted, false},
		{asTexts, number, true},
		{asTexts, quoted, true},
	} {
		p := ReadList(row.contract.Operation(listMedia), Decode([]byte(row.body)))
		if (p != nil) != row.isRead {
			t.Errorf("%s: %+v", row.body, p)
		}
	}
}
