package protocol

import "encoding/json"

// DiagnosticSeverity is how bad a diagnostic is.
type DiagnosticSeverity uint32

// The severities.
const (
	SeverityError       DiagnosticSeverity = 1
	SeverityWarning     DiagnosticSeverity = 2
	SeverityInformation DiagnosticSeverity = 3
	SeverityHint        DiagnosticSeverity = 4
)

// DiagnosticTag is what an editor shows by greying out or striking through.
type DiagnosticTag uint32

// The tags.
const (
	TagUnnecessary DiagnosticTag = 1
	TagDeprecated  DiagnosticTag = 2
)

// CodeDescription links to the explanation of a code.
type CodeDescription struct {
	Href string `json:"href"`
}

// DiagnosticRelatedInformation points at another place that has to do with a diagnostic.
type DiagnosticRelatedInformation struct {
	Location Location `json:"location"`
	Message  string   `json:"message"`
}

// Diagnostic is a finding as the client shows it. Code is a string of ours; of
// those that a client sends back it may be a number of another server's.
type Diagnostic struct {
	Range              Range                          `json:"range"`
	Severity           DiagnosticSeverity             `json:"severity,omitempty"`
	Code               any                            `json:"code,omitempty"`
	CodeDescription    *CodeDescription               `json:"codeDescription,omitempty"`
	Source             string                         `json:"source,omitempty"`
	Message            string                         `json:"message"`
	Tags               []DiagnosticTag                `json:"tags,omitempty"`
	RelatedInformation []DiagnosticRelatedInformation `json:"relatedInformation,omitempty"`
	Data               json.RawMessage                `json:"data,omitempty"`
}

// PublishDiagnosticsParams are all diagnostics of a document. Version is nil for
// one that is not open.
type PublishDiagnosticsParams struct {
	URI         DocumentURI  `json:"uri"`
	Version     *int32       `json:"version,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// DocumentDiagnosticParams ask for the diagnostics of a document.
type DocumentDiagnosticParams struct {
	TextDocument     TextDocumentIdentifier `json:"textDocument"`
	Identifier       string                 `json:"identifier,omitempty"`
	PreviousResultID string                 `json:"previousResultId,omitempty"`
}

// The kinds of a diagnostic report.
const (
	ReportFull      = "full"
	ReportUnchanged = "unchanged"
)

// DocumentDiagnosticReport answers textDocument/diagnostic. Items is nil, and
// left out, where Kind is "unchanged".
type DocumentDiagnosticReport struct {
	Kind     string       `json:"kind"`
	ResultID string       `json:"resultId,omitempty"`
	Items    []Diagnostic `json:"-"`
}

// MarshalJSON writes items where the report is full, and there only.
func (r DocumentDiagnosticReport) MarshalJSON() ([]byte, error) {
	type short DocumentDiagnosticReport
	if r.Kind == ReportUnchanged {
		return json.Marshal(short(r))
	}
	items := r.Items
	if items == nil {
		items = []Diagnostic{}
	}
	return json.Marshal(struct {
		short
		Items []Diagnostic `json:"items"`
	}{short(r), items})
}

// WorkspaceDiagnosticParams ask for the diagnostics of all files.
type WorkspaceDiagnosticParams struct {
	Identifier        string             `json:"identifier,omitempty"`
	PreviousResultIDs []PreviousResultID `json:"previousResultIds"`
}

// PreviousResultID is what the client has of a document.
type PreviousResultID struct {
	URI   DocumentURI `json:"uri"`
	Value string      `json:"value"`
}

// WorkspaceDiagnosticReport answers workspace/diagnostic.
type WorkspaceDiagnosticReport struct {
	Items []WorkspaceDocumentDiagnosticReport `json:"items"`
}

// WorkspaceDocumentDiagnosticReport is the report of one document of several.
// Version is null for one that is not open.
type WorkspaceDocumentDiagnosticReport struct {
	URI     DocumentURI
	Version *int32
	Report  DocumentDiagnosticReport
}

// MarshalJSON writes the report flat, as the protocol has it.
func (r WorkspaceDocumentDiagnosticReport) MarshalJSON() ([]byte, error) {
	head := struct {
		URI      DocumentURI `json:"uri"`
		Version  *int32      `json:"version"`
		Kind     string      `json:"kind"`
		ResultID string      `json:"resultId,omitempty"`
	}{r.URI, r.Version, r.Report.Kind, r.Report.ResultID}
	if r.Report.Kind == ReportUnchanged {
		return json.Marshal(head)
	}
	items := r.Report.Items
	if items == nil {
		items = []Diagnostic{}
	}
	return json.Marshal(struct {
		URI      DocumentURI  `json:"uri"`
		Version  *int32       `json:"version"`
		Kind     string       `json:"kind"`
		ResultID string       `json:"resultId,omitempty"`
		Items    []Diagnostic `json:"items"`
	}{head.URI, head.Version, head.Kind, head.ResultID, items})
}
