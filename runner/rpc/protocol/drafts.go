package protocol

import (
	"encoding/json"
	"time"

	"github.com/lda-wf/wfc/lang/value"
)

// DraftCreateParams are the parameters of drafts.create.
type DraftCreateParams struct {
	WorkspaceID string `json:"workspace_id,omitempty" doc:"What the draft is to be called; left out: the server chooses."`
	Title       string `json:"title,omitempty"`
	Source      string `json:"source,omitempty" doc:"The text of a workflow file; left out: none yet."`
	File        string `json:"file,omitempty" doc:"In place of source: a file of the project, whose workflows are copied."`
}

// DraftFromCapabilityParams are the parameters of drafts.create_from_capability.
type DraftFromCapabilityParams struct {
	WorkspaceID string `json:"workspace_id,omitempty" doc:"What the draft is to be called; left out: the server chooses."`
	Capability  string `json:"capability" doc:"The qualified name of a tool, such as github.work.search_issues; or of a resource or a prompt."`
	Name        string `json:"name,omitempty" doc:"The name of the workflow; left out: one that is made of the capability's."`
	Title       string `json:"title,omitempty"`
}

// DraftParams name a draft.
type DraftParams struct {
	WorkspaceID string `json:"workspace_id" doc:"Which draft."`
}

// DraftUpdateParams are the parameters of drafts.update.
type DraftUpdateParams struct {
	WorkspaceID string  `json:"workspace_id" doc:"Which draft."`
	Source      *string `json:"source,omitempty" doc:"The new text; left out: the text stays."`
	Title       *string `json:"title,omitempty" doc:"The new title; left out: the title stays."`
	Revision    int64   `json:"revision,omitempty" doc:"The revision that is to be replaced: a conflict if somebody has saved meanwhile; left out: whatever is there."`
}

// DraftsListResult is the result of drafts.list.
type DraftsListResult struct {
	Drafts []DraftSummary `json:"drafts"`
	Next   string         `json:"next,omitempty" doc:"The cursor of the next page; left out with the last one."`
}

// DraftSummary is a draft without its text.
type DraftSummary struct {
	WorkspaceID string    `json:"workspace_id"`
	Title       string    `json:"title,omitempty"`
	Revision    int64     `json:"revision" doc:"Counts the saves, from 1."`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	Status      string    `json:"status" enum:"valid,invalid" doc:"Whether an artifact can be made of it now."`
	Workflow    string    `json:"workflow,omitempty" doc:"The workflow that the text stands for; left out: that is not clear."`
}

// Draft is a workspace with the text of a workflow.
type Draft struct {
	DraftSummary
	Source      string          `json:"source"`
	Diagnostics json.RawMessage `json:"diagnostics" doc:"What is wrong with it, as wfc check --format json has it."`
}

// ArtifactFromDraftParams are the parameters of artifacts.create_from_draft.
type ArtifactFromDraftParams struct {
	WorkspaceID string `json:"workspace_id" doc:"Which draft."`
	ArtifactID  string `json:"artifact_id" doc:"What the artifact is to be called."`
	Version     string `json:"version" doc:"Its version, such as 1.2.0."`
	Title       string `json:"title,omitempty" doc:"Left out: that of the draft."`
}

// ArtifactFromFileParams are the parameters of artifacts.create_from_file.
type ArtifactFromFileParams struct {
	File       string `json:"file" doc:"A workflow file of the project, with one workflow."`
	ArtifactID string `json:"artifact_id" doc:"What the artifact is to be called."`
	Version    string `json:"version" doc:"Its version, such as 1.2.0."`
	Title      string `json:"title,omitempty"`
}

// ArtifactParams name an artifact.
type ArtifactParams struct {
	ArtifactID string `json:"artifact_id" doc:"Which artifact."`
	Version    string `json:"version,omitempty" doc:"Left out: the one that was made last."`
}

