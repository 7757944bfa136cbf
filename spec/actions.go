package spec

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/theory/jsonpath"
	jsonpathspec "github.com/theory/jsonpath/spec"
	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/internal/yamlfile"
)

// An Overlay is the text of an OpenAPI Overlay document (OpenAPI Initiative, Overlay 1.x), and the name of its file.
type Overlay struct {
	File string
	Data []byte
}

// action is one change that an overlay makes. Exactly one of update, remove and copy is given.
type action struct {
	line         int
	targetLine   int
	target, copy string // JSONPath (RFC 9535)
	update       *yaml.Node
	remove       bool
	strict       bool // of Overlay 1.1 or later: values of two kinds cannot be merged
}

// lineError is an error at a line of an overlay.
type lineError struct {
	line int
	text string
}

func (e *lineError) Error() string { return e.text }

func at(line int, format string, args ...any) error {
	return &lineError{line, fmt.Sprintf(format, args...)}
}

// applyTo changes a document as the overlay says.
func (o Overlay) applyTo(document *yaml.Node) error {
	actions, err := o.actions()
	for _, a := range actions {
		if err == nil {
			err = a.applyTo(document)
		}
	}
	if e, is := errors.AsType[*lineError](err); is {
		return fmt.Errorf("%s:%d: %w", o.File, e.line, e)
	}
	return err
}

var version = regexp.MustCompile(`^1\.(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*))?$`)

// actions reads the overlay. Whatever it does not know is an error, as it would have no effect.
func (o Overlay) actions() ([]action, error) {
	root, mistake := yamlfile.Read(o.Data)
	switch {
	case mistake != nil && mistake.SecondDocument:
		return nil, at(mistake.Line, "%s", mistake.Text)
	case mistake != nil:
		return nil, at(mistake.Line, "not an Overlay document: %s", mistake.Text)
	case root == nil || yamlfile.Get(root, "overlay") == nil:
		return nil, at(1, "not an Overlay document: overlay is missing, which says its version, such as 1.0.0")
	}
	info := cmp.Or(yamlfile.Get(root, "info"),
		&yaml.Node{Line: root.Line})
	err := cmp.Or(
		onlyKeys(root, "overlay", "info", "extends", "actions"),
		wantText(root, root.Line, "overlay"),
		onlyKeys(info, "title", "version", "description"),
		wantText(info, info.Line, "title"),
		wantText(info, info.Line, "version"),
	)
	if err != nil {
		return nil, err
	}
	number := yamlfile.Get(root, "overlay")
	form := version.FindStringSubmatch(number.Value)
	if form == nil {
		return nil, at(number.Line, "overlay: want a version 1.x of the Overlay specification, such as 1.0.0")
	}
	list := yamlfile.Get(root, "actions")
	if list == nil || list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		return nil, at(cmp.Or(list, root).Line, "actions: want a list of at least one action")
	}
	var all []action
	for _, item := range list.Content {
		a, err := readAction(item, form[1] != "0")
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// readAction reads an action of an overlay of version 1.0 or a later one.
func readAction(n *yaml.Node, later bool) (action, error) {
	a := action{line: n.Line, strict: later}
	err := cmp.Or(onlyKeys(n, "target", "description", "update", "remove", "copy"),
		wantText(n, n.Line, "target"))
	if err != nil {
		return a, err
	}
	given := 0
	for _, key := range yamlfile.Keys(n) {
		acts, err := a.read(key, yamlfile.Get(n, key.Value))
		if err != nil {
			return a, err
		}
		if acts {
			given++
		}
		if given > 1 {
			return a, at(key.Line,
				"the action has two of update, remove and copy, but only one takes effect; make it two actions")
		}
	}
	if given == 0 {
		return a, at(n.Line, "the action has no effect; want update, remove: true or, from Overlay 1.1.0 on, copy")
	}
	return a, nil
}

// read reads the value under a key of an action, and reports whether it changes something.
func (a *action) read(key, value *yaml.Node) (acts bool, err error) {
	switch key.Value {
	case "target":
		a.target = value.Value
		a.targetLine = value.Line
		return false, nil
	case "update":
		a.update = value
		if value.ShortTag() == "!!null" {
			err = at(key.Line, "update is empty; say what to merge into the target")
		}
	case "remove":
		if value.ShortTag() != "!!bool" {
			return false, at(key.Line, "remove: want true")
		}
		err = value.Decode(&a.remove)
		return a.remove, err
	case "copy":
		a.copy = value.Value
		switch {
		case !a.strict:
			err = at(key.Line, "copy needs Overlay 1.1.0; this document says overlay: 1.0")
		case value.Kind != yaml.ScalarNode:
			err = at(key.Line, "copy: want a text")
		}
	default:
		return false, nil
	}
	return true, err
}

// repeatedValue returns a value that an enum in a node of a document lists twice, and the name of the property with
// that enum. name is that of the node.
func repeatedValue(n *yaml.Node, name string) (string, *yaml.Node) {
	for i, child := range n.Content {
		of := name
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			key := n.Content[i-1].Value
			if twice := repeatedIn(child); key == "enum" && twice != nil {
				return name, twice
			}
			if child.Kind == yaml.MappingNode && key != "items" {
				of = key
			}
		}
		if of, twice := repeatedValue(child, of); twice != nil {
			return of, twice
		}
	}
	return "", nil
}

