package session

import (
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/testdata/servers/httpserver"
)

func TestArgumentsThatAToolWantsInHeaders(t *testing.T) {
	server := httpserver.New(httpserver.Options{Stateless: true})
	w := reach(t, connection.HTTP{URL: serve(t, server, false)}, nil)
	for args, want := range map[string]string{
		`{"region":"eu","to":{"n":7}}`:  `{"region":"eu","n":"7"}`,
		`{"region":"köln","to":{}}`:     `{"region":"=?base64?a8O2bG4=?=","n":""}`,
		`{}`:                            `{"region":"","n":""}`,
		`{"region":" x","to":{"n":-1}}`: `{"region":"=?base64?IHg=?=","n":"-1"}`,
	} {
		got, err := w.call("routed", args)
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: got %s, %v", args, got, err)
		}
	}
	lists := slices.DeleteFunc(server.Seen(), func(s string) bool { return s != "tools/list" })
	if len(lists) != 1 {
		t.Errorf("the tools were listed %d times", len(lists))
	}
}

func TestHeaderTexts(t *testing.T) {
	for in, want := range map[string]string{
		`"eu"`: "eu", `true`: "true", `false`: "false", `12`: "12", `-0`: "0", `1e2`: "100", `9007199254740991`: "9007199254740991",
		`""`: "", `"a b"`: "a b", `" a"`: "=?base64?IGE=?=", `"\u00e9"`: "=?base64?w6k=?=", `"=?base64?eA==?="`: "=?base64?PT9iYXNlNjQ/ZUE9PT89?=",
		`9007199254740992`: "none", `1.5`: "none", `null`: "none", `[]`: "none", ``: "none", `{}`: "none",
	} {
		got, ok := headerText([]byte(in))
		if !ok {
			got = "none"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
