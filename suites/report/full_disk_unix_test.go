//go:build unix

package report

import (
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

func TestAFullDiskIsTold(t *testing.T) {
	const want = "report folder out: no space left on device; make room, or name a folder on another disk"
	if got := dirError("out", syscall.ENOSPC).Error(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Files of which only a beginning can be written are what a nearly full disk
// gives; an empty probe would not notice.
func TestCheckDirFindsThatAReportHasNoRoom(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Skip(err)
	}
	small := limit
	small.Cur = 2 << 20 // less than the files of a standard run take together
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	err := CheckDir(dir)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if err == nil || !strings.Contains(err.Error(), "report folder "+dir) {
		t.Errorf("error %v, want one that names the folder", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left behind", left)
	}
}