// repeatedIn returns a scalar of a list that is also before it in the list, or nil.
func repeatedIn(list *yaml.Node) *yaml.Node {
	seen := map[[2]string]bool{}
	for _, n := range list.Content {
		scalar := [2]string{n.ShortTag(), n.Value}
		if n.Kind == yaml.ScalarNode && seen[scalar] {
			return n
		}
		seen[scalar] = true
	}
	return nil
}

// onlyKeys returns an error for a node that is not a mapping, or has a key that is neither known nor an extension.
func onlyKeys(n *yaml.Node, known ...string) error {
	if n.Kind != yaml.MappingNode && n.Kind != 0 {
		return at(n.Line, "want a mapping with %s", wording.List(known))
	}
	for _, key := range yamlfile.Keys(n) {
		if !slices.Contains(known, key.Value) && !strings.HasPrefix(key.Value, "x-") {
			hint := cmp.Or(wording.DidYouMean(key.Value, known),
				"; known are "+wording.List(known))
			return at(key.Line, "%s: unknown key%s", key.Value, hint)
		}
	}
	return nil
}

// wantText returns an error if a mapping has no text or number under a key.
func wantText(n *yaml.Node, line int, key string) error {
	value := yamlfile.Get(n, key)
	switch {
	case value == nil:
		return at(line, "%s is missing", key)
	case value.Kind != yaml.ScalarNode || value.Value == "":
		return at(value.Line, "%s: want a text", key)
	}
	return nil
}

// applyTo changes a document by an action.
func (a action) applyTo(document *yaml.Node) error {
	selected, err := a.selected(document, a.target, "target")
	if err != nil {
		return err
	}
	update := a.update
	if a.copy != "" {
		sources, err := a.selected(document, a.copy, "copy")
		if err != nil {
			return err
		}
		if len(sources) > 1 {
			return at(a.line, "copy %s selects %d places; want one", a.copy, len(sources))
		}
		update = clone(sources[0].node) // as it is before the action
	}
	for _, s := range selected {
		switch {
		case !a.remove:
			if err := a.mergeTarget(s.node, update); err != nil {
				return at(a.line, "target %s: %v", a.target, err)
			}
		case s.parent == nil:
			return at(a.line, "target %s is the whole document, which cannot be removed", a.target)
		default:
			s.remove()
		}
	}
	if name, value := repeatedValue(document, ""); value != nil {
		line := a.line
		if a.update != nil {
			line = value.Line // of the overlay
		}
		return at(line, "the enum of %s lists %q twice: an update of a list adds to it, so leave out what is there",
			name, value.Value)
	}
	return nil
}

// place is a node that an expression selects, and the node that holds it; nil for the whole document.
type place struct{ node, parent *yaml.Node }

// withHyphen matches a name after a dot that JSONPath takes only in brackets.
var withHyphen = regexp.MustCompile(`\.([A-Za-z_]\w*(?:-\w+)+)`)

