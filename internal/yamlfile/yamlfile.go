// Package yamlfile reads the one document of a file in YAML or JSON, as people and other tools write it: with anchors,
// merge keys, a byte order mark or a %YAML line.
package yamlfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// A Mistake is what makes a file unreadable. Its text may quote the file, between backquotes.
type Mistake struct {
	Line           int // from 1
	Text           string
	SecondDocument bool
}

func (m *Mistake) Error() string {
	return fmt.Sprintf("line %d: %s", m.Line, m.Text)
}

// Read returns the document in a file, or nil if the file is empty. Aliases and merge keys are replaced by what they
// stand for. A repeated key and a second document are mistakes, as one of the two would be dropped.
func Read(data []byte) (*yaml.Node, *Mistake) {
	data = Plain(data)
	var first, next yaml.Node
	from := yaml.NewDecoder(bytes.NewReader(data))
	err := from.Decode(&first)
	if err == nil {
		err = first.Decode(new(any)) // fails if a key is repeated, or an alias contains itself
	}
	for err == nil {
		next = yaml.Node{}
		if err = from.Decode(&next); err == nil && !isEmpty(&next) {
			const text = "a second YAML document begins here; remove it, as a file holds one"
			return nil, &Mistake{Line: next.Content[0].Line, Text: text, SecondDocument: true}
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, MistakeOf(err, data)
	}
	if isEmpty(&first) {
		return nil, nil
	}
	return expansion{}.expand(first.Content[0]), nil
}

// isEmpty reports whether a document holds nothing, as one behind a last --- does.
func isEmpty(document *yaml.Node) bool {
	if len(document.Content) == 0 {
		return true
	}
	content := document.Content[0]
	return content.ShortTag() == "!!null" && content.Value == ""
}

// expansion holds the nodes that replace others.
type expansion map[*yaml.Node]*yaml.Node

// expand returns a copy of a node without anchors, aliases and merge keys.
func (e expansion) expand(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return e.expand(n.Alias)
	}
	if e[n] != nil {
		return e[n]
	}
	plain := *n
	plain.Anchor = ""
	plain.Content = nil
	e[n] = &plain
	var merged []*yaml.Node // the mappings of merge keys, the first one wins
	for i, child := range n.Content {
		switch {
		case n.Kind != yaml.MappingNode:
			plain.Content = append(plain.Content, e.expand(child))
		case i%2 == 1: // comes with its key
		case isMerge(child):
			merged = append(merged, e.mergedMappings(n.Content[i+1])...)
		default:
			value := e.expand(n.Content[i+1])
			plain.Content = append(plain.Content, e.expand(child), value)
		}
	}
	for _, m := range merged {
		for pair := range slices.Chunk(m.Content, 2) {
			if Get(&plain, pair[0].Value) == nil {
				plain.Content = append(plain.Content, pair...)
			}
		}
	}
	return &plain
}

// mergedMappings returns the mappings that the value of a merge key names: one, or a list.
func (e expansion) mergedMappings(value *yaml.Node) []*yaml.Node {
	value = e.expand(value)
	if value.Kind == yaml.SequenceNode {
		return value.Content
	}
	return []*yaml.Node{value}
}

// isMerge reports whether a key is a merge key: <<, not in quotes, or !!merge <<, as yq writes it.
func isMerge(key *yaml.Node) bool {
	return key.ShortTag() == "!!merge" && key.Value == "<<"
}

// Get returns the value under a key of a mapping, or nil.
func Get(mapping *yaml.Node, key string) *yaml.Node {
	if mapping.Kind != yaml.MappingNode {
		return nil
	}
	for pair := range slices.Chunk(mapping.Content, 2) {
		if pair[0].Value == key {
			return pair[1]
		}
	}
	return nil
}

// Keys returns the keys of a mapping.
func Keys(mapping *yaml.Node) (keys []*yaml.Node) {
	for pair := range slices.Chunk(mapping.Content, 2) {
		keys = append(keys, pair[0])
	}
	return keys
}

var (
	byteOrderMark = []byte("\uFEFF")
	// version matches the directive that begins a document: the parser knows 1.1 and 1.2, which differ in nothing here.
	version = regexp.MustCompile(`(?m)\A((?:[ \t]*(?:#.*)?\r?\n)*)%YAML `)
	// jsonString matches a string in JSON.
	jsonString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
)

// Plain returns the text of a file as the YAML parser knows it, with the same lines: it does not know two escapes of
// JSON, \/ and surrogate pairs.
func Plain(data []byte) []byte {
	data = bytes.TrimPrefix(data, byteOrderMark)
	if !json.Valid(data) {
		return version.ReplaceAll(data, []byte("${1}#YAML "))
	}
	return jsonString.ReplaceAllFunc(data, func(quoted []byte) []byte {
		var text string
		_ = json.Unmarshal(quoted, &text) // it is valid
		return strconv.AppendQuoteToASCII(nil, text)
	})
}

var (
	// lineOfError matches a line in the parser's message.
	lineOfError = regexp.MustCompile(`^(?:line (\d+): )?(.*)`)
	// countedFrom0 matches messages of the parser, which counts lines from 0, its scanner from 1.
	countedFrom0 = regexp.MustCompile(`^did not find expected (?:<|node|key|'-'|',')`)
)

// MistakeOf returns the first problem that the YAML library reports in a file.
func MistakeOf(err error, file []byte) *Mistake {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "unmarshal errors:\n  ")
	text, _, _ = strings.Cut(text, "\n")
	m := lineOfError.FindStringSubmatch(text)
	line, _ := strconv.Atoi(m[1])
	if countedFrom0.MatchString(m[2]) {
		line = min(line+1, 1+bytes.Count(bytes.TrimSpace(file), []byte("\n")))
	}
	return &Mistake{Line: max(line, 1), Text: m[2]}
}
