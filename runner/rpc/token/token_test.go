package token

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/runner/rpc/protocol"
)

func TestATokenIsAcceptedUntilItIsRevoked(t *testing.T) {
	data := t.TempDir()
	text, made, err := New(data).Create("ci", protocol.Run, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	other := New(data) // that of another process
	got, err := other.Check(text)
	if err != nil || got != made || got.Scope != protocol.Run {
		t.Fatalf("the token is %+v, %v; want %+v", got, err, made)
	}
	if _, err := other.Revoke("ci"); err != nil {
		t.Fatal(err)
	}
	if _, err := New(data).Check(text); !errors.Is(err, ErrUnknown) {
		t.Errorf("a revoked token gives %v", err)
	}
}

func TestATokenExpires(t *testing.T) {
	s := New(t.TempDir())
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s.now = func() time.Time { return now }
	text, _, err := s.Create("x", protocol.Read, now.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour - time.Nanosecond)
	if _, err := s.Check(text); err != nil {
		t.Errorf("before its time: %v", err)
	}
	now = now.Add(time.Nanosecond)
	if _, err := s.Check(text); !errors.Is(err, ErrExpired) {
		t.Errorf("at its time: %v", err)
	}
}

func TestWhatIsNoToken(t *testing.T) {
	s := New(t.TempDir())
	text, made, err := s.Create("x", protocol.Read, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{
		"", "wfc_", "wfc__", text[:len(text)-1], text + "a", text[:len(text)-1] + "1", strings.ToUpper(text), " " + text,
		"wfc_../../etc_x", "wfc_aaaaaaaa_" + strings.Repeat("a", 52), "wfc_" + made.ID + "_", "wfc_" + made.ID,
	} {
		if _, err := s.Check(wrong); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q gives %v", wrong, err)
		}
	}
}

func TestATokenIsKeptAsAHashThatOnlyItsOwnerCanRead(t *testing.T) {
	data := t.TempDir()
	text, made, err := New(data).Create("x", protocol.Admin, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	secret := strings.TrimPrefix(text, prefix+made.ID+"_")
	err = filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if d.IsDir() {
			return nil
		}
		if info.Mode().Perm() != 0o600 && os.PathSeparator == '/' {
			t.Errorf("%s is %v", path, info.Mode())
		}
		src, err := os.ReadFile(path)
		if bytes.Contains(src, []byte(secret)) {
			t.Errorf("%s has the token", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTokensOfOneNameAreRevokedByTheirIDs(t *testing.T) {
	s := New(t.TempDir())
	_, first, err := s.Create("x", protocol.Read, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Create("x", protocol.Run, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Revoke("x"); err == nil || !strings.Contains(err.Error(), `2 tokens have the name "x"`) {
		t.Errorf("the name gives %v", err)
	}
	if _, err := s.Revoke(first.ID); err != nil {
		t.Error(err)
	}
	if _, err := s.Revoke("x"); err != nil {
		t.Errorf("the last one by its name: %v", err)
	}
	if all, err := s.List(); err != nil || len(all) != 0 {
		t.Errorf("left are %v, %v", all, err)
	}
	if _, err := s.Revoke("x"); err == nil || !strings.Contains(err.Error(), "there is no token") {
		t.Errorf("none left gives %v", err)
	}
}

// A name is shown to people, and says who answered: it is one that they can read.
func TestWhatIsNoNameOfAToken(t *testing.T) {
	s := New(t.TempDir())
	for _, name := range []string{"", " ", " ann", "ann\n", "an\x1b[31mn", "a\xff", "a\u202eb", strings.Repeat("ä", 101)} {
		if text, _, err := s.Create(name, protocol.Run, time.Time{}); err == nil || text != "" {
			t.Errorf("%q is the name of a token", name)
		}
	}
	for _, name := range []string{"a", "Ann Ö", strings.Repeat("ä", 100), "ci@host/7"} {
		if _, _, err := s.Create(name, protocol.Run, time.Time{}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A file that is damaged keeps nobody from revoking another token, or that one.
func TestATokenThatCannotBeReadIsRevokedByItsID(t *testing.T) {
	data := t.TempDir()
	s := New(data)
	text, made, err := s.Create("ann", protocol.Admin, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"aaaaaaaa", "bbbbbbbb"} {
		if err := os.WriteFile(filepath.Join(data, "tokens", id+".json"), []byte("garbage"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.List(); err == nil || !strings.Contains(err.Error(), "wfc token revoke aaaaaaaa") {
		t.Errorf("the list gives %v", err)
	}
	if _, err := s.Revoke(made.ID); err != nil {
		t.Error(err)
	}
	if _, err := s.Check(text); !errors.Is(err, ErrUnknown) {
		t.Errorf("it is accepted still: %v", err)
	}
	for _, id := range []string{"aaaaaaaa", "bbbbbbbb"} {
		if got, err := s.Revoke(id); err != nil || got.ID != id {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
	}
	if all, err := s.List(); err != nil || len(all) != 0 {
		t.Errorf("there are %v, %v", all, err)
	}
}
