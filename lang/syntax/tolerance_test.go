package syntax

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/testdata/genproject"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

// flow is a realistic workflow of 165 lines.
func flow(t testing.TB) string {
	t.Helper()
	for name, src := range genproject.Files(1) {
		if strings.HasPrefix(name, "flows/") {
			return string(src)
		}
	}
	t.Fatal("no workflow was generated")
	return ""
}

// sane reports what must hold of the diagnostics of any file.
func sane(t testing.TB, src string, diags diag.List) {
	t.Helper()
	for _, d := range diags {
		if d.Code == codeFault {
			t.Fatalf("a fault: %s\nin %q", d.Detail, src)
		}
		check := func(r diag.Range) {
			if r.Start.Byte < 0 || r.End.Byte < r.Start.Byte || r.End.Byte > len(src) || r.Start.Line < 1 || r.Start.Column < 1 {
				t.Fatalf("%s has the range %+v in a file of %d bytes: %q", d.Code, r, len(src), src)
			}
		}
		check(d.Range)
		for _, x := range d.Related {
			check(x.Range)
		}
		for _, f := range d.Fixes {
			for _, e := range f.Edits {
				check(e.Range)
			}
		}
	}
}

func TestAFileThatIsBeingTypedGivesEveryStepAboveTheCursor(t *testing.T) {
	whole := flow(t)
	steps := func(src string) int { return strings.Count(src, "\n  step \"") }
	for at := 1; at < len(whole); at += 7 {
		if !utf8.RuneStart(whole[at]) {
			continue
		}
		src := whole[:at]
		f, diags := Parse("a.wf.hcl", []byte(src))
		sane(t, src, diags)
		if len(diags) > 2 {
			t.Errorf("up to byte %d (%q) there are %d diagnostics: %v", at, tail(src), len(diags), diags)
		}
		// The last header may be half a one.
		if want := steps(src[:strings.LastIndexByte(src, '\n')+1]); want > 0 && (len(f.Workflows) != 1 || len(f.Workflows[0].Steps) < want) {
			t.Errorf("up to byte %d (%q) %d steps were written, but %v read", at, tail(src), want, outline(f))
		}
	}
}

func tail(s string) string { return s[max(0, len(s)-20):] }

func TestALineThatIsMissingOrDoubledHidesNoOtherStep(t *testing.T) {
	whole := flow(t)
	lines := strings.SplitAfter(whole, "\n")
	all, _ := Parse("a.wf.hcl", []byte(whole))
	for i, line := range lines {
		if strings.Contains(line, "step ") || strings.Contains(line, "workflow ") || strings.Contains(line, "EOT") {
			continue
		}
		src := strings.Join(lines[:i], "") + strings.Join(lines[i+1:], "")
		f, diags := Parse("a.wf.hcl", []byte(src))
		sane(t, src, diags)
		if len(f.Workflows) != 1 || len(f.Workflows[0].Steps) != len(all.Workflows[0].Steps) || len(f.Workflows[0].Outputs) < len(all.Workflows[0].Outputs)-1 {
			t.Errorf("without line %d (%q): %s", i+1, strings.TrimSpace(line), outline(f))
		}
	}
}

func TestAnyChangeOfAFileIsReadWithoutAFault(t *testing.T) {
	whole := flow(t)
	rapid.Check(t, func(t *rapid.T) {
		src := whole
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			at := rapid.IntRange(0, len(src)-1).Draw(t, "at")
			n := min(rapid.SampledFrom([]int{0, 1, 2, 30}).Draw(t, "deleted"), len(src)-at)
			text := rapid.SampledFrom([]string{"", "{", "}", "\"", "${", "%{", "[", "(", ")", "<<EOT\n", "\n", "=", ".", "\\", "'", "\xff", "é", "step \"x\" {", "/*", ","}).Draw(t, "inserted")
			src = src[:at] + text + src[at+n:]
		}
		_, diags := Parse("a.wf.hcl", []byte(src))
		for _, d := range diags {
			if d.Code == codeFault {
				t.Fatalf("%s", d.Detail)
			}
			if d.Range.End.Byte > len(src) || d.Range.Start.Byte > d.Range.End.Byte {
				t.Fatalf("%s has the range %+v", d.Code, d.Range)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(flow(f)))
	f.Add([]byte("workflow \"w\" {\n  step \"a\" {\n    value =  ste[\"a$ \"b\"")) // HCL's last token ends after the file
	for _, e := range diag.Entries() {
		f.Add([]byte(e.Failing))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, diags := Parse("a.wf.hcl", src)
		if file == nil {
			t.Fatal("no file")
		}
		sane(t, string(src), diags)
		_, diags = Parse("wfc.hcl", src)
		sane(t, string(src), diags)
	})
}

func TestBytesThatAreNoTextAreOneDiagnostic(t *testing.T) {
	for name, src := range map[string]string{
		"UTF-16":        "\xff\xfew\x00o\x00",
		"UTF-16 BE":     "\xfe\xff\x00w",
		"NUL":           "workflow \"w\" {\n\x00}\n",
		"binary":        "\x7fELF\x02\x01\x01\x00\x00",
		"latin 1":       "workflow \"w\" {\n  description = \"Gr\xfc\xdfe\"\n}\n",
		"stray \xff":    "workflow \"w\" {\n  # \xff\n}\n",
		"deep nesting":  "a = " + strings.Repeat("[", 100_000),
		"long operator": "workflow \"w\" {\n  description = " + strings.Repeat("!", 1_000_000) + "true\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := Parse("a.wf.hcl", []byte(src))
			if len(diags) != 1 {
				t.Errorf("got %v", diags)
			}
			sane(t, src, diags)
		})
	}
}

func TestABOMAndCRLFAreNoMistake(t *testing.T) {
	src := "\ufeff" + strings.ReplaceAll(flow(t), "\n", "\r\n")
	f, diags := Parse("a.wf.hcl", []byte(src))
	if len(diags) > 0 || len(f.Workflows) != 1 {
		t.Errorf("got %v", diags)
	}
}

func TestNamesOfToolsAreTheBytesOfTheFile(t *testing.T) {
	const nfd = "cafe\u0301" // HCL would make it NFC
	f, diags := Parse("a.wf.hcl", []byte("workflow \"w\" {\n  step \"a\" {\n    call = t[\""+nfd+"\"]\n  }\n}\n\nconnection \"a\" \"b\" {\n  stdio {\n    command = \"x\"\n  }\n  tool \""+nfd+"\" {\n  }\n}\n"))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if got := f.Workflows[0].Steps[0].Call.Path[1].Text; got != nfd {
		t.Errorf("called is %q", got)
	}
	if got := f.Connections[0].Tools[0].Tool.Text; got != nfd {
		t.Errorf("the block is of %q", got)
	}
}
