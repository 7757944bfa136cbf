package suites

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// Renewal is an entry as it has to be for a finding of a report.
type Renewal struct {
	*Entry          // without reason and expiry where there is none yet
	Before *Entry   // the one that is there; nil for none
	Fresh  []string // its cases that Before does not list
}

// Renewals are the entries that a baseline needs to cover the wanted findings of a report. An entry that is
// there keeps its reason and its day, and gets the cases that it does not list.
func (b *Baseline) Renewals(r *report.Report, wanted func(*oracle.Finding) bool) (all []Renewal) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if !wanted(f) {
			continue
		}
		cases, at := sights(f)
		before := b.Entry(f)
		if before == nil {
			all = append(all, Renewal{&Entry{Finding: f.CauseWords, At: at, Cases: cases}, nil, cases})
			continue
		}
		fresh := before.NewCases(f)
		if len(fresh) == 0 {
			continue
		}
		e := *before
		e.Cases = slices.Concat(e.Cases, except(cases, e.Cases))
		e.At = slices.Concat(e.At, except(at, e.At))
		all = append(all, Renewal{&e, before, fresh})
	}
	return all
}

const empty = `# Findings that are known and accepted for a time: adconform run --baseline FILE.
# A finding that is not listed fails the run, or that shows in a case that its entry
# does not list, and so does an entry that no longer occurs or that has expired.
version: 1
findings: []
`

// Save writes entries into a baseline file, which it makes where there is none: in place of those
// for the same findings, else behind them. It takes out the entries of the findings that are gone.
// What else the file says, comments too, stays.
func Save(path string, entries []*Entry, gone ...string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = []byte(empty), nil
	}
	if err != nil {
		return err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return err
	}
	list := value(doc.Content[0], "findings")
	if list.Kind != yaml.SequenceNode { // findings: without a value
		*list = yaml.Node{Kind: yaml.SequenceNode}
	}
	for _, e := range entries {
		var n yaml.Node
		if err := n.Encode(e); err != nil {
			return err
		}
		i := slices.IndexFunc(list.Content, func(n *yaml.Node) bool { return value(n, "finding").Value == e.Finding })
		if i < 0 {
			list.Content = append(list.Content, &n)
			continue
		}
		for k := 0; k < len(n.Content); k += 2 {
			old, now := value(list.Content[i], n.Content[k].Value), n.Content[k+1]
			now.HeadComment, now.LineComment, now.FootComment = old.HeadComment, old.LineComment, old.FootComment
			*old = *now
		}
	}
	list.Content = slices.DeleteFunc(list.Content, func(n *yaml.Node) bool { return slices.Contains(gone, value(n, "finding").Value) })
	if len(list.Content) > 0 {
		list.Style = 0 // no longer []
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(&doc), enc.Close()); err != nil {
		return err
	}
	return report.RewriteFile(path, b.Bytes())
}

// value is the value of a key in a mapping; a missing key is added.
func value(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	added := &yaml.Node{Kind: yaml.ScalarNode}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, added)
	return added
}
