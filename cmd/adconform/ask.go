package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/adconform/adconform/internal/wording"
)

// questions are put to the user of a terminal, one after another. After an error none is.
type questions struct {
	ctx     context.Context
	out     io.Writer
	answers <-chan string // closed where the input ends
	done    bool          // the user has answered enough
	err     error
}

// asks says whether there is somebody to ask: a terminal on both sides.
func (t *terminal) asks() bool {
	in, ok := t.stdin.(*os.File)
	return ok && term.IsTerminal(int(in.Fd())) && columns(t.stdout) > 0
}

func newQuestions(ctx context.Context, in io.Reader, out io.Writer) *questions {
	answers := make(chan string)
	go func() { // it may wait for a line for ever
		defer close(answers)
		for lines := bufio.NewScanner(in); lines.Scan(); {
			select {
			case answers <- strings.TrimSpace(lines.Text()):
			case <-ctx.Done():
				return
			}
		}
	}()
	return &questions{ctx: ctx, out: out, answers: answers}
}

// about says what the next questions are about.
func (q *questions) about(text string) {
	if q.err == nil {
		fmt.Fprintf(q.out, "\n%s\n", text)
	}
}

// ask puts a question until its answer can be taken. Enter stands for usual; where that
// is empty, for no answer.
func (q *questions) ask(question, usual string, take func(string) error) {
	for q.err == nil {
		fmt.Fprintf(q.out, "  %s", question)
		if usual != "" {
			fmt.Fprintf(q.out, " [%s]", usual)
		}
		fmt.Fprint(q.out, ": ")
		answer, ok := q.next()
		if !ok {
			return
		}
		answer = cmp.Or(answer, usual)
		if answer == "" {
			return
		}
		err := take(answer)
		if err == nil {
			return
		}
		fmt.Fprintf(q.out, "    %s\n", wording.Printable(err.Error()))
	}
}

// next is the next line; false where none comes.
func (q *questions) next() (string, bool) {
	select {
	case <-q.ctx.Done():
		fmt.Fprintln(q.out)
		q.err = interrupted
	case answer, ok := <-q.answers:
		if ok {
			return answer, true
		}
		fmt.Fprintln(q.out)
		q.err = errors.New("the input has ended before the last answer; nothing is written")
	}
	return "", false
}
