package selftest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/adconform/adconform/fixtures"
)

// Keys are the keys of a target file that it can be read without, in its order:
// objects, objects.campaign, objects.campaign.type, objects.disposableCreatives[7],
// foreign.campaign, and so on.
func Keys(t *fixtures.Target) ([]string, error) {
	root, err := written(t)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, key := range below(root, "") {
		switch _, err := Without(t, key); {
		case err == nil:
			keys = append(keys, key)
		case !isProblem(err):
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	return keys, nil
}

func isProblem(err error) bool {
	return errors.As(err, new(fixtures.Problems))
}

// Without is a target as its file gives it without some of the keys. It is an
// error when what is left cannot be read.
func Without(t *fixtures.Target, keys ...string) (*fixtures.Target, error) {
	root, err := written(t)
	if err != nil {
		return nil, err
	}
	// From the end, so that the places of list items stay what they are called.
	for _, key := range slices.Backward(below(root, "")) {
		if slices.Contains(keys, key) {
			cut(root, "", key)
		}
	}
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

// below are the keys and places of lists below a node, each before those in it.
func below(n *yaml.Node, path string) (keys []string) {
	children(n, path, func(_ int, key string, child *yaml.Node) {
		keys = append(append(keys, key), below(child, key)...)
	})
	return keys
}

// cut takes the child with a key out of the node that has it.
func cut(n *yaml.Node, path, key string) {
	at, width := -1, 1
	children(n, path, func(i int, name string, child *yaml.Node) {
		if name == key {
			at = i
		} else if strings.HasPrefix(key, name) {
			cut(child, name, key)
		}
	})
	if at < 0 {
		return
	}
	if n.Kind == yaml.MappingNode {
		at, width = 2*at, 2
	}
	n.Content = slices.Delete(n.Content, at, at+width)
}

// children visits what a mapping or a list holds, with its place.
func children(n *yaml.Node, path string, visit func(i int, key string, child *yaml.Node)) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := range len(n.Content) / 2 {
			visit(i, strings.TrimPrefix(path+"."+n.Content[2*i].Value, "."), n.Content[2*i+1])
		}
	case yaml.SequenceNode:
		for i, item := range slices.Clone(n.Content) {
			visit(i, fmt.Sprintf("%s[%d]", path, i), item)
		}
	}
}
