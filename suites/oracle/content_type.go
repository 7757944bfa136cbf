package oracle

import (
	"errors"
	"fmt"
	"mime"
	"strings"
)

func judgeContentTypeMissing(j *judging) {
	j.judged("OPEN-3")
	if len(j.Header.Values("Content-Type")) == 0 {
		j.find("OPEN-3", 0, "header:Content-Type", "a Content-Type", "none")
	}
}

func hasContentType(j *judging) bool {
	return hasBody(j) && len(j.Header.Values("Content-Type")) > 0
}

// judgeContentType: RFC 9110, 8.3 and RFC 8259, 8.1 and 11.
func judgeContentType(j *judging) {
	j.judged("HTTP-3")
	values := j.Header.Values("Content-Type")
	for _, v := range values {
		if want := contentTypeWant(v); want != "" {
			j.find("HTTP-3", 0, "header:Content-Type", want, quote(v))
			return
		}
		if v != values[0] {
			j.find("HTTP-3", 0, "header:Content-Type", "one Content-Type", fmt.Sprintf("%s and %s", quote(values[0]), quote(v)))
			return
		}
	}
}

// contentTypeWant says what a Content-Type should be that is wrong, "" for one
// that is right. Parameters beside charset are nobody's business.
func contentTypeWant(v string) string {
	media, params, err := mime.ParseMediaType(v)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return "a well-formed media type, application/json"
	}
	top, sub, _ := strings.Cut(media, "/")
	suffixed := top != "" && len(sub) > len("+json") && strings.HasSuffix(sub, "+json")
	if media != "application/json" && !suffixed {
		return "application/json or a +json type"
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return "charset utf-8, the only one that JSON has"
	}
	return ""
}