// ArtifactsListParams are the parameters of artifacts.list.
type ArtifactsListParams struct {
	ArtifactID string `json:"artifact_id,omitempty" doc:"The versions of one only."`
	Page
}

// ArtifactsListResult is the result of artifacts.list.
type ArtifactsListResult struct {
	Artifacts []ArtifactSummary `json:"artifacts"`
	Next      string            `json:"next,omitempty" doc:"The cursor of the next page; left out with the last one."`
}

// ArtifactSummary is an artifact without its schemas.
type ArtifactSummary struct {
	ArtifactID string    `json:"artifact_id"`
	Version    string    `json:"version"`
	Title      string    `json:"title,omitempty"`
	Digest     string    `json:"digest" doc:"Of what it means: reformatting a text does not change it."`
	CreatedAt  time.Time `json:"created_at"`
}

// Artifact is a version of a workflow that never changes.
type Artifact struct {
	ArtifactSummary
	Workflow               string            `json:"workflow" doc:"Its name."`
	Description            string            `json:"description,omitempty"`
	RequiredLogicalSources []string          `json:"required_logical_sources" doc:"The sources that a deployment binds."`
	Outcomes               []string          `json:"outcomes" doc:"How a run can end: ok, error."`
	InputSchema            json.RawMessage   `json:"input_schema" doc:"The JSON Schema of the inputs."`
	OutputSchema           json.RawMessage   `json:"output_schema" doc:"The JSON Schema of the outputs."`
	Files                  map[string]string `json:"files" doc:"The texts that it is made of, by their names."`
}

// DeploymentSaveParams are the parameters of deployments.save.
type DeploymentSaveParams struct {
	ID              string      `json:"id" doc:"What the deployment is called."`
	ArtifactID      string      `json:"artifact_id"`
	ArtifactVersion string      `json:"artifact_version,omitempty" doc:"Left out: the one that was made last, which is kept then."`
	Bindings        []Binding   `json:"bindings,omitempty" doc:"What its sources are; left out: what the workflow says."`
	Input           value.Value `json:"input,omitzero" doc:"An object of inputs that are fixed: runs give the others."`
	Policy          *Policy     `json:"policy,omitempty"`
	Schedule        *Schedule   `json:"schedule,omitempty"`
	Revision        int64       `json:"revision,omitempty" doc:"The revision that is to be replaced: a conflict if somebody has saved meanwhile; left out: whatever is there."`
}

// Binding says what a source of a workflow is.
type Binding struct {
	LogicalSource  string `json:"logical_source" doc:"The name of the source in the workflow."`
	ConcreteSource string `json:"concrete_source" doc:"The id of a connection."`
}

// Policy is the policy of a deployment.
type Policy struct {
	Destructive string `json:"destructive,omitempty" enum:"allow,ask,deny"`
	Drift       string `json:"drift,omitempty" enum:"fail,warn,ignore"`
	InDoubt     string `json:"in_doubt,omitempty" enum:"ask,fail,retry"`
}

// Schedule says when a deployment runs by itself.
type Schedule struct {
	Cron     string `json:"cron"`
	Timezone string `json:"timezone,omitempty"`
	Overlap  string `json:"overlap,omitempty" enum:"skip,queue,cancel"`
	Missed   string `json:"missed,omitempty" enum:"skip,run_once"`
}

// DeploymentParams name a deployment.
type DeploymentParams struct {
	DeploymentID string `json:"deployment_id" doc:"Which deployment."`
}

// DeploymentDeleteParams are the parameters of deployments.delete.
type DeploymentDeleteParams struct {
	DeploymentID string `json:"deployment_id" doc:"Which deployment."`
	Running      bool   `json:"running,omitempty" doc:"Also while runs of it go on, or wait: they end as they would."`
}

// DeploymentsListResult is the result of deployments.list.
type DeploymentsListResult struct {
	Deployments []Deployment `json:"deployments"`
	Next        string       `json:"next,omitempty" doc:"The cursor of the next page; left out with the last one."`
}
