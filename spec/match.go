package spec

import "strings"

// Match finds the operation that a request is for, and the ids in its path, in the
// order of Params, as they are written. The path is relative to the base URL, as it
// stands in the request line; a query is ignored. op is nil for a request that belongs
// to no operation.
func (d *Document) Match(method, path string) (op *Operation, ids []string) {
	for _, op := range d.Operations {
		if op.Method != method {
			continue
		}
		if ids, ok := op.Match(path); ok {
			return op, ids
		}
	}
	return nil, nil
}

// Match says whether a path, such as one that Document.Match takes, is one of the
// operation, whatever the method of the request, and gives the ids in it.
func (op *Operation) Match(path string) (ids []string, ok bool) {
	path, _, _ = strings.Cut(path, "?")
	segments, template := strings.Split(path, "/"), strings.Split(op.Path, "/")
	if len(segments) != len(template) {
		return nil, false
	}
	for i, part := range template {
		switch {
		case strings.HasPrefix(part, "{") && segments[i] != "":
			ids = append(ids, segments[i])
		case part != segments[i]:
			return nil, false
		}
	}
	return ids, true
}

// At is the path with these ids, one for each of Params, as they are written: a caller
// escapes what a path cannot hold.
func (op *Operation) At(ids ...string) string {
	parts := strings.Split(op.Path, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[i], ids = ids[0], ids[1:]
		}
	}
	return strings.Join(parts, "/")
}
