package wftest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
)

// contentType is what the content of a mock is at least.
var contentType = sync.OnceValue(func() *types.Type {
	return types.MustParse(`list(object({ type = string, text = optional(string), blob = optional(string), mime_type = optional(string), uri = optional(string) }, any))`)
})

// contentAnswer is an answer of several parts. Binary content, which is in base64
// there, becomes blobs.
func (s *simulation) contentAnswer(c *call, v value.Value) (*engine.Answer, error) {
	if why := types.Conforms(contentType(), v); why != nil {
		return nil, errors.New(why.Error())
	}
	a := &engine.Answer{Generation: 1}
	var texts []string
	for i, p := range v.AsList() {
		part := value.NewObject(p.AsObject().Len())
		var mime string
		if m, ok := p.AsObject().Get("mime_type"); ok && m.Kind() == value.String {
			mime = m.AsString()
		}
		for name, x := range p.AsObject().All() {
			if name == "blob" && x.Kind() == value.String {
				data, err := base64.StdEncoding.DecodeString(x.AsString())
				if err != nil {
					return nil, fmt.Errorf("the blob of part %d is no base64: %w", i, err)
				}
				x = value.OfBlob(s.keep(data, mime))
			}
			part.Set(name, x)
		}
		if t, ok := p.AsObject().Get("text"); ok && t.Kind() == value.String {
			texts = append(texts, t.AsString())
		}
		a.Content = append(a.Content, value.OfObject(part))
	}
	a.Text = strings.Join(texts, "\n")
	return a, nil
}

// keep keeps binary content, which the run may pass on.
func (s *simulation) keep(data []byte, mime string) *value.BlobValue {
	sum := sha256.Sum256(data)
	b := &value.BlobValue{MIMEType: mime, Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
	if s.blobs == nil {
		s.blobs = map[string][]byte{}
	}
	s.blobs[b.SHA256] = data
	return b
}

// blob gives the bytes of a blob that the run has.
func (s *simulation) blob(b *value.BlobValue) ([]byte, error) {
	if data, ok := s.blobs[b.SHA256]; ok {
		return data, nil
	}
	return nil, fmt.Errorf("the blob %s is not there", b.SHA256)
}
