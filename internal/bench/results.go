package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Results are what one run of all parts measured, and on what.
type Results struct {
	Commit  string  `json:"commit,omitempty"` // that was measured; "" when git does not know
	Machine Machine `json:"machine"`
	Figures Figures `json:"figures"`
}

// Machine is what figures depend on, and nothing that names the one.
type Machine struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
	Go    string `json:"go"`
	OS    string `json:"os"`
	// Load is how many processes wanted to run, for each core, before anything was
	// measured; 0 where the system does not tell.
	Load float64 `json:"load"`
}

func thisMachine() Machine {
	return Machine{
		CPU: processor(), Cores: runtime.NumCPU(), Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH,
		Load: load() / float64(runtime.NumCPU()),
	}
}

// tooBusy is the load for each core from which the clock misleads.
const tooBusy = 0.5

// load is the load average of the last minute.
func load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	var average float64
	if _, err := fmt.Sscan(string(text), &average); err != nil {
		return 0
	}
	return average
}

// processor is the model of the processor, as far as the system tells it.
func processor() string {
	info, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer info.Close()
	for lines := bufio.NewScanner(info); lines.Scan(); {
		if name, model, found := strings.Cut(lines.Text(), ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(model)
		}
	}
	return runtime.GOARCH
}

// commit is what is measured, with + where files differ from it.
func commit(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty=+", "--exclude=*").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func readResults(file string) (*Results, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := new(Results)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

func (r *Results) write(file string) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return err
	}
	return os.WriteFile(file, text.Bytes(), 0o666)
}
