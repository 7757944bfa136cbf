package hostile

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// peak measures how much memory a child took at most. The kernel's own figure
// for an ended child is never below the peak of its parent, from whose address
// space it was started; where it is not above that, samples tell more.
type peak struct {
	own     int64 // bytes, of this process before the start
	mu      sync.Mutex
	sampled int64
	stop    chan struct{}
}

func newPeak() *peak { return &peak{own: highWater("self"), stop: make(chan struct{})} }

// watch samples a process until of is called, and returns its arguments.
func (p *peak) watch(pid int) (arguments string) {
	id := fmt.Sprint(pid)
	line, _ := os.ReadFile("/proc/" + id + "/cmdline") // gone already: it has none
	go func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			p.mu.Lock()
			p.sampled = max(p.sampled, highWater(id))
			p.mu.Unlock()
			select {
			case <-tick.C:
			case <-p.stop:
				return
			}
		}
	}()
	return string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
}

// of is the peak of a process that has ended, in bytes.
func (p *peak) of(state *os.ProcessState) int64 {
	close(p.stop)
	p.mu.Lock()
	defer p.mu.Unlock()
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return p.sampled
	}
	if most := usage.Maxrss << 10; most > max(p.own, highWater("self")) {
		return most
	}
	return p.sampled
}

// highWater is the peak of the resident set of a process that runs, 0 for none.
func highWater(pid string) int64 {
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kb); n == 1 { // what does not match is another line
			return kb << 10
		}
	}
	return 0
}

// neverAccepting listens with the shortest queue there is, and fills it: what
// connects from then on gets no answer from the kernel either.
func neverAccepting() (*listener, error) {
	config := net.ListenConfig{}
	l, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	conn, err := l.(*net.TCPListener).SyscallConn()
	if err == nil {
		err2 := conn.Control(func(fd uintptr) { err = syscall.Listen(int(fd), 0) })
		if err == nil {
			err = err2
		}
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	queue := fill(l.Addr().String())
	return &listener{Listener: l, idle: true, close: func() {
		l.Close()
		for _, c := range queue {
			c.Close()
		}
	}}, nil
}

// fill connects until nobody gets in any more.
func fill(address string) (queue []net.Conn) {
	d := net.Dialer{Timeout: 200 * time.Millisecond}
	for range 10 {
		c, err := d.DialContext(context.Background(), "tcp", address)
		if err != nil {
			break
		}
		queue = append(queue, c)
	}
	return queue
}
