package journal

import (
	"context"
	"errors"
	"testing"
)

func TestSlotsAreTakenOnceAndWaitedFor(t *testing.T) {
	store, err := Open(t.Context(), t.TempDir()+"/.wfc", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	take := func(name string, limit int) *Slot {
		t.Helper()
		s, err := store.TakeSlot(t.Context(), name, limit, false)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b := take("k", 2), take("k", 2)
	if a == nil || b == nil || take("k", 2) != nil {
		t.Fatal("not two places are taken at once")
	}
	other := take("l", 1)
	if other == nil {
		t.Error("a place of another name is taken")
	}
	other.Give()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.TakeSlot(ctx, "k", 2, true); !errors.Is(err, context.Canceled) {
		t.Errorf("who is cancelled while it waits gets %v", err)
	}
	got := make(chan *Slot)
	go func() {
		s, _ := store.TakeSlot(context.Background(), "k", 2, true)
		got <- s
	}()
	b.Give()
	c := <-got
	if c == nil {
		t.Error("who waits gets no place")
	}
	a.Give()
	c.Give()
}
