// Package consistency tests what the server promises to clients of one or more
// processes: operations on an object take effect one after the other, and what
// was acknowledged stays, even if a process is killed.
package consistency

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference/postgrestest"
)

// program is the built binary.
var program string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "adconform-consistency-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "adconform.exe") // Windows wants the suffix
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/adconform").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building adconform: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// databases are where a server may keep its world: the value of ADCONFORM_DB for
// a new one, and how many processes share it.
var databases = []struct {
	name      string
	processes int
	create    func(t *testing.T) string
	survives  bool // a kill of the process
}{
	{"memory", 1, func(*testing.T) string { return "" }, false},
	{"file", 1, func(t *testing.T) string { return filepath.Join(t.TempDir(), "world.sqlite") }, true},
	{"PostgreSQL", 2, func(t *testing.T) string { return postgrestest.URL(t) }, true},
}

// process is a running server.
type process struct {
	cmd     *exec.Cmd
	baseURL string
	target  string // file
}

// serve starts a server whose campaigns can be read. It ends with the test.
func serve(t *testing.T, db string) *process {
	t.Helper()
	target := filepath.Join(t.TempDir(), "target.yaml")
	cmd := exec.Command(program, "serve", "--quiet", "--addr", "127.0.0.1:0", "--variant", "path/read-campaign", "--write-target", target)
	cmd.Env = append(os.Environ(), "ADCONFORM_DB="+db)
	errors := new(strings.Builder)
	cmd.Stderr = errors
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: cmd, target: target}
	t.Cleanup(p.kill)
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		p.kill()
		t.Fatalf("the server says %q and %q: %v", line, errors, err)
	}
	p.baseURL = strings.TrimSpace(line)
	return p
}

// kill ends the process as kill -9 does; once or more often.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

var (
	world  = fixtures.DefaultWorld()
	client = &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 64},
		Timeout:   time.Minute, // a server that hangs fails the test
	}
)

// send sends a request of the owner and returns status and body. An error means
// that what became of the request is unknown.
func (p *process) send(method, path, body string) (status int, answer string, err error) {
	r, err := http.NewRequest(method, p.baseURL+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set(fixtures.DefaultKeyHeader, world.Users[0].Key)
	r.GetBody = nil // net/http shall not send it again
	response, err := client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return response.StatusCode, string(data), err
}
