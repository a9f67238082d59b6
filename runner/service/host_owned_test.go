package service

import "testing"

// A run that another process executes is that process's: it is not resumed here, and
// nobody is told that it was. It can be cancelled from here.
func TestARunOfAnotherProcessIsNotResumed(t *testing.T) {
	h := meetingHost(t, HostOptions{})
	other := &hostTest{T: t, root: h.root}
	other.open(HostOptions{Shared: true})
	defer other.end(t.Context())
	run, err := other.Start(t.Context(), StartRun{Deployment: "meet"}, false)
	must(t, err)
	for _, o := range []ResumeRun{{}, {NewSessions: true}, {Wait: true}} {
		_, err = h.Resume(t.Context(), run.ID, o)
		if e := refused(t, err, Conflict); e.Run != run.ID {
			t.Errorf("the conflict names %q: %v", e.Run, e)
		}
	}
	_, err = h.Cancel(t.Context(), run.ID, "test")
	must(t, err)
	last, err := other.Wait(t.Context(), run.ID)
	must(t, err)
	if !last.Ended() {
		t.Errorf("it is %s", last.Status)
	}
}
