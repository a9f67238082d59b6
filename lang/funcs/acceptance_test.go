package funcs_test

import (
	"testing"

	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/value"
)

// local is one line of a locals block.
type local struct{ name, expr string }

// evaluate evaluates locals in order, over an input given as JSON, and returns
// the last one as JSON.
func evaluate(t *testing.T, input string, locals []local) string {
	t.Helper()
	in, err := value.ParseJSON([]byte(input))
	if err != nil {
		t.Fatal(err)
	}
	known := value.NewObject(0)
	last := ""
	for _, l := range locals {
		got, err := eval.Eval(parse(t, l.expr), eval.MapScope{"input": in, "local": value.OfObject(known)})
		if err != nil {
			t.Fatalf("%s: %v", l.name, err)
		}
		next := value.NewObject(0)
		for k, v := range known.All() {
			next.Set(k, v)
		}
		next.Set(l.name, got.Value)
		known, last = next, got.Value.JSON()
	}
	return last
}

// The expressions of a documentation link audit: targets of inline links and
// images, without those that have a scheme, without fragments, decoded and
// resolved against the file's folder.
func TestLinkAudit(t *testing.T) {
	const files = `{"root": "/docs", "files": [
		{"path": "/docs/index.md", "text": "# Index\n[Guide](guide.md) [API](api/ref.md#calls) [Gone](old/gone.md)\n[Ext](https://example.invalid/x) ![logo](img/logo.png)\n"},
		{"path": "/docs/guide.md", "text": "# Guide\r\n[Back](index.md)\r\n[Missing](nope.md)\r\n"},
		{"path": "/docs/api/ref.md", "text": "# Ref\n[Up](../index.md)\n[Cafe](../caf%C3%A9.md)\n"},
		{"path": "/docs/empty.md", "text": ""}],
		"there": ["/docs/index.md", "/docs/guide.md", "/docs/api/ref.md", "/docs/café.md", "/docs/empty.md", "/docs/img/logo.png"]}`
	got := evaluate(t, files, []local{
		{"found", `flatten1([for f in input.files : [
			for m in regexall("!?\\[[^\\]]*\\]\\((?P<target>[^)\\s]+)[^)]*\\)", f.text) :
			{ file = trimprefix(f.path, "${input.root}/"), target = m.target }
		]])`},
		{"links", `[for l in local.found : merge(l, {
			path = pathjoin(input.root, dirname(l.file), urldecode(regexreplace(l.target, "#.*$", "")))
		}) if !can(regex("^[A-Za-z][A-Za-z0-9+.-]*:", l.target))]`},
		{"broken", `sort_by([for l in local.links : { file = l.file, target = l.target } if !contains(input.there, l.path)], "file", "target")`},
		{"report", `join("", ["| file | target |\n| --- | --- |\n"], [for b in local.broken : "| ${mdcell(b.file)} | ${mdcell(b.target)} |\n"])`},
		{"all", `{ files = length(input.files), links = length(local.links), external = length(local.found) - length(local.links), broken = local.broken, report = local.report }`},
	})
	want := `{"files":4,"links":8,"external":1,"broken":[{"file":"guide.md","target":"nope.md"},{"file":"index.md","target":"old/gone.md"}],` +
		`"report":"| file | target |\n| --- | --- |\n| guide.md | nope.md |\n| index.md | old/gone.md |\n"}`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Release notes: the newest tag by time, groups by prefix, and subjects byte for byte.
func TestReleaseNotes(t *testing.T) {
	got := evaluate(t, `{"tags": [{"name": "v1.0.0", "timestamp": 1767229200}, {"name": "v1.1.0", "timestamp": 1767232800}],
		"commits": [{"subject": "feat!: drop old API"}, {"subject": "fix: bug 1, \"quoted\" & <tag> ${x} %{y}"}, {"subject": "Merge weird"}],
		"changelog": "# Changelog\n\n## v1.1.0\n- first\n"}`, []local{
		{"tag", `sort_by(input.tags, "-timestamp")[0].name`},
		{"typed", `[for c in input.commits : {
			subject = c.subject
			type    = try(regex("^(?P<type>[a-z]+)(?:\\([^)]*\\))?(?P<bang>!)?: ", c.subject), { type = "other", bang = null })
		}]`},
		{"fixes", `join("", [for c in local.typed : "- ${regexreplace(c.subject, "^[a-z]+: ", "")}\n" if c.type.type == "fix"])`},
		{"text", `replace(input.changelog, "# Changelog\n\n", "# Changelog\n\n## v1.2.0\n${local.fixes}\n")`},
		{"all", `{ tag = local.tag, breaking = length([for c in local.typed : c if c.type.bang != null]), text = local.text, old = section(local.text, "## v1.1.0") }`},
	})
	want := `{"tag":"v1.1.0","breaking":1,"text":"# Changelog\n\n## v1.2.0\n- bug 1, \"quoted\" & <tag> ${x} %{y}\n\n## v1.1.0\n- first\n","old":"- first"}`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A stock list: good rows, and bad ones with their line and reason.
func TestStockList(t *testing.T) {
	got := evaluate(t, `{"csv": "\ufeffsku,name,qty,external_id\r\nA-1,\"Widget, small\",3,9007199254740993123\r\nA-2,\"6\"\" pipe\",,2\r\nA-3,\"multi\r\nline\",0,1\r\nA-5,bad,x,3\r\nA-1,dup,9,4\r\nA-6,short\r\n"}`, []local{
		{"lines", `csvlines(input.csv)`},
		{"header", `local.lines[0].cells`},
		{"missing", `setsubtract(["sku", "qty"], local.header)`},
		{"rows", `[for r in slice(local.lines, 1, length(local.lines)) : {
			line = r.line
			row  = try(zipmap(local.header, r.cells), null)
		}]`},
		{"skus", `[for r in local.rows : try(r.row["sku"], "")]`},
		{"checked", `[for i, r in local.rows : merge(r, {
			reason = r.row == null ? "wrong number of cells" : (
				!can(regex("^[0-9]*$", r.row["qty"])) ? "qty is ${jsonencode(r.row["qty"])}" : (
				index(local.skus, r.row["sku"]) < i ? "sku is repeated" : ""))
		})]`},
		{"all", `{
			missing  = local.missing
			good     = [for r in local.checked : [r.row["sku"], r.row["name"], r.row["qty"] == "" ? null : toint(r.row["qty"]), r.row["external_id"]] if r.reason == ""]
			rejected = [for r in local.checked : { line = r.line, reason = r.reason } if r.reason != ""]
		}`},
	})
	want := `{"missing":[],"good":[["A-1","Widget, small",3,"9007199254740993123"],["A-2","6\" pipe",null,"2"],["A-3","multi\r\nline",0,"1"]],` +
		`"rejected":[{"line":6,"reason":"qty is \"x\""},{"line":7,"reason":"sku is repeated"},{"line":8,"reason":"wrong number of cells"}]}`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Comparing environments: absent, null and false are three things, and a
// configuration is changed in place.
func TestEnvironments(t *testing.T) {
	got := evaluate(t, `{"dev": "{\"image\":\"1.9.0\",\"flags\":{\"beta\":true},\"max_id\":9007199254740993}", "prod": "{ \"image\": \"1.8.2\", \"flags\": null, \"max_id\": 9007199254740993 }\n"}`, []local{
		{"cells", `{ for key in ["image", "flags.beta", "max_id", "flags"] : key => [for text in [input.dev, input.prod] :
			try(jsonencode(pointer(jsondecode(text), "/${replace(key, ".", "/")}")), "(missing)")] }`},
		{"promoted", `jsonset(input.prod, "/image", jsondecode(input.dev).image)`},
		{"all", `{ cells = local.cells, promoted = local.promoted }`},
	})
	want := `{"cells":{"image":["\"1.9.0\"","\"1.8.2\""],"flags.beta":["true","(missing)"],"max_id":["9007199254740993","9007199254740993"],"flags":["{\"beta\":true}","null"]},` +
		`"promoted":"{ \"image\": \"1.9.0\", \"flags\": null, \"max_id\": 9007199254740993 }\n"}`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// An event's text: the distinct valid IPv4 addresses.
func TestAddressesInText(t *testing.T) {
	got := evaluate(t, `{"text": "failed from 203.0.113.5, 198.51.100.7, again 203.0.113.5; 192.0.2.9; client 1.2.3; junk 999.1.1.1"}`, []local{
		{"all", `distinct([for a in regexall("\\b(?:[0-9]{1,3}\\.){3}[0-9]{1,3}\\b", input.text) : a if alltrue([for p in split(".", a) : toint(p) <= 255])])`},
	})
	if want := `["203.0.113.5","198.51.100.7","192.0.2.9"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
