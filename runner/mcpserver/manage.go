package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/service"
)

// managementTools are the names of the tools of wfc itself.
var managementTools = map[string]bool{
	"wfc_list_deployments": true, "wfc_describe_deployment": true, "wfc_run_deployment": true, "wfc_get_run": true, "wfc_cancel_run": true,
}

// The arguments of the tools of wfc itself.
type (
	noArguments    struct{}
	deploymentArgs struct {
		Deployment string `json:"deployment"`
	}
	runDeploymentArgs struct {
		Deployment string          `json:"deployment"`
		Input      json.RawMessage `json:"input"`
		Wait       bool            `json:"wait"`
	}
	runArgs struct {
		Run string `json:"run_id"`
	}
)

// Their schemas.
const (
	nothingSchema    = `{"type": "object", "properties": {}, "additionalProperties": false}`
	deploymentSchema = `{"type": "object", "required": ["deployment"], "additionalProperties": false, "properties": {
		"deployment": {"type": "string", "description": "The id of a deployment."}}}`
	runDeploymentSchema = `{"type": "object", "required": ["deployment"], "additionalProperties": false, "properties": {
		"deployment": {"type": "string", "description": "The id of a deployment."},
		"input": {"type": "object", "description": "The inputs."},
		"wait": {"type": "boolean", "description": "Answer when the run has ended or waits for a person; else as soon as it has begun."}}}`
	runSchema = `{"type": "object", "required": ["run_id"], "additionalProperties": false, "properties": {
		"run_id": {"type": "string", "description": "The id of a run."}}}`
)

// The results of the tools of wfc itself.
type (
	deploymentList struct {
		Deployments []deploymentLine `json:"deployments"`
	}
	deploymentLine struct {
		Deployment  string `json:"deployment"`
		Tool        string `json:"tool"`
		Workflow    string `json:"workflow"`
		Description string `json:"description,omitempty"`
		Status      string `json:"status"` // ready, stale or invalid
	}
	deploymentDetails struct {
		deploymentLine
		ReadOnly     bool              `json:"read_only"` // it is of the project's files
		Bindings     map[string]string `json:"bindings"`  // connection ids by logical source
		InputSchema  json.RawMessage   `json:"input_schema,omitempty"`
		OutputSchema json.RawMessage   `json:"output_schema,omitempty"`
		Diagnostics  any               `json:"diagnostics"`
	}
	runDetails struct {
		Run        string          `json:"run_id"`
		Deployment string          `json:"deployment,omitempty"`
		Workflow   string          `json:"workflow"`
		Status     string          `json:"status"`
		StartedAt  time.Time       `json:"started_at"`
		FinishedAt *time.Time      `json:"finished_at"`
		Output     json.RawMessage `json:"output"`
		Error      any             `json:"error"`
		Steps      []runStep       `json:"steps"`
	}
	runStep struct {
		Step  string          `json:"step"`
		Key   json.RawMessage `json:"key,omitempty"`
		State string          `json:"state"`
		Error any             `json:"error,omitempty"`
	}
)

// addManagement offers the tools of wfc itself.
func (s *Server) addManagement() {
	reads := func(title string) *mcp.ToolAnnotations { return &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true} }
	add(s, "wfc_list_deployments", "Lists the deployments of the project.", nothingSchema, reads("List deployments"), s.listDeployments)
	add(s, "wfc_describe_deployment", "Says what a deployment takes and gives, and whether it can be run.", deploymentSchema, reads("Describe a deployment"), s.describeDeployment)
	add(s, "wfc_run_deployment", "Runs a deployment, and returns the run as it is.", runDeploymentSchema, nil, s.runDeployment)
	add(s, "wfc_get_run", "Says how a run is: its status, its steps, and its output once it is completed.", runSchema, reads("Look at a run"), s.getRun)
	add(s, "wfc_cancel_run", "Cancels a run: its calls are cancelled, and what it did is undone as the workflow says.", runSchema, nil, s.cancelRun)
}

// add offers one tool of wfc itself.
func add[In any](s *Server, name, description, schema string, hints *mcp.ToolAnnotations, do func(context.Context, In) (any, error)) {
	t := &mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema), Annotations: hints}
	s.mcp.AddTool(t, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in In
		if len(req.Params.Arguments) > 0 {
			d := json.NewDecoder(bytes.NewReader(req.Params.Arguments))
			d.DisallowUnknownFields()
			if err := d.Decode(&in); err != nil {
				return failed(fmt.Sprintf("The arguments are not as the tool wants them: %s.", strings.TrimPrefix(err.Error(), "json: ")), ""), nil
			}
		}
		out, err := do(ctx, in)
		if err != nil {
			return refusal(ctx, err)
		}
		text, err := json.Marshal(out)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(text), Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil
	})
}

func line(d *service.Deployment) deploymentLine {
	return deploymentLine{d.ID, service.ToolName(d.ID), d.Workflow, d.Description, string(d.Status)}
}

func (s *Server) listDeployments(ctx context.Context, _ noArguments) (any, error) {
	all, err := s.host.Deployments(ctx, service.Page{})
	if err != nil {
		return nil, err
	}
	list := deploymentList{Deployments: []deploymentLine{}}
	for _, d := range all {
		list.Deployments = append(list.Deployments, line(d))
	}
	return list, nil
}

func (s *Server) describeDeployment(ctx context.Context, in deploymentArgs) (any, error) {
	d, err := s.host.Deployment(ctx, in.Deployment)
	if err != nil {
		return nil, err
	}
	return deploymentDetails{line(d), d.ReadOnly, d.Bindings, d.InputSchema, d.OutputSchema, d.Diagnostics.JSON()}, nil
}

func (s *Server) runDeployment(ctx context.Context, in runDeploymentArgs) (any, error) {
	input := value.NullValue
	if len(in.Input) > 0 {
		v, err := value.ParseJSON(in.Input)
		if err != nil {
			return nil, fmt.Errorf("The input %s.", value.NotTaken(err))
		}
		input = v
	}
	r, err := s.host.Start(ctx, service.StartRun{Deployment: in.Deployment, Input: input, Caller: "mcp"}, in.Wait)
	if err != nil {
		return nil, err
	}
	return details(r), nil
}

func (s *Server) getRun(ctx context.Context, in runArgs) (any, error) {
	r, err := s.host.Run(ctx, in.Run)
	if err != nil {
		return nil, err
	}
	return details(r), nil
}

func (s *Server) cancelRun(ctx context.Context, in runArgs) (any, error) {
	r, err := s.host.Cancel(ctx, in.Run, "an MCP client")
	if err != nil {
		return nil, err
	}
	return details(r), nil
}

func details(r *service.Run) runDetails {
	d := runDetails{
		Run: r.ID, Deployment: r.Deployment, Workflow: r.Workflow, Status: string(r.Status), StartedAt: r.StartedAt, FinishedAt: r.FinishedAt,
		Output: value.AppendJSON(nil, r.Output), Steps: []runStep{},
	}
	if r.Error != nil {
		d.Error = r.Error
	}
	for _, s := range r.Steps {
		step := runStep{Step: s.Step, Key: s.Key, State: string(s.State)}
		if s.Error != nil {
			step.Error = s.Error
		}
		d.Steps = append(d.Steps, step)
	}
	return d
}
