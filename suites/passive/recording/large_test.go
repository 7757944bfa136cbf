package recording_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const largeVariable = "ADCONFORM_TEST_LARGE_RECORDING"

// A recording of 300 MB, as that of a browser in which pictures are most of it, is
// judged within 256 MiB: in a process of its own, whose whole memory is seen.
func TestALargeRecordingNeedsLittleMemory(t *testing.T) {
	if file := os.Getenv(largeVariable); file != "" {
		r := check(t, file)
		fmt.Printf("%d judged, %d others\n%s", r.Recording.Judged, r.Recording.Others, peak(t))
		return
	}
	if testing.Short() {
		t.Skip("300 MB")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("peak memory is read from /proc")
	}
	path := filepath.Join(t.TempDir(), "large.har")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	w.WriteString(`{"log":{"version":"1.2","entries":[`)
	padding := strings.Repeat(" ", 4<<10)
	picture := strings.Repeat("A", 4<<20)
	written, judged, others := 0, 0, 0
	for i := 0; written < 300e6; i++ {
		e := entry(float64(10*i), 1, "PATCH", fmt.Sprintf("/v2/campaigns/%d", i+1), `{"name":"a"}`, 200,
			strings.Replace(campaign("a"), `"id":25`, fmt.Sprintf(`"id":%d`, i+1), 1)+padding)
		if i%100 == 0 {
			e = entry(float64(10*i), 1, "GET", "/picture", "", 200, picture)
			others++
		} else {
			judged++
		}
		if i > 0 {
			w.WriteString(",")
		}
		n, _ := w.WriteString(e)
		written += n
	}
	w.WriteString("]}}")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$")
	child.Env = append(os.Environ(), largeVariable+"="+path)
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), fmt.Sprintf("%d judged, %d others", judged, others)) {
		t.Fatalf("%v: %s", err, out)
	}
	var kib int
	_, rest, _ := strings.Cut(string(out), "VmHWM:")
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MiB at most", kib>>10)
	if kib > 256<<10 {
		t.Errorf("%d MiB", kib>>10)
	}
}

func peak(t *testing.T) string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(after, "\n")
	return "VmHWM:" + line + "\n"
}
