// Package postgrestest gives tests databases of a real PostgreSQL server.
package postgrestest

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Variable says which server the tests use: the URL of one, on which the user
// may create databases; or "start" for the installed one, which has to be
// there. Without it tests start the installed one, or skip if there is none.
const Variable = "ADCONFORM_TEST_POSTGRES"

// Password is that of the user of a server that was started here.
const Password = "not:a@secret/1"

//go:embed server.sh
var script string

var number atomic.Int64

// URL returns the URL of a new, empty database, which is dropped after the
// test. The server is started for the first test of a process and ends with the
// process.
func URL(t testing.TB) string {
	t.Helper()
	server := server(t)
	name := fmt.Sprintf("adconform_test_%d_%d", os.Getpid(), number.Add(1))
	execute(t, server, "CREATE DATABASE "+name+" ENCODING 'UTF8' TEMPLATE template0")
	t.Cleanup(func() { execute(t, server, "DROP DATABASE "+name+" WITH (FORCE)") })
	u, err := url.Parse(server)
	if err != nil {
		t.Fatalf("%s: %v", Variable, err)
	}
	u.Path = "/" + name
	return u.String()
}

// WrongPassword is url with a password that the server refuses. The test is
// skipped if it may not: on a server that was not started here.
func WrongPassword(t testing.TB, url, password string) string {
	t.Helper()
	right := encoded(Password)
	if !strings.Contains(url, right) {
		t.Skip("the server that " + Variable + " names may take any password")
	}
	return strings.Replace(url, right, encoded(password), 1)
}

// encoded is a password as a URL has it.
func encoded(password string) string {
	return strings.TrimPrefix(url.UserPassword("", password).String(), ":")
}

// Execute runs a statement in the database of a URL.
func Execute(t testing.TB, url, statement string) {
	t.Helper()
	execute(t, url, statement)
}

func execute(t testing.TB, url, statement string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // which has ended when a test cleans up
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatalf("PostgreSQL: %v", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatalf("PostgreSQL: %s: %v", statement, err)
	}
}

func server(t testing.TB) string {
	t.Helper()
	wish := os.Getenv(Variable)
	if wish != "" && wish != "start" {
		return wish
	}
	bin := installed()
	if bin == "" {
		problem := "no PostgreSQL server is installed; install one (Debian: apt-get install postgresql) or set " + Variable + " to the URL of one"
		if wish == "" {
			t.Skip(problem)
		}
		t.Fatal(problem)
	}
	url, err := started(bin)
	if err != nil {
		t.Fatalf("starting PostgreSQL of %s: %v", bin, err)
	}
	return url
}

// installed is the folder of the newest server's programs, "" if there is none.
func installed() string {
	if initdb, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(initdb)
	}
	var found []string
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/initdb", "/usr/pgsql-*/bin/initdb"} {
		matches, _ := filepath.Glob(pattern) // the patterns are well-formed
		found = append(found, matches...)
	}
	if len(found) == 0 {
		return ""
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) }))
}

func version(path string) int {
	digits := strings.FieldsFunc(path, func(r rune) bool { return r < '0' || r > '9' })
	n, _ := strconv.Atoi(strings.Join(digits, ""))
	return n
}

var start struct {
	once sync.Once
	url  string
	err  error
	// input ends with the process, and with it the server. It is kept here from
	// the collector, which would close it.
	input io.Closer
}

func started(bin string) (string, error) {
	start.once.Do(func() {
		// The port is free now; another process may be faster.
		for range 5 {
			if start.url, start.err = startOn(bin, freePort()); start.err == nil {
				return
			}
		}
	})
	return start.url, start.err
}

func freePort() int {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return 0
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// startOn leaves the server to a shell, which stops it and removes its folder
// when this process ends, however it does: it waits for the end of its input.
func startOn(bin string, port int) (string, error) {
	dir, err := os.MkdirTemp("", "adconform-postgres-")
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c", script, "sh", bin, dir, strconv.Itoa(port), Password)
	cmd.Dir = dir
	if err := unprivileged(cmd, dir); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	input, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	lines := bufio.NewReader(output)
	if line, _ := lines.ReadString('\n'); line != "ready\n" {
		input.Close()
		rest, _ := io.ReadAll(lines)
		_ = cmd.Wait()
		return "", errors.Join(errors.New(line+string(rest)), os.RemoveAll(dir))
	}
	start.input = input
	u := url.URL{Scheme: "postgres", User: url.UserPassword("postgres", Password), Host: "127.0.0.1:" + strconv.Itoa(port), Path: "/postgres"}
	return u.String(), nil
}
