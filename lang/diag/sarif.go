package diag

import (
	"encoding/json"
	"io"
	"net/url"
	"strings"
)

// The parts of SARIF 2.1.0 that findings need. The libraries for it reach the
// network (their schema validators do), which this package must not.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   Code          `json:"id"`
		ShortDescription     sarifMessage  `json:"shortDescription"`
		FullDescription      sarifMessage  `json:"fullDescription"`
		Help                 sarifMessage  `json:"help"`
		DefaultConfiguration sarifSeverity `json:"defaultConfiguration"`
	}
	sarifSeverity struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifResult struct {
		RuleID           Code            `json:"ruleId"`
		RuleIndex        int             `json:"ruleIndex"`
		Level            string          `json:"level"`
		Message          sarifMessage    `json:"message"`
		Locations        []sarifLocation `json:"locations,omitempty"`
		RelatedLocations []sarifLocation `json:"relatedLocations,omitempty"`
		Fixes            []sarifFix      `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPlace    `json:"physicalLocation"`
		Message          *sarifMessage `json:"message,omitempty"`
	}
	sarifPlace struct {
		ArtifactLocation sarifFile    `json:"artifactLocation"`
		Region           *sarifRegion `json:"region,omitempty"`
	}
	sarifFile struct {
		URI       string `json:"uri"`
		URIBaseID string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"` // of what follows the region
	}
	sarifFix struct {
		Description     sarifMessage  `json:"description"`
		ArtifactChanges []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		ArtifactLocation sarifFile          `json:"artifactLocation"`
		Replacements     []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		DeletedRegion   sarifRegion   `json:"deletedRegion"`
		InsertedContent sarifInserted `json:"insertedContent"`
	}
	sarifInserted struct {
		Text string `json:"text"`
	}
)

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	// sourceRoot stands for the root of the checkout, where consumers read files from.
	sourceRoot = "%SRCROOT%"
	homepage   = "https://github.com/lda-wf/wfc"
)

// WriteSARIF writes the diagnostics as a SARIF 2.1.0 log of one run of wfc of
// the given version. Files are named relative to the root of the checkout.
func WriteSARIF(w io.Writer, l List, version string) error {
	run := sarifRun{
		Tool: sarifTool{Driver: sarifDriver{
			Name: "wfc", Version: version, InformationURI: homepage, Rules: make([]sarifRule, 0, len(l)),
		}},
		ColumnKind: "unicodeCodePoints",
		Results:    make([]sarifResult, 0, len(l)),
	}
	rules := &run.Tool.Driver.Rules
	index := map[Code]int{}
	for _, d := range l {
		at, ok := index[d.Code]
		if !ok {
			at = len(*rules)
			index[d.Code] = at
			*rules = append(*rules, sarifRuleOf(mustLookup(d.Code)))
		}
		run.Results = append(run.Results, sarifResultOf(d, at))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

func sarifRuleOf(e Entry) sarifRule {
	return sarifRule{
		ID:                   e.Code,
		ShortDescription:     sarifMessage{Text: e.Summary},
		FullDescription:      sarifMessage{Text: e.Explanation},
		Help:                 sarifMessage{Text: Explain(e), Markdown: sarifHelp(e)},
		DefaultConfiguration: sarifSeverity{Level: sarifLevel(e.Severity)},
	}
}

// sarifHelp is [Explain] in Markdown.
func sarifHelp(e Entry) string {
	var s strings.Builder
	s.WriteString(e.Explanation + "\n")
	for _, x := range []struct{ title, text string }{{"Fails", e.Failing}, {"Mended", e.Mended}} {
		if x.text != "" {
			s.WriteString("\n" + x.title + ":\n\n```hcl\n" + clean(x.text) + "```\n")
		}
	}
	return s.String()
}

func sarifLevel(s Severity) string {
	if s == Info {
		return "note"
	}
	return s.String()
}

func sarifResultOf(d Diagnostic, rule int) sarifResult {
	d = d.bounded()
	r := sarifResult{RuleID: d.Code, RuleIndex: rule, Level: sarifLevel(d.Severity), Message: sarifMessage{Text: d.Detail}}
	if d.Detail == "" {
		r.Message.Text = d.Summary
	}
	if d.Range.File != "" {
		r.Locations = []sarifLocation{{PhysicalLocation: sarifPlaceOf(d.Range)}}
	}
	for _, x := range d.Related {
		if x.Range.File != "" {
			r.RelatedLocations = append(r.RelatedLocations, sarifLocation{PhysicalLocation: sarifPlaceOf(x.Range), Message: &sarifMessage{Text: x.Message}})
		}
	}
	for _, f := range d.Fixes {
		r.Fixes = append(r.Fixes, sarifFixOf(f))
	}
	return r
}

func sarifPlaceOf(r Range) sarifPlace {
	p := sarifPlace{ArtifactLocation: sarifFileOf(r.File)}
	if r.Start.Line > 0 {
		region := sarifRegionOf(r)
		p.Region = &region
	}
	return p
}

func sarifRegionOf(r Range) sarifRegion {
	return sarifRegion{r.Start.Line, max(r.Start.Column, 1), max(r.End.Line, r.Start.Line), max(r.End.Column, 1)}
}

// sarifFileOf names a file: relative to the root of the checkout, or by its
// whole path where it stands outside.
func sarifFileOf(file string) sarifFile {
	if strings.HasPrefix(file, "/") {
		return sarifFile{URI: (&url.URL{Scheme: "file", Path: file}).String()}
	}
	// A first part with a colon would be read as a scheme; String writes ./ before it.
	return sarifFile{URI: (&url.URL{Path: file}).String(), URIBaseID: sourceRoot}
}

func sarifFixOf(f Fix) sarifFix {
	out := sarifFix{Description: sarifMessage{Text: f.Title}}
	at := map[string]int{} // of each file among the changes
	for _, e := range f.Edits {
		i, ok := at[e.Range.File]
		if !ok {
			i = len(out.ArtifactChanges)
			at[e.Range.File] = i
			out.ArtifactChanges = append(out.ArtifactChanges, sarifChange{ArtifactLocation: sarifFileOf(e.Range.File)})
		}
		c := &out.ArtifactChanges[i]
		c.Replacements = append(c.Replacements, sarifReplacement{sarifRegionOf(e.Range), sarifInserted{e.Text}})
	}
	return out
}
