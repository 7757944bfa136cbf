package reports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/cmd/adconform/internal/terminal"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

// pinOptions are the flags of pin.
type pinOptions struct {
	target, overlay string
	yes             bool
}

// Pin is the command pin.
func Pin(t *terminal.Terminal) *cobra.Command {
	var o pinOptions
	cmd := &cobra.Command{
		Use:   "pin REPORT",
		Short: "Write what a target chose at open points into its target file",
		Long: `Writes into a target file, under open, what the run of a report saw where the contract is
silent. From then on a run judges it: another choice is a finding, and adconform diff
calls it worse. What was not always the same, or differs from operation to operation, is
left out, and so is what the file pins already; the command says which and why.

It shows the change and asks before it writes. Where nobody can be asked it writes with
--yes alone. All else in the file stays as it is, comments too.

Exit codes: 0 written or nothing to write, 2 wrong usage, or not written.`,
		Example: `  adconform pin report
  adconform pin report --target target.yaml --yes`,
		Args: flags.Arguments(1, 1, "the report is missing: name a report.json or its folder"),
		RunE: func(cmd *cobra.Command, args []string) error { return pin(cmd.Context(), t, args[0], &o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.target, "target", "", "target `file`; default: that of the report")
	f.StringVar(&o.overlay, "overlay", "", "OpenAPI Overlay `file`; default: that of the report")
	f.BoolVarP(&o.yes, "yes", "y", false, "write without asking")
	return cmd
}

func pin(ctx context.Context, t *terminal.Terminal, path string, o *pinOptions) error {
	r, err := report.Read(path)
	if err != nil {
		return err
	}
	file, data, pinned, err := pinnedFile(r, path, o.target)
	if err != nil {
		return err
	}
	overlay := o.overlay
	if overlay == "" {
		overlay = r.Target.Overlay
	}
	contract, err := flags.LoadContract(overlay)
	if err != nil {
		return err
	}
	pins := fixtures.Pins{}
	for _, p := range report.Pins(r, contract, pinned) {
		if p.Value == nil {
			fmt.Fprintln(t.Stdout, wording.Printable("left out "+p.Key+": "+p.Left))
			continue
		}
		pins[p.Key] = p.Value
	}
	if len(pins) == 0 {
		fmt.Fprintf(t.Stdout, "nothing to pin in %s\n", file)
		return nil
	}
	text, edits, err := fixtures.AddPins(data, file, pins)
	if err != nil {
		return err
	}
	printEdits(t.Stdout, file, edits)
	if err := agree(ctx, t, o.yes, fmt.Sprintf("write %s into %s?", wording.Count(len(pins), "open point"), file)); err != nil {
		return err
	}
	if err := files.Rewrite(file, text); err != nil {
		return err
	}
	fmt.Fprintf(t.Stdout, "%s pins %s now\n", file, wording.Count(len(pins), "more open point"))
	return nil
}

// pinnedFile is the target file, its text and what it pins: that of the flag, else that of
// the report. It has to be about the target of the report.
func pinnedFile(r *report.Report, path, given string) (file string, data []byte, pinned fixtures.Pins, err error) {
	if file = given; file == "" {
		file = r.Target.Given
	}
	if file == "" || flags.IsURL(file) {
		return "", nil, nil, fmt.Errorf("%s is not about a target file: name the one to write to with --target", path)
	}
	if data, err = os.ReadFile(file); err != nil {
		return "", nil, nil, fmt.Errorf("%s: %w; name the target file with --target", file, files.WithoutPath(err))
	}
	target, err := fixtures.Keyless(data, file)
	if err == nil && target.BaseURL != r.Target.BaseURL {
		err = fmt.Errorf("%s is about another target: %s, and %s has %s", path, r.Target.BaseURL, file, target.BaseURL)
	}
	if err != nil {
		return "", nil, nil, err
	}
	return file, data, target.Open, nil
}

// printEdits shows a change of a file.
func printEdits(w io.Writer, file string, edits []fixtures.Edit) {
	var b bytes.Buffer
	for _, e := range edits {
		fmt.Fprintf(&b, "%s:%d\n", file, e.Line)
		printLines(&b, "-", e.Old)
		printLines(&b, "+", e.Added)
	}
	fmt.Fprint(w, b.String())
}

func printLines(w io.Writer, sign string, lines []string) {
	for line := range strings.Lines(strings.Join(lines, "")) {
		fmt.Fprintln(w, sign+" "+wording.Printable(strings.TrimRight(line, "\r\n")))
	}
}

// agree asks before something is written.
func agree(ctx context.Context, t *terminal.Terminal, yes bool, question string) error {
	if yes {
		return nil
	}
	if !t.Asks() {
		return errors.New("nothing is written, as nobody can be asked: --yes writes it")
	}
	ctx, cancel := t.Interruptible(ctx, "")
	defer cancel()
	q := terminal.NewQuestions(ctx, t.Stdin, t.Stdout)
	agreed := false
	q.Ask(question, "no", func(text string) error {
		switch strings.ToLower(text) {
		case "y", "yes":
			agreed = true
		case "n", "no":
		default:
			return errors.New("want yes or no")
		}
		return nil
	})
	if q.Err == nil && !agreed {
		return errors.New("nothing is written")
	}
	return q.Err
}
