package fuzz

import (
	"net/url"
	"strings"
)

// of another media type, made of the fields.
func formed(id, words, mediaType string, texts ...string) *class {
	return &class{id: "body/" + id, words: words, of: updates, formless: true, texts: texts, change: func(d *draft, text string, _ int) {
		d.header["Content-Type"] = []string{mediaType}
		var name, content string
		for _, f := range d.op.Body.Fields {
			if v, ok := d.values[f.Name].(string); ok {
				name, content = f.Name, v
			}
		}
		d.instead(strings.NewReplacer("NAME", name, "VALUE", content, "ENCODED", url.QueryEscape(content)).Replace(text))
	}}
}

var bodyClasses = []*class{
	formed("form", "a form in place of JSON", "application/x-www-form-urlencoded", "NAME=ENCODED", "NAME=%zz", "NAME=%ff&NAME=2",
		"NAME[]=1", "NAME[a][b]=1", "=", "&&&", "__proto__[x]=1", "a"+strings.Repeat("[a]", 500)+"=1", "NAME"),
	formed("multipart", "a multipart body in place of JSON", "multipart/form-data; boundary=x",
		"--x\r\nContent-Disposition: form-data; name=\"NAME\"\r\n\r\nVALUE\r\n--x--\r\n",
		"--x\r\n\r\n", "--x--", "", "--x\r\nContent-Disposition: form-data; name=\"NAME\"; filename=\"../x\"\r\n\r\nVALUE\r\n--x--",
		"--x\r\nContent-Disposition: form-data\r\n\r\nVALUE",
		"--x\r\nContent-Disposition: x; name=\"\xff\"\r\nContent-Type: ;\r\n\r\n\r\n--x--", "--x\r\n"+strings.Repeat("A: b\r\n",
			300)+"\r\n\r\n--x--"),
	formed("multipart-boundary", "a multipart body with an odd boundary", "multipart/form-data; boundary=", "--\r\n\r\n--", "----", "x"),
	formed("xml", "XML in place of JSON", "application/xml", "<x><NAME>VALUE</NAME></x>", `<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>`,
		"<x", "<?xml version='1.0' encoding='adconform'?><x/>", "<x>&#0;</x>", strings.Repeat("<a>", 3000)),
	formed("yaml", "YAML in place of JSON", "application/yaml", "NAME: VALUE", "&a [*a]", "!!x {}", "- - - -", "a: &a [x]\nb: *a",
		": :", "%"),
	formed("patch", "a JSON patch", "application/json-patch+json", `[{"op":"replace","path":"/NAME","value":"VALUE"}]`, "[]",
		`[{"op":"x"}]`, `[{"op":"test","path":"/~2","value":1}]`, `[null]`, `{}`, `[{"op":"remove","path":""}]`),
	formed("binary", "bytes that are no text", "application/octet-stream", "\x00\x01\x02\x03", "\x1f\x8b\x08", "\xff\xd8\xff\xe0",
		"PK\x03\x04", "\x82\xa1a\x01", "\xa1aa\x01", "%PDF-1.7", "\x89PNG\r\n", strings.Repeat("\xff", 2000)),
	formed("text-as-json", "something else that is called JSON", "application/json", "NAME=ENCODED", "<x/>", "NAME: VALUE",
		"\x82\xa1a\x01", "\x1f\x8b\x08\x00", "a,b\n1,2", "--x\r\n\r\n--x--", "GET / HTTP/1.1\r\n\r\n", "function(){}", "%7b%7d"),
	{
		id: "body/unasked", words: "a body that nobody asked for", of: bodiless, formless: true,
		texts:  []string{"{}", "[]", "x", `{"adconform":1}`, "null", "\xff", "{", "<x/>", strings.Repeat("x", 70_000)},
		change: func(d *draft, text string, _ int) { d.body = []byte(text) },
	},
	{
		id: "body/unasked-form", words: "a form that nobody asked for", of: bodiless, formless: true,
		texts: []string{"page=2", "_method=GET", "x=%zz", "--x\r\n"},
		change: func(d *draft, text string, n int) {
			d.header["Content-Type"] = []string{[]string{"application/x-www-form-urlencoded", "multipart/form-data"}[n%2]}
			d.body = []byte(text)
		},
	},
}