// selected returns the places that an expression selects, each once.
func (a action) selected(document *yaml.Node, expression, key string) ([]place, error) {
	path, err := jsonpath.Parse(expression)
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "jsonpath: ")
		if name := withHyphen.FindStringSubmatch(expression); name != nil {
			text += fmt.Sprintf("; write ['%s'] for .%[1]s", name[1])
		}
		return nil, at(a.targetLine, "%s %s is not a JSONPath of RFC 9535: %s", key, expression, text)
	}
	located := path.SelectLocated(plain(document)).Deduplicate()
	if len(located) == 0 {
		return nil, at(a.targetLine, "%s %s selects nothing", key, expression)
	}
	located.Sort() // the library selects the members of a mapping in any order
	var all []place
	for _, l := range located {
		p := place{node: document}
		for _, step := range l.Path {
			p.parent = p.node
			switch step := step.(type) {
			case jsonpathspec.Name:
				p.node = yamlfile.Get(p.node, string(step))
			case jsonpathspec.Index:
				p.node = p.node.Content[step]
			}
		}
		all = append(all, p)
	}
	return all, nil
}

// remove removes the node, with its key, from the node that holds it.
func (p place) remove() {
	i := slices.Index(p.parent.Content, p.node)
	switch {
	case i < 0: // removed with another place
	case p.parent.Kind == yaml.MappingNode:
		p.parent.Content = slices.Delete(p.parent.Content, i-1, i+1)
	default:
		p.parent.Content = slices.Delete(p.parent.Content, i, i+1)
	}
}

// plain returns the value of a node, as JSON has it.
func plain(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		all := map[string]any{}
		for pair := range slices.Chunk(n.Content, 2) {
			all[pair[0].Value] = plain(pair[1])
		}
		return all
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			list = append(list, plain(item))
		}
		return list
	}
	var value any
	switch n.ShortTag() {
	case "!!null", "!!bool", "!!int", "!!float":
		_ = n.Decode(&value) // has its tag
	default:
		value = n.Value
	}
	return value
}

// mergeTarget merges an update into the target of an action. A list also takes one entry to append.
func (a action) mergeTarget(target, update *yaml.Node) error {
	isEmpty := update.Kind != yaml.ScalarNode && len(update.Content) == 0
	switch isAlike := target.Kind == update.Kind; {
	case isAlike && isEmpty:
		return errors.New("update is empty; say what to merge into the target")
	case !isAlike && target.Kind == yaml.SequenceNode:
		target.Content = append(target.Content, clone(update))
		return nil
	case !isAlike:
		return errKinds(target, update)
	}
	return a.merge(target, update)
}

// merge merges an update into a node: mappings recursively, lists by appending.
func (a action) merge(node, update *yaml.Node) error {
	switch isAlike := node.Kind == update.Kind; {
	case !isAlike && a.strict:
		return errKinds(node, update)
	case isAlike && node.Kind == yaml.SequenceNode:
		node.Content = append(node.Content, clone(update).Content...)
	case isAlike && node.Kind == yaml.MappingNode:
		for pair := range slices.Chunk(update.Content, 2) {
			old := yamlfile.Get(node, pair[0].Value)
			if old == nil {
				node.Content = append(node.Content, clone(pair[0]),
					clone(pair[1]))
			} else if err := a.merge(old, pair[1]); err != nil {
				return fmt.Errorf("%s: %w", pair[0].Value, err)
			}
		}
	default:
		*node = *clone(update)
	}
	return nil
}

// errKinds says that an update of another kind cannot be merged into a node.
func errKinds(node, update *yaml.Node) error {
	names := map[yaml.Kind]string{
		yaml.MappingNode: "a mapping", yaml.SequenceNode: "a list", yaml.ScalarNode: "a single value",
	}
	return fmt.Errorf("cannot merge %s into %s; remove it first", names[update.Kind], names[node.Kind])
}

func clone(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = nil
	for _, child := range n.Content {
		c.Content = append(c.Content, clone(child))
	}
	return &c
}
