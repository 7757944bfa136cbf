package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// measureMemory is the peak of the resident set of processes that run the suite,
// in MiB. The kernel never gives a child less than its parent had when it was
// started: this process has to be the smaller one, so it does nothing but start.
func measureMemory(ctx context.Context, rounds int) (Figures, error) {
	dir, err := os.MkdirTemp("", "adconform-bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program, err := build(ctx, dir, "./cmd/adconform")
	if err != nil {
		return nil, err
	}
	s, err := openApart(ctx)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	file, err := writeTarget(dir, s.target.BaseURL)
	if err != nil {
		return nil, err
	}
	into := samples{}
	for range rounds {
		for _, way := range []struct {
			id   string
			args []string
		}{
			{"memory/version", []string{"version"}},
			{"memory/bundled", []string{"run", "--quiet"}},
			{"memory/apart", []string{"run", "--quiet", "--target", file}},
			{"memory/report", []string{"run", "--quiet", "--target", file, "--report", dir + "/report"}},
		} {
			if err := s.reset(ctx); err != nil {
				return nil, err
			}
			peak, err := peakOf(ctx, program, way.args...)
			if err != nil {
				return nil, err
			}
			into.add(way.id, float64(peak)/(1<<20))
		}
	}
	return into.figures(), nil
}

// peakOf runs a program, which has to succeed, and returns its peak in bytes.
func peakOf(ctx context.Context, program string, args ...string) (int64, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("adconform %s: %w: %s", strings.Join(args, " "), err, out)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	own, err := ownPeak()
	switch {
	case err != nil:
		return 0, err
	case !ok || usage.Maxrss<<10 <= own:
		return 0, fmt.Errorf("the peak of adconform %s cannot be told from that of the process that started it, %d bytes", strings.Join(args, " "), own)
	}
	return usage.Maxrss << 10, nil
}

// ownPeak is the peak of the resident set of this process, in bytes.
func ownPeak() (int64, error) {
	status, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, err
	}
	defer status.Close()
	var kb int64
	for lines := bufio.NewScanner(status); lines.Scan(); {
		if n, _ := fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &kb); n == 1 { // what does not match is another line
			return kb << 10, nil
		}
	}
	return 0, fmt.Errorf("/proc/self/status has no VmHWM")
}
