package diag

// The codes of compiler/project: finding and reading a project's files.
func init() {
	register(
		Entry{
			Code: "WFC1101", Severity: Error, Summary: "File or folder cannot be read",
			Explanation: "A file or folder of the project cannot be read: wfc may not read it, it is no regular file, or it is " +
				"far larger than anything that people write. The rest of the project is read all the same, but names that are " +
				"defined in that file are missing. Mend the permissions, or move the file out of the project.",
			NoExample: "The cause is the file system, not what the file says.",
		},
		Entry{
			Code: "WFC1102", Severity: Error, Summary: "Link leads out of the project",
			Explanation: "Workflow files may be links to other files of the project, but not to files outside of it: a project that " +
				"somebody else wrote could make wfc show any file of yours in its messages. Copy the file into the project.",
			NoExample: "The cause is the file system, not what the file says.",
		},
		Entry{
			Code: "WFC1103", Severity: Error, Summary: "Name defined twice",
			Explanation: "Workflows, connections, secrets and deployments have names that are unique within their kind in a project, " +
				"over all files. Rename one of the two, or remove it.",
			Failing: `workflow "hello" {
  step "greet" {
    value = "Hello"
  }
}

workflow "hello" {
  step "greet" {
    value = "Good morning"
  }
}
`,
			Mended: `workflow "hello" {
  step "greet" {
    value = "Hello"
  }
}

workflow "good_morning" {
  step "greet" {
    value = "Good morning"
  }
}
`,
		},
		Entry{
			Code: "WFC1104", Severity: Error, Summary: "Unknown version of the language",
			Explanation: "`language` in `wfc.hcl` says which version of the workflow language the project is written in, so that a " +
				"later wfc reads it as it was meant. There is version 1 only.",
			Failing: "-- wfc.hcl --\nproject {\n  language = 2\n}\n",
			Mended:  "-- wfc.hcl --\nproject {\n  language = 1\n}\n",
		},
		Entry{
			Code: "WFC1105", Severity: Error, Summary: "Another version of wfc is required",
			Explanation: "`requires_wfc` in `wfc.hcl` names the versions of wfc that the project works with, and the running one is " +
				"none of them.",
			Failing: "-- wfc.hcl --\nproject {\n  requires_wfc = \">= 999\"\n}\n",
			Mended:  "-- wfc.hcl --\nproject {\n  requires_wfc = \">= 0.1\"\n}\n",
		},
		Entry{
			Code: "WFC1106", Severity: Error, Summary: "Invalid version requirement",
			Explanation: "`requires_wfc` is one or more comparisons with versions, separated by commas: `\">= 1.2\"`, `\">= 1.2, < 2\"`. " +
				"The comparisons are `>=`, `>`, `<`, `<=` and `=`; a version alone means that version or a later one.",
			Failing: "-- wfc.hcl --\nproject {\n  requires_wfc = \"~> new\"\n}\n",
			Mended:  "-- wfc.hcl --\nproject {\n  requires_wfc = \">= 0.1\"\n}\n",
		},
		Entry{
			Code: "WFC1110", Severity: Error, Summary: "Not allowed in a text from outside",
			Explanation: "A draft, and what else a server is sent, may hold workflows and nothing more: connections, secrets and settings " +
				"are the project's to declare, and a text from outside must not read a secret, a file or the environment. Use what " +
				"the project has, such as `bind = connection.github.work`, or write the workflow into the project.",
			NoExample: "A file of the project may hold all this; only what a server is sent is judged so.",
		},
		Entry{
			Code: "WFC1111", Severity: Error, Summary: "Not one workflow",
			Explanation: "A draft, or a file that becomes an artifact, stands for one workflow: the only one in it that no other one of it runs.",
			NoExample:   "A file of the project may hold any number of workflows; only a draft and an artifact stand for one.",
		},
		Entry{
			Code: "WFC1112", Severity: Error, Summary: "Deployment is stale",
			Explanation: "A deployment that a server keeps was linked and checked when it was saved. A connection that it uses, or the " +
				"catalog of one, has changed since, so that a run would do something that nobody has looked at. Save the deployment " +
				"again to have it linked and checked anew. With `policy { drift = \"warn\" }` or `\"ignore\"` it follows such changes by itself, as long as it checks.",
			NoExample: "A deployment of the project's files is linked anew at every run; only one that a server keeps can be stale.",
		},
	)
}
