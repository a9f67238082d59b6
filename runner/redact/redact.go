// Package redact takes the values of secrets out of what comes from outside,
// once, before anything else sees it (DURABILITY, "Secrets").
//
// Its central type is [Redactor]. Of wfc it imports lang/value and runtime/secretform.
package redact

import (
	"bytes"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runtime/secretform"
)

// MinLength is the number of bytes from which a secret is redacted. Shorter
// values turn up by chance in any text.
const MinLength = secretform.MinLength

// Secret is a secret that is in use.
type Secret struct{ Name, Value string }

// Redactor replaces the values of secrets, and their base64, URL-, JSON- and
// HTML-escaped forms, by "(secret NAME)". A nil Redactor replaces nothing. It
// may be used by several goroutines.
type Redactor struct {
	forms    []form // longest first, so that no form hides within another
	replacer *strings.Replacer
	short    []string
}

type form struct{ text, instead string }

// New returns a Redactor for secrets. An empty value is no secret.
func New(secrets []Secret) *Redactor {
	r := &Redactor{}
	seen := map[string]bool{}
	for _, s := range secrets {
		switch {
		case s.Value == "":
			continue
		case len(s.Value) < MinLength:
			r.short = append(r.short, s.Name)
			continue
		}
		for _, text := range secretform.Of(s.Value) {
			if !seen[text] {
				seen[text] = true
				r.forms = append(r.forms, form{text, "(secret " + s.Name + ")"})
			}
		}
	}
	slices.SortStableFunc(r.forms, func(a, b form) int { return len(b.text) - len(a.text) })
	pairs := make([]string, 0, 2*len(r.forms))
	for _, f := range r.forms {
		pairs = append(pairs, f.text, f.instead)
	}
	r.replacer = strings.NewReplacer(pairs...)
	return r
}

// Short returns the names of the secrets that are too short to be redacted.
func (r *Redactor) Short() []string {
	if r == nil {
		return nil
	}
	return r.short
}

// Text returns s without secrets.
func (r *Redactor) Text(s string) string {
	if !r.found(s) {
		return s
	}
	return r.replacer.Replace(s)
}

func (r *Redactor) found(s string) bool {
	if r == nil || len(s) < MinLength {
		return false
	}
	for _, f := range r.forms {
		if strings.Contains(s, f.text) {
			return true
		}
	}
	return false
}

// Bytes returns binary content without secrets: b itself where it holds none.
func (r *Redactor) Bytes(b []byte) []byte {
	if r == nil || !slices.ContainsFunc(r.forms, func(f form) bool { return bytes.Contains(b, []byte(f.text)) }) {
		return b
	}
	return []byte(r.replacer.Replace(string(b)))
}

// Value returns v without secrets, in texts, keys and numbers. A value that
// holds none is returned as it is. Of a blob it looks at the media type only; its
// bytes are elsewhere: see [Redactor.Bytes].
func (r *Redactor) Value(v value.Value) value.Value {
	if r == nil || len(r.forms) == 0 {
		return v
	}
	out, _ := r.value(v)
	return out
}

func (r *Redactor) value(v value.Value) (value.Value, bool) {
	switch v.Kind() {
	case value.String:
		if s := v.AsString(); r.found(s) {
			return value.OfString(r.replacer.Replace(s)), true
		}
	case value.Number:
		if s := v.AsNumber().String(); r.found(s) {
			return value.OfString(r.replacer.Replace(s)), true
		}
	case value.Blob:
		if b := *v.AsBlob(); r.found(b.MIMEType) {
			b.MIMEType = r.replacer.Replace(b.MIMEType)
			return value.OfBlob(&b), true
		}
	case value.List:
		var list []value.Value // nil until an element changes
		for i, e := range v.AsList() {
			w, changed := r.value(e)
			if changed && list == nil {
				list = slices.Clone(v.AsList())
			}
			if changed {
				list[i] = w
			}
		}
		if list != nil {
			return value.OfList(list), true
		}
	case value.Object:
		return r.object(v)
	}
	return v, false
}

func (r *Redactor) object(v value.Value) (value.Value, bool) {
	changed := false
	obj := v.AsObject()
	for k, a := range obj.All() {
		if _, c := r.value(a); c || r.found(k) {
			changed = true
			break
		}
	}
	if !changed {
		return v, false
	}
	out := value.NewObject(obj.Len())
	for k, a := range obj.All() {
		w, _ := r.value(a)
		out.Set(r.Text(k), w)
	}
	return value.OfObject(out), true
}
