package reference

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// check says which choices have a value that is not allowed.
func (c *Choices) check() error {
	return errors.Join(
		oneOf("MalformedID", c.MalformedID, 404, 400, 422),
		oneOf("UnsupportedMediaType", c.UnsupportedMediaType, Refuse, Ignore),
		oneOf("TrailingText", c.TrailingText, Refuse, Ignore),
		oneOf("EmptyBody", c.EmptyBody, Refuse, Accept),
		oneOf("EmptyObject", c.EmptyObject, Accept, Refuse),
		oneOf("NullFields", c.NullFields, Refuse, Ignore),
		oneOf("UnknownFields", c.UnknownFields, Ignore, Refuse),
		oneOf("ReadOnlyFields", c.ReadOnlyFields, Ignore, Refuse),
		oneOf("OmittedFields", c.OmittedFields, Keep, Reset),
		oneOf("ScalarCoercion", c.ScalarCoercion, Refuse, Accept),
		oneOf("EmptyNames", c.EmptyNames, Refuse, Accept),
		atLeast1("MaxNameLength", c.MaxNameLength),
		oneOf("ControlCharacters", c.ControlCharacters, Refuse, Accept),
		oneOf("InvalidHostname", c.InvalidHostname, Refuse, Accept),
		oneOf("InvalidRegex", c.InvalidRegex, Refuse, Accept),
		oneOf("DeleteMediaFile", c.DeleteMediaFile, Accept, Refuse),
		oneOf("DeleteContainerWithFiles", c.DeleteContainerWithFiles, Cascade, RefuseContainer, Orphan),
		oneOf("MediaFilesOfMissing", c.MediaFilesOfMissing, 404, 422, 200),
		oneOf("MediaFilesOfEmpty", c.MediaFilesOfEmpty, 200, 404),
		oneOf("MediaFilesOfNonVast", c.MediaFilesOfNonVast, 422, 404, 200),
		atLeast1("PageSize", c.PageSize),
		oneOf("PageBeyond", c.PageBeyond, EmptyPage, LastPage, PageNotFound),
		oneOf("MalformedPage", c.MalformedPage, Refuse, Ignore),
		oneOf("ListOrder", c.ListOrder, Ascending, Descending),
		oneOf("SuccessStatus", c.SuccessStatus, 200, 201, 202, 203),
		jsonType("MediaType", c.MediaType),
		oneOf("DateFormat", c.DateFormat, DateRFC3339, DateMillis, DateOffset, DateSpace, DateOnly, DateRFC1123),
		oneOf("UnsetRegex", c.UnsetRegex, NullKey, AbsentKey),
		oneOf("RelatedFieldForm", c.RelatedFieldForm, FieldName, FieldPointer, FieldPath),
	)
}

func oneOf[T comparable](choice string, got T, allowed ...T) error {
	if slices.Contains(allowed, got) {
		return nil
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = fmt.Sprintf("%#v", a)
	}
	return fmt.Errorf("choice %s is %#v; want one of %s", choice, got, strings.Join(names, ", "))
}

func atLeast1(choice string, got int) error {
	if got >= 1 {
		return nil
	}
	return fmt.Errorf("choice %s is %d; want at least 1", choice, got)
}

func jsonType(choice, got string) error {
	if isJSON(got) {
		return nil
	}
	return fmt.Errorf("choice %s is %q; want application/json or a +json type", choice, got)
}
