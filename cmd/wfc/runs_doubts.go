package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/runner/journal"
)

// mostDoubts is for how many steps in doubt the commands are written out.
const mostDoubts = 5

// doubtsOf returns the steps of a run of which somebody must say what their effect
// came to.
func doubtsOf(r *journal.RunRecord) []journal.StepRecord {
	var out []journal.StepRecord
	for _, s := range r.Steps {
		if s.State == journal.StateInDoubt {
			out = append(out, s)
		}
	}
	return out
}

// tellDoubts says what a run waits for, why, and what to do. where is the flag by
// which commands find the run.
func tellDoubts(w io.Writer, where string, r *journal.RunRecord) {
	doubts := doubtsOf(r)
	if len(doubts) == 0 {
		return
	}
	fmt.Fprintf(w, "\nThe run waits for your word on %s. The process that ran it ended after a request\nhad left and before its answer came, so nobody knows whether it took effect:\n\n", count(len(doubts), "step"))
	for _, s := range doubts {
		text := callOf(s)
		if s.StartedAt != nil {
			text += ", sent " + stamp(*s.StartedAt)
		}
		fmt.Fprintf(w, "  ? %s  %s\n", printable(nameOfStep(s)), text)
	}
	fmt.Fprintf(w, "\nFind out what it came to, and say that it had its effect (ok; JSON is what the step\ngave), that it failed (error), or that it is to be done again (retry):\n\n")
	for i, s := range doubts {
		if i == mostDoubts {
			fmt.Fprintf(w, "    … and so on for the others\n")
			break
		}
		command := fmt.Sprintf("wfc runs resolve %s %s%s --as", r.Run, quoted(nameOfStep(s)), where)
		fmt.Fprintf(w, "    %s ok --output JSON\n    %s error\n    %s retry\n", command, command, command)
	}
	tellLost(w, r)
}

// tellLost says what can become of sessions that were private to a run whose process ended.
func tellLost(w io.Writer, r *journal.RunRecord) {
	if len(r.Private) == 0 {
		return
	}
	fmt.Fprintf(w, "\nIts sessions with %s ended with that process. Steps that need them fail, unless you\nadd one of these:\n\n"+
		"    --start-over    does the steps again that used them, and those after them\n"+
		"    --new-sessions  goes on with new ones, without what was left in the old ones\n", strings.Join(r.Private, ", "))
}

// nameOfStep is a step as people and commands name it.
func nameOfStep(s journal.StepRecord) string {
	return cmp.Or(s.Name, journal.Part{Key: string(s.Key)}.Name(s.Step))
}

// callOf is what a step calls; "" where that is nothing.
func callOf(s journal.StepRecord) string {
	if s.Tool == "" {
		return ""
	}
	return s.Connection + "." + s.Tool
}

// quoted is an argument of a command as a shell wants it.
func quoted(arg string) string {
	if arg != "" && strings.Trim(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// projectFlag is the flag by which a command finds a project from here; "": it
// needs none.
func projectFlag(proj *project.Project) string {
	if here, err := os.Getwd(); err == nil {
		root := proj.Root
		if resolved, err := filepath.EvalSymlinks(root); err == nil {
			root = resolved
		}
		if resolved, err := filepath.EvalSymlinks(here); err == nil {
			here = resolved
		}
		if rel, err := filepath.Rel(root, here); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return ""
		}
	}
	return " --project " + quoted(proj.Root)
}

// userName is the name of whoever runs this; "" where it is not known.
func userName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}
