package suites

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/internal/files"
)

const head = `# Findings that are known and accepted for a time: adconform run --baseline FILE.
# A finding that is not listed fails the run, or that shows in a case that its entry
# does not list, and so does an entry that no longer occurs or that has expired.
`

// Save writes entries into a baseline file, which is made when it is not there: in
// the place of those that it has for the same findings, else behind them. Those of
// the findings that are gone it takes out. What else the file says, comments too, stays.
func Save(path string, entries []*Entry, gone ...string) error {
	doc, list, err := open(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		var n yaml.Node
		if err := n.Encode(e); err != nil {
			return err
		}
		if at := find(list, e.Finding); at != nil {
			replace(at, &n)
		} else {
			list.Content = append(list.Content, &n)
		}
	}
	list.Content = slices.DeleteFunc(list.Content, func(n *yaml.Node) bool {
		var e Entry
		return n.Decode(&e) == nil && slices.Contains(gone, e.Finding)
	})
	if len(list.Content) > 0 {
		list.Style = 0 // no longer []
	}
	return save(path, doc)
}

// find is the entry of a finding in a list of entries.
func find(list *yaml.Node, finding string) *yaml.Node {
	for _, n := range list.Content {
		var e Entry
		if n.Decode(&e) == nil && e.Finding == finding {
			return n
		}
	}
	return nil
}

// replace puts the values of one entry into another, which keeps its comments.
func replace(old, with *yaml.Node) {
	head, foot := old.HeadComment, old.FootComment
	comments := map[string][2]yaml.Node{}
	for i := 0; i+1 < len(old.Content); i += 2 {
		comments[old.Content[i].Value] = [2]yaml.Node{*old.Content[i], *old.Content[i+1]}
	}
	old.Content, old.Style = with.Content, with.Style
	old.HeadComment, old.FootComment = head, foot
	for i := 0; i+1 < len(old.Content); i += 2 {
		before, ok := comments[old.Content[i].Value]
		if !ok {
			continue
		}
		for j, n := range old.Content[i : i+2] {
			n.HeadComment, n.LineComment, n.FootComment = before[j].HeadComment, before[j].LineComment, before[j].FootComment
		}
	}
}

// open gives the document of a file and the list of findings in it.
func open(path string) (doc, list *yaml.Node, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = []byte(head+"version: 1\nfindings: []\n"), nil
	}
	if err != nil {
		return nil, nil, err
	}
	doc = new(yaml.Node)
	if err := yaml.Unmarshal(data, doc); err != nil {
		return nil, nil, err
	}
	root := doc.Content[0]
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "findings" {
			list = root.Content[i+1]
		}
	}
	if list == nil {
		list = &yaml.Node{Kind: yaml.SequenceNode}
		root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "findings"}, list)
	}
	if list.Kind != yaml.SequenceNode { // findings: without a value
		*list = yaml.Node{Kind: yaml.SequenceNode}
	}
	return doc, list, nil
}

func save(path string, doc *yaml.Node) error {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(doc), enc.Close()); err != nil {
		return err
	}
	return files.Rewrite(path, b.Bytes())
}
