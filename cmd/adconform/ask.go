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

// Questions are put to the user of a terminal, one after another. After an error none is.
type Questions struct {
	Err     error
	ctx     context.Context
	out     io.Writer
	answers <-chan string // closed where the input ends
}

// Asks says whether there is somebody to ask: a terminal on both sides.
func (t *Terminal) Asks() bool {
	in, ok := t.Stdin.(*os.File)
	return ok && term.IsTerminal(int(in.Fd())) && Columns(t.Stdout) > 0
}

// NewQuestions are read from in, line by line, until ctx ends.
func NewQuestions(ctx context.Context, in io.Reader, out io.Writer) *Questions {
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
	return &Questions{ctx: ctx, out: out, answers: answers}
}

// About says what the next questions are about.
func (q *Questions) About(text string) {
	if q.Err == nil {
		fmt.Fprintf(q.out, "\n%s\n", text)
	}
}

// Ask puts a question until its answer can be taken. Enter stands for usual; where that
// is empty, for no answer.
func (q *Questions) Ask(question, usual string, take func(string) error) {
	for q.Err == nil {
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
func (q *Questions) next() (string, bool) {
	select {
	case <-q.ctx.Done():
		fmt.Fprintln(q.out)
		q.Err = Interrupted
	case answer, ok := <-q.answers:
		if ok {
			return answer, true
		}
		fmt.Fprintln(q.out)
		q.Err = errors.New("the input has ended before the last answer; nothing is written")
	}
	return "", false
}
