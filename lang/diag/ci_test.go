package diag

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// sarifValidator is the schema that OASIS publishes.
func sarifValidator(t *testing.T) *jsonschema.Schema {
	t.Helper()
	f, err := os.Open("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSARIFIsValidByThePublishedSchema(t *testing.T) {
	one, _ := sample(t)
	nowhere := New("WFC1101", place(t, step, "step"), "x")
	nowhere.Range, nowhere.Detail = Range{}, ""
	strange := one[0]
	strange.Range.File = "a b/ö#?%:.wf.hcl"
	outside := one[0]
	outside.Range.File = "/else/where.wf.hcl"
	empty := one[0]
	empty.Range = Range{File: "a.wf.hcl"}
	var all List // every code, with its examples
	for _, e := range Entries() {
		all = append(all, Diagnostic{Code: e.Code, Severity: e.Severity, Summary: e.Summary, Detail: e.Explanation})
	}
	schema := sarifValidator(t)
	for name, l := range map[string]List{
		"nothing found": nil, "one": one, "twice the same code": {one[0], one[0]}, "nowhere in a file": {nowhere},
		"strange names": {strange, outside}, "no place in the file": {empty}, "every code": all,
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := WriteSARIF(&out, l, "1.2.3"); err != nil {
				t.Fatal(err)
			}
			doc, err := jsonschema.UnmarshalJSON(&out)
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(doc); err != nil {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestSARIFSaysAllOfADiagnostic(t *testing.T) {
	l, _ := sample(t)
	var out bytes.Buffer
	if err := WriteSARIF(&out, l, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Runs []struct{ Results json.RawMessage }
	}
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := json.Indent(&got, log.Runs[0].Results, "", "  "); err != nil {
		t.Fatal(err)
	}
	const want = `[
  {
    "ruleId": "WFC1021",
    "ruleIndex": 0,
    "level": "error",
    "message": {
      "text": "The tool tracker.search_issues has no argument \"querry\". Did you mean \"query\"?\n\n    wfc catalog show github.work"
    },
    "locations": [
      {
        "physicalLocation": {
          "artifactLocation": {
            "uri": "a.wf.hcl",
            "uriBaseId": "%SRCROOT%"
          },
          "region": {
            "startLine": 4,
            "startColumn": 5,
            "endLine": 4,
            "endColumn": 11
          }
        }
      }
    ],
    "relatedLocations": [
      {
        "physicalLocation": {
          "artifactLocation": {
            "uri": "a.wf.hcl",
            "uriBaseId": "%SRCROOT%"
          },
          "region": {
            "startLine": 2,
            "startColumn": 10,
            "endLine": 2,
            "endColumn": 31
          }
        },
        "message": {
          "text": "the tool"
        }
      }
    ],
    "fixes": [
      {
        "description": {
          "text": "Change it to \"query\""
        },
        "artifactChanges": [
          {
            "artifactLocation": {
              "uri": "a.wf.hcl",
              "uriBaseId": "%SRCROOT%"
            },
            "replacements": [
              {
                "deletedRegion": {
                  "startLine": 4,
                  "startColumn": 5,
                  "endLine": 4,
                  "endColumn": 11
                },
                "insertedContent": {
                  "text": "query"
                }
              }
            ]
          }
        ]
      }
    ]
  }
]`
	if got.String() != want {
		t.Errorf("got:\n%s", got.String())
	}
}

func TestSARIFNamesFilesAsURIs(t *testing.T) {
	for file, want := range map[string]string{
		"a.wf.hcl":          "a.wf.hcl",
		"flows/a b.wf.hcl":  "flows/a%20b.wf.hcl",
		"ö#?%.wf.hcl":       "%C3%B6%23%3F%25.wf.hcl",
		"c:x.wf.hcl":        "./c:x.wf.hcl",
		"../other/a.wf.hcl": "../other/a.wf.hcl",
		"/abs/a b.wf.hcl":   "file:///abs/a%20b.wf.hcl",
	} {
		if got := sarifFileOf(file).URI; got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

func TestGitHubCommandsAreOneLineEachWhateverTheyQuote(t *testing.T) {
	l, _ := sample(t)
	several := l[0]
	several.Range.End.Line += 2
	nowhere := New("WFC1101", place(t, step, "step"), "x")
	nowhere.Range = Range{}
	l[0].Range.File = "a,b:100%.wf.hcl"
	var out bytes.Buffer
	if err := WriteGitHub(&out, append(l, several, nowhere)); err != nil {
		t.Fatal(err)
	}
	const detail = `The tool tracker.search_issues has no argument "querry". Did you mean "query"?%0A%0A    wfc catalog show github.work` +
		`%0Aa.wf.hcl:2:10: the tool%0Aperhaps: Change it to "query"`
	const want = "::error file=a%2Cb%3A100%25.wf.hcl,line=4,endLine=4,col=5,endColumn=11,title=WFC1021%3A Unknown attribute of a block::" + detail + "\n" +
		"::error file=a.wf.hcl,line=4,endLine=6,title=WFC1021%3A Unknown attribute of a block::" + detail + "\n" +
		"::error title=WFC1101%3A File or folder cannot be read::x\n"
	if out.String() != want {
		t.Errorf("got:\n%s", out.String())
	}
}
