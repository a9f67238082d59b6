package diag

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEveryCodeIsExplainedWithAFailingAndAMendedExample(t *testing.T) {
	form := regexp.MustCompile(`^WFC[0-9]{4}$`)
	for _, e := range Entries() {
		t.Run(string(e.Code), func(t *testing.T) {
			if !form.MatchString(string(e.Code)) {
				t.Errorf("the code is %q", e.Code)
			}
			if len(e.Explanation) < 40 {
				t.Errorf("the explanation is %q", e.Explanation)
			}
			switch {
			case e.NoExample != "" && (e.Failing != "" || e.Mended != ""):
				t.Error("there are examples and a reason why there are none")
			case e.NoExample == "" && (e.Failing == "" || e.Mended == ""):
				t.Error("an example is missing, and no reason is given")
			case e.Failing != "" && e.Failing == e.Mended:
				t.Error("both examples are the same")
			}
			for _, example := range []string{e.Failing, e.Mended} {
				if example != "" && !strings.HasSuffix(example, "\n") {
					t.Errorf("an example does not end with a line break: %q", example)
				}
			}
		})
	}
}

func TestSummariesAreShortConstantAndInTheWordsOfTheHouse(t *testing.T) {
	seen := map[string]Code{}
	for _, e := range Entries() {
		switch s := e.Summary; {
		case s == "", utf8.RuneCountInString(s) > 60:
			t.Errorf("%s: the summary %q is empty or longer than 60 characters", e.Code, s)
		case strings.HasSuffix(s, "."), strings.ContainsAny(s, "%\n"):
			t.Errorf("%s: the summary %q is no constant phrase", e.Code, s)
		case strings.ToUpper(s[:1]) != s[:1]:
			t.Errorf("%s: the summary %q begins with a small letter", e.Code, s)
		case seen[s] != "":
			t.Errorf("%s and %s have the same summary %q", seen[s], e.Code, s)
		}
		seen[e.Summary] = e.Code
		for _, word := range []string{"unknown value", "marked"} {
			if strings.Contains(strings.ToLower(e.Summary+" "+e.Explanation), word) {
				t.Errorf("%s speaks of %q, which users do not know", e.Code, word)
			}
		}
		if strings.Contains(strings.ReplaceAll(strings.ToLower(e.Summary), "environment variable", ""), "variable") {
			t.Errorf("%s speaks of variables: say input, local, step result or name", e.Code)
		}
	}
}

func TestLookupTakesACodeAsPeopleTypeIt(t *testing.T) {
	for _, typed := range []string{"WFC1001", "wfc1001", "1001"} {
		if e, ok := Lookup(typed); !ok || e.Code != "WFC1001" {
			t.Errorf("%q gives %v, %v", typed, e.Code, ok)
		}
	}
	if _, ok := Lookup("WFC0000"); ok {
		t.Error("there is a code WFC0000")
	}
}

func TestExplainShowsMeaningAndBothExamples(t *testing.T) {
	e, _ := Lookup("WFC1018")
	const want = `error[WFC1018]: Attribute set twice

Each attribute of a block may be set once.

Fails:

    workflow "hello" {
      description = "Says hello."
      description = "Greets."
    }

Mended:

    workflow "hello" {
      description = "Says hello."
    }
`
	if got := Explain(e); got != want {
		t.Errorf("got:\n%s", got)
	}
}
