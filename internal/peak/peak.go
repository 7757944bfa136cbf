// Package peak measures how much memory a child process takes at most.
package peak

import (
	"os/exec"
	"sync"
	"time"
)

// Watch follows one process from its start to its end.
type Watch struct {
	cmd     *exec.Cmd
	parent  int64 // bytes, of this process before the start
	mu      sync.Mutex
	sampled int64
	stop    chan struct{}
}

// Start starts a command and watches it until Wait.
func Start(cmd *exec.Cmd) (*Watch, error) {
	w := &Watch{cmd: cmd, parent: highWater("self"), stop: make(chan struct{})}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go w.sample()
	return w, nil
}

func (w *Watch) sample() {
	id := processID(w.cmd)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		w.mu.Lock()
		w.sampled = max(w.sampled, highWater(id))
		w.mu.Unlock()
		select {
		case <-tick.C:
		case <-w.stop:
			return
		}
	}
}

// Wait waits for the end of the process, as exec.Cmd.Wait does, and returns the peak
// of its resident set in bytes, 0 where the system does not tell. The kernel's own
// figure is never below the peak of the parent, from whose address space the child was
// started; where it is not above that, samples tell more.
func (w *Watch) Wait() (bytes int64, err error) {
	err = w.cmd.Wait()
	close(w.stop)
	w.mu.Lock()
	defer w.mu.Unlock()
	if most := atMost(w.cmd.ProcessState); most > max(w.parent, highWater("self")) {
		return most, err
	}
	return w.sampled, err
}
