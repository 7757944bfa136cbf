package reference

import (
	"testing"
	"time"
)

func TestHostnames(t *testing.T) {
	long := "a"
	for len(long) < 253 {
		long += ".a"
	}
	label63 := "a23456789012345678901234567890123456789012345678901234567890123"
	for name, want := range map[string]bool{
		"cdn.example.com": true, "CDN.Example.COM": true, "example.com.": true, "localhost": true, "xn--bcher-kva.example": true,
		"3com.com": true, "a-b.example": true, label63 + ".example": true, long: true,
		"": false, ".": false, "a..b": false, "-a.example": false, "a-.example": false, "a_b.example": false, "a b.example": false,
		"192.0.2.1": false, "1.2.3": false, "::1": false, "[::1]": false, "example.com:80": false, "https://example.com": false,
		"*.example.com": false, "bücher.example": false, label63 + "4.example": false, long + "b": false, "example.com..": false,
	} {
		if got := isHostname(name); got != want {
			t.Errorf("%q: expected %t, got %t", name, want, got)
		}
	}
}

// TestUpdatedAtFollowsChanges: a request that changes nothing leaves updatedAt
// unchanged, and it never goes back.
func TestUpdatedAtFollowsChanges(t *testing.T) {
	s := newServer(t, nil)
	for _, step := range []struct {
		hour       int
		body, want string
	}{
		{10, `{}`, `"2024-03-07T03:43:00Z"`}, // as the world has it
		{10, `{"name":"Spring video"}`, `"2024-03-07T03:43:00Z"`},
		{11, `{"name":"A"}`, `"2024-05-01T11:00:00Z"`},
		{12, `{"name":"A","type":"display"}`, `"2024-05-01T11:00:00Z"`},
		{9, `{"name":"B"}`, `"2024-05-01T11:00:00Z"`},
		{13, `{"name":"C"}`, `"2024-05-01T13:00:00Z"`},
	} {
		s.now = func() time.Time { return time.Date(2024, time.May, 1, step.hour, 0, 0, 0, time.UTC) }
		ask(s, campaignPath, step.body).is(t, 200).shows(t, "data.updatedAt", step.want).shows(t, "data.type", `"video"`)
	}
}

// The run of the suite shows that pages are right.
func TestMalformedPages(t *testing.T) {
	s := newServer(t, nil)
	for _, page := range []string{"", "0", "-1", "x", "1.0", "%2B1", "01", "9223372036854775808"} {
		ask(s, listPath+"?page="+page, "").refuses(t, 422, "invalidParameter page")
	}
}
