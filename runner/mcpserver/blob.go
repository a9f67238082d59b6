package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/service"
)

// In the JSON of outputs a handle stands for binary content. Beside it a client gets
// what its model can see or hear, and links to all else, whose bytes it can read.

const (
	// maxShown bounds one image or sound that a result has in it, in bytes: hosts of
	// models refuse or shrink larger ones.
	maxShown = 1 << 20
	// maxShownTogether bounds those of one result.
	maxShownTogether = 4 << 20
	// maxRead bounds what a client reads: a message with more, in base64, is over the
	// limit of clients.
	maxRead = 10 << 20
	// maxLinks bounds the links of one result: all are in its JSON.
	maxLinks = 100
)

// shownImages are the types of images that models take.
var shownImages = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// The revisions since which clients know these kinds of content.
const (
	sinceAudio = "2025-03-26"
	sinceLinks = "2025-06-18"
)

const blobTemplate = "wfc://runs/{run}/blobs/{sha256}"

var blobURI = regexp.MustCompile(`^wfc://runs/([0-9a-z-]+)/blobs/([0-9a-f]{64})$`)

// addBlobs lets clients read what links lead to.
func (s *Server) addBlobs() {
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "blob", Title: "Binary content of a run", URITemplate: blobTemplate,
		Description: "Binary content that the results of a run have, as links in results name it.",
	}, s.readBlob)
}

func (s *Server) readBlob(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	m := blobURI.FindStringSubmatch(req.Params.URI)
	if m == nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	meta, data, err := s.host.Blob(ctx, m[1], m[2])
	none := (*service.Error)(nil)
	switch {
	case errors.As(err, &none) && none.Kind == service.NotFound:
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	case err != nil:
		return nil, err
	case len(data) > maxRead:
		return nil, fmt.Errorf("The content has %d bytes; more than %d are not sent. wfc runs export %s writes it into a folder.", len(data), maxRead, m[1])
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: meta.MIMEType, Blob: data}}}, nil
}

// content returns what a client sees of the outputs of a run: their JSON, and what
// there is of images, sounds and links.
func (s *Server) content(ctx context.Context, req *mcp.CallToolRequest, run *service.Run, text string) []mcp.Content {
	all := []mcp.Content{&mcp.TextContent{Text: text}}
	left, links := int64(maxShownTogether), maxLinks
	for _, b := range blobsOf(run.Output) {
		if b.Size <= min(left, maxShown) {
			if shown := s.shown(ctx, req, run.ID, b); shown != nil {
				left -= b.Size
				all = append(all, shown)
				continue
			}
		}
		if links > 0 && knows(req, sinceLinks) {
			links--
			all = append(all, &mcp.ResourceLink{
				URI: fmt.Sprintf("wfc://runs/%s/blobs/%s", run.ID, b.SHA256), Name: b.at, MIMEType: b.MIMEType, Size: &b.Size,
			})
		}
	}
	return all
}

// shown returns an image or a sound for a model; nil: it is none.
func (s *Server) shown(ctx context.Context, req *mcp.CallToolRequest, run string, b blob) mcp.Content {
	image := slices.Contains(shownImages, b.MIMEType)
	sound := strings.HasPrefix(b.MIMEType, "audio/") && knows(req, sinceAudio)
	if !image && !sound {
		return nil
	}
	_, data, err := s.host.Blob(ctx, run, b.SHA256)
	if err != nil {
		s.log.Warn("binary content of a result is not there", "run", run, "output", b.at, "why", err.Error())
		return nil
	}
	switch {
	case sound:
		return &mcp.AudioContent{MIMEType: b.MIMEType, Data: data}
	case http.DetectContentType(data) == b.MIMEType:
		return &mcp.ImageContent{MIMEType: b.MIMEType, Data: data}
	}
	return nil // hosts of models refuse all of a result for an image that is none
}

// blob is binary content in outputs.
type blob struct {
	*value.BlobValue
	at string // where it is first: page.shots[0]
}

// blobsOf returns the binary content of outputs, each once, in their order.
func blobsOf(outputs value.Value) []blob {
	var found []blob
	var at []string // the way to v; an element of a list is "", whose place is in index
	var index []int
	var walk func(v value.Value)
	walk = func(v value.Value) {
		switch v.Kind() {
		case value.Blob:
			b := v.AsBlob()
			if !slices.ContainsFunc(found, func(f blob) bool { return f.SHA256 == b.SHA256 }) {
				found = append(found, blob{b, pathOf(at, index)})
			}
		case value.List:
			at, index = append(at, ""), append(index, 0)
			for i, e := range v.AsList() {
				index[len(index)-1] = i
				walk(e)
			}
			at, index = at[:len(at)-1], index[:len(index)-1]
		case value.Object:
			at = append(at, "")
			for name, a := range v.AsObject().All() {
				at[len(at)-1] = "." + name
				walk(a)
			}
			at = at[:len(at)-1]
		}
	}
	walk(outputs)
	return found
}

func pathOf(at []string, index []int) string {
	var b strings.Builder
	for _, step := range at {
		if step == "" {
			fmt.Fprintf(&b, "[%d]", index[0])
			index = index[1:]
		}
		b.WriteString(step)
	}
	return strings.TrimPrefix(b.String(), ".")
}

// knows reports whether a client speaks a revision or a later one.
func knows(req *mcp.CallToolRequest, revision string) bool {
	p := req.Session.InitializeParams()
	return p == nil || p.ProtocolVersion == "" || p.ProtocolVersion >= revision
}
