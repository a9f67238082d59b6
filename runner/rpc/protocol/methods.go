package protocol

// The methods. Their order is that of the documentation.
var (
	CapabilitiesList = define[CapabilitiesListParams, CapabilitiesListResult]("capabilities.list", Read,
		"Lists what the snapshots of the sources have: tools, resources, templates of resources and prompts.")
	CapabilitiesDescribe = define[CapabilityParams, CapabilityDetails]("capabilities.describe", Read,
		"Says all that is known of one capability, with its schemas.")
	CapabilitiesCall = define[CallParams, Result]("capabilities.call", Run,
		"Calls a tool over the session that the server keeps. The name of the tool is sent as it is given and needs no snapshot. A failure of the tool or of its source is a result with the outcome `error`, not an error of the request.")
	ResourcesRead = define[ReadParams, Result]("resources.read", Read,
		"Reads a resource over the session that the server keeps.")
	PromptsRender = define[PromptParams, Result]("prompts.render", Read,
		"Gets a prompt over the session that the server keeps; `output` has its messages.")

	SourcesList = define[None, SourcesListResult]("sources.list", Read,
		"Lists the connections of the project.")
	SourcesRefresh = define[RefreshParams, RefreshResult]("sources.refresh", Admin,
		"Lists what a source offers and writes the snapshot where that has changed.")
	SourcesCheck = define[SourceParams, CheckResult]("sources.check", Run,
		"Connects to a source over a session of its own, looks at what it offers, and says what is wrong. It writes nothing.")
	SourcesInvoke = define[InvokeParams, InvokeResult]("sources.invoke", Run,
		"Sends a request of any method of MCP over a session of its own, and returns the result as it came.")
	SourcesNotify = define[NotifyParams, None]("sources.notify", Run,
		"Sends a notification over a session of its own.")

	DraftsCreate = define[DraftCreateParams, Draft]("drafts.create", Admin,
		"Makes a draft, empty or with a text.")
	DraftsCreateFromCapability = define[DraftFromCapabilityParams, Draft]("drafts.create_from_capability", Admin,
		"Makes a draft of a workflow with one step that calls a tool; its inputs and outputs are made of the schemas of the tool.")
	DraftsGet = define[DraftParams, Draft]("drafts.get", Read,
		"Returns a draft with its text and what is wrong with that now.")
	DraftsUpdate = define[DraftUpdateParams, Draft]("drafts.update", Admin,
		"Replaces the text or the title of a draft. A text with mistakes is kept, too: `status` says which it is.")
	DraftsDelete = define[DraftParams, None]("drafts.delete", Admin,
		"Removes a draft. What was made of it stays.")
	DraftsList = define[PageParams, DraftsListResult]("drafts.list", Read,
		"Lists the drafts.")

	ArtifactsCreateFromDraft = define[ArtifactFromDraftParams, Artifact]("artifacts.create_from_draft", Admin,
		"Makes an artifact of a valid draft: a version of a workflow that never changes. The same once more is no mistake; another meaning under the same id and version is a conflict.")
	ArtifactsCreateFromFile = define[ArtifactFromFileParams, Artifact]("artifacts.create_from_file", Admin,
		"Makes an artifact of a workflow of the project's files.")
	ArtifactsGet = define[ArtifactParams, Artifact]("artifacts.get", Read,
		"Returns an artifact.")
	ArtifactsList = define[ArtifactsListParams, ArtifactsListResult]("artifacts.list", Read,
		"Lists the artifacts.")

	DeploymentsSave = define[DeploymentSaveParams, Deployment]("deployments.save", Admin,
		"Makes a deployment, or replaces it. It is linked and checked against the snapshots before it is kept.")
	DeploymentsGet = define[DeploymentParams, Deployment]("deployments.get", Read,
		"Returns a deployment, one of the project's files, too.")
	DeploymentsList = define[PageParams, DeploymentsListResult]("deployments.list", Read,
		"Lists the deployments, those of the project's files, too.")
	DeploymentsDelete = define[DeploymentDeleteParams, None]("deployments.delete", Admin,
		"Removes a deployment that was saved. What is known of its runs stays.")
	DeploymentsRun = define[DeploymentRunParams, RunResult]("deployments.run", Run,
		"Runs a deployment.")

	RunsStart = define[RunStartParams, RunResult]("runs.start", Run,
		"Runs a deployment or a workflow of the project by its name. The run goes on when the client goes away.")
	RunsGet = define[RunParams, RunResult]("runs.get", Read,
		"Returns a run and its steps.")
	RunsList = define[RunsListParams, RunsListResult]("runs.list", Read,
		"Lists runs, the newest first.")
	RunsEvents = define[RunEventsParams, RunEventsResult]("runs.events", Read,
		"Returns events of a run, as `wfc run --json` prints them, from a place on. As they come, they are server-sent events at `GET /runs/ID/events`.")
	RunsCancel = define[RunParams, RunResult]("runs.cancel", Run,
		"Asks for the end of a run: its calls are cancelled, what it did is undone, and its finally blocks run.")
	RunsResume = define[RunResumeParams, RunResult]("runs.resume", Run,
		"Goes on with a run that was interrupted, or that waits.")
	RunsResolve = define[RunResolveParams, RunResult]("runs.resolve", Run,
		"Says what became of a step in doubt, and goes on with the run.")
	RunsAnswer = define[RunAnswerParams, RunResult]("runs.answer", Run,
		"Answers, or declines, a question that a run waits for, and goes on with it.")
	RunsOutputs = define[RunParams, RunOutputs]("runs.outputs", Read,
		"Returns the outputs of a run that has ended.")

	Discover = define[None, any]("rpc.discover", Read,
		"Returns the OpenRPC document that describes all methods.")
)

// None is no parameters, or a result that says nothing.
type None struct{}
