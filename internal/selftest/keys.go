package selftest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/fixtures/document"
)

// Keys are the keys of a target file that it can be read without, in its order:
// objects, objects.campaign, objects.campaign.type, objects.disposableCreatives[7],
// foreign.campaign, and so on.
func Keys(t *fixtures.Target) ([]string, error) {
	root, err := written(t)
	if err != nil {
		return nil, err
	}
	var all, keys []string
	visit(root, "", func(key string) bool {
		all = append(all, key)
		return false
	})
	for _, key := range all {
		switch _, err := Without(t, key); {
		case err == nil:
			keys = append(keys, key)
		case !errors.As(err, new(document.Problems)):
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	return keys, nil
}

// Without is a target as its file gives it without some of the keys. It is an
// error when what is left cannot be read.
func Without(t *fixtures.Target, keys ...string) (*fixtures.Target, error) {
	root, err := written(t)
	if err != nil {
		return nil, err
	}
	visit(root, "", func(key string) bool { return slices.Contains(keys, key) })
	data, err := yaml.Marshal(root)
	if err != nil {
		return nil, err
	}
	return fixtures.Parse(data, "target.yaml", func(string) (string, bool) { return "", false })
}

// written is a target as its file, by its root.
func written(t *fixtures.Target) (*yaml.Node, error) {
	var file bytes.Buffer
	if err := fixtures.WriteTarget(&file, t, fixtures.WriteOptions{}); err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(file.Bytes(), &document); err != nil {
		return nil, err
	}
	return document.Content[0], nil
}

// visit asks of every key and place of a list below a node, each before those in it,
// whether it is cut.
func visit(n *yaml.Node, path string, cut func(key string) bool) {
	width := map[yaml.Kind]int{yaml.MappingNode: 2, yaml.SequenceNode: 1}[n.Kind]
	if width == 0 {
		return
	}
	var left []*yaml.Node
	for i := 0; i < len(n.Content); i += width {
		key := fmt.Sprintf("%s[%d]", path, i)
		if width == 2 {
			key = strings.TrimPrefix(path+"."+n.Content[i].Value, ".")
		}
		if !cut(key) {
			visit(n.Content[i+width-1], key, cut)
			left = append(left, n.Content[i:i+width]...)
		}
	}
	n.Content = left
}
