package consistency

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/adconform/adconform/spec"
)

// operation is a request as the model knows it. Objects are paths; a media file
// belongs to the object that its container is, because a list shows both.
type operation struct {
	object string
	kind   kind
	value  string // new name or action, or id of the media file
}

type kind int

const (
	readName   kind = iota // GET of a campaign
	readByNone             // PATCH of a campaign with {}
	rename
	renameProfile // PATCH of a profile with its name alone
	setAction     // PATCH of a profile with an action alone
	listFiles
	deleteFile
	deleteObject
)

// result is what a client saw: the name (of a profile: action and name), the ids
// of the list, or the status.
type result string

const (
	deleted  result = "204"
	notFound result = "404"
)

// send carries out an operation.
func (o operation) send(p *process) (result, error) {
	switch o.kind {
	case readName:
		return nameIn(p.send("GET", o.object, ""))
	case readByNone:
		return nameIn(p.send("PATCH", o.object, "{}"))
	case rename:
		return nameIn(p.send("PATCH", o.object, fmt.Sprintf(`{"name":%q}`, o.value)))
	case renameProfile:
		return profileIn(p.send("PATCH", o.object, fmt.Sprintf(`{"name":%q}`, o.value)))
	case setAction:
		return profileIn(p.send("PATCH", o.object, fmt.Sprintf(`{"withCookiesAction":%q}`, o.value)))
	case listFiles:
		return idsIn(p.send("GET", o.object+"/media-files", ""))
	case deleteFile:
		return statusIn(p.send("DELETE", "/creatives/"+o.value, ""))
	}
	return statusIn(p.send("DELETE", o.object, ""))
}

func nameIn(status int, body string, err error) (result, error) {
	var answer spec.Data[spec.Campaign]
	if err == nil && status == 200 {
		err = json.Unmarshal([]byte(body), &answer)
	} else if err == nil {
		err = unexpected(status, body)
	}
	return result(answer.Data.Name), err
}

func profileIn(status int, body string, err error) (result, error) {
	var answer spec.Data[spec.ConnectionProfile]
	if err == nil && status == 200 {
		err = json.Unmarshal([]byte(body), &answer)
	} else if err == nil {
		err = unexpected(status, body)
	}
	return result(string(answer.Data.WithCookiesAction) + " " + answer.Data.Name), err
}

func idsIn(status int, body string, err error) (result, error) {
	if err != nil || status == 404 {
		return notFound, err
	}
	if status != 200 {
		return "", unexpected(status, body)
	}
	var answer spec.List[spec.Creative]
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		return "", err
	}
	if p := answer.Meta.Pagination; p.TotalCount != int64(len(answer.Data)) || p.Count != p.TotalCount {
		return "", unexpected(status, body)
	}
	ids := make([]string, len(answer.Data))
	for i, c := range answer.Data {
		ids[i] = strconv.FormatInt(c.ID, 10)
	}
	return result(strings.Join(ids, " ")), nil
}

func statusIn(status int, body string, err error) (result, error) {
	if err == nil && status != 204 && status != 404 {
		err = unexpected(status, body)
	}
	return result(strconv.Itoa(status)), err
}

// refusal is an answer that no operation of the tests may get.
type refusal struct{ text string }

func (r refusal) Error() string { return r.text }

func unexpected(status int, body string) error {
	return refusal{fmt.Sprintf("unexpected answer: %d %s", status, body)}
}

// unknown is the state of an object before the first operation that shows it.
const unknown = "?"

// model is what each object should do by itself. The state of a campaign is its
// name; of a profile its action and its name; of a VAST creative the ids of its
// files; of both kinds of creative "404" when it is deleted.
var model = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		var objects [][]porcupine.Operation
		at := map[string]int{}
		for _, o := range history {
			object := o.Input.(operation).object
			i, known := at[object]
			if !known {
				i = len(objects)
				at[object], objects = i, append(objects, nil)
			}
			objects[i] = append(objects[i], o)
		}
		return objects
	},
	Init: func() any { return result(unknown) },
	Step: func(state, input, output any) (bool, any) {
		return input.(operation).step(state.(result), output.(result))
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v: %s", input, output) },
}

// step says whether an operation may show a result in a state, and which state
// follows.
func (o operation) step(state, seen result) (possible bool, next result) {
	switch o.kind {
	case rename:
		return seen == result(o.value), seen
	case renameProfile:
		action, _, _ := strings.Cut(string(state), " ")
		return state == unknown || seen == result(action+" "+o.value), seen
	case setAction:
		_, name, _ := strings.Cut(string(state), " ")
		return state == unknown || seen == result(o.value+" "+name), seen
	case readName, readByNone, listFiles:
		return state == seen || state == unknown, seen
	case deleteFile:
		files := strings.Fields(string(state))
		i := slices.Index(files, o.value)
		if i < 0 { // the container or the file is gone
			return seen == notFound, state
		}
		return seen == deleted, result(strings.Join(slices.Delete(files, i, i+1), " "))
	}
	if state == notFound {
		return seen == notFound, state
	}
	return seen == deleted, notFound
}
