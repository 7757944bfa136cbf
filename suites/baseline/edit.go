package baseline

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

const head = `# Findings that are known and borne for a time: adconform run --baseline FILE.
# A finding that is not listed fails the run, and so does an entry that no longer
# occurs or that has expired.
`

// Add writes entries into a baseline file, which is made when it is not there,
// behind those that it has. What else the file says, comments too, stays.
func Add(path string, entries []*Entry) error {
	doc, list, err := open(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		var n yaml.Node
		if err := n.Encode(e); err != nil {
			return err
		}
		list.Content = append(list.Content, &n)
	}
	list.Style = 0 // no longer []
	return save(path, doc)
}

// Remove takes the entries of causes out of a baseline file.
func Remove(path string, causes []oracle.Cause) error {
	doc, list, err := open(path)
	if err != nil {
		return err
	}
	list.Content = slices.DeleteFunc(list.Content, func(n *yaml.Node) bool {
		var e Entry
		return n.Decode(&e) == nil && slices.Contains(causes, e.Cause)
	})
	return save(path, doc)
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
	return report.WriteFile(path, 0o644, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
}
