package service

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/runtime/connection"
)

// web resolves a server at a URL; block is what it is written in.
func (r *resolver) web(block string, h *plan.HTTP, a *plan.Auth) *connection.HTTP {
	out := &connection.HTTP{URL: r.text(block+".url", h.URL), Headers: r.textMap(block+".headers", h.Headers)}
	for name, text := range out.Headers {
		at := fmt.Sprintf("%s.headers[%q]", block, name)
		switch canonical := http.CanonicalHeaderKey(name); {
		case !isToken(name):
			r.fail(at, "this is no name of a header. Letters, digits and dashes are.")
		case mcpHeaders[canonical] || strings.HasPrefix(canonical, "Mcp-"):
			r.fail(at, "MCP itself sets this header. Leave it out.")
		case a != nil && a.Kind != "header" && canonical == "Authorization":
			r.fail(at, "the auth block sets this header. Leave one of them out.")
		default:
			r.header(at, text)
		}
	}
	if a != nil {
		out.Auth = r.auth(a)
	}
	return out
}

// mcpHeaders are the headers that belong to the transport.
var mcpHeaders = map[string]bool{
	"Accept": true, "Connection": true, "Content-Length": true, "Content-Type": true, "Last-Event-Id": true, "Transfer-Encoding": true,
}

// isToken reports whether a header may have the name s.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", c))
	})
}

// header reports a value that no header can have. It never shows it.
func (r *resolver) header(attr, text string) {
	switch {
	case strings.ContainsAny(text, "\r\n"):
		r.fail(attr, "the value has a line break, which no header can have. If it is a secret, write it without the line break at its end.")
	case strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }):
		r.fail(attr, "the value has a control character, which no header can have.")
	}
}

// auth resolves what requests are authorised with. It is resolved anew for every
// request, and once now, so that a mistake is found before anything is sent.
func (r *resolver) auth(a *plan.Auth) *connection.Auth {
	c := r.credential(a)
	out := &connection.Auth{Name: c.name(), Identity: c.identity(r.scope.secrets)}
	if a.Kind == "header" {
		out.Header = r.text("auth.name", a.Name)
		if canonical := http.CanonicalHeaderKey(out.Header); !isToken(out.Header) || mcpHeaders[canonical] || strings.HasPrefix(canonical, "Mcp-") {
			r.fail("auth.name", fmt.Sprintf("%q cannot be the name of a credential's header.", out.Header))
		}
	}
	c.value(r)
	found := r.scope.secrets
	out.Credential = func(ctx context.Context, refused string) (string, error) {
		now := resolver{scope: connectionScope{secrets: found, ctx: ctx}}
		text := c.value(&now)
		if now.err == nil && text == refused {
			now.scope.anew = true
			text = c.value(&now)
		}
		return text, now.err
	}
	return out
}

// credential is an auth block, ready to be evaluated.
type credential struct {
	kind  string
	parts []part
}

// part is an attribute of a credential.
type part struct {
	attr string // "auth.token"
	expr expr.Expr
	text plan.Expr
	run  *eval.Program
}

func (r *resolver) credential(a *plan.Auth) *credential {
	c := &credential{kind: a.Kind}
	for _, p := range []part{
		{attr: "auth.token", text: a.Token}, {attr: "auth.value", text: a.Value},
		{attr: "auth.username", text: a.Username}, {attr: "auth.password", text: a.Password},
	} {
		if p.text == "" || r.err != nil {
			continue
		}
		var diags diag.List
		if p.expr, diags = expr.Parse(string(p.text), "plan"); diags.HasErrors() {
			r.fail(p.attr, diags[0].Detail)
			continue
		}
		p.run = eval.Compile(p.expr)
		c.parts = append(c.parts, p)
	}
	return c
}

// name is what is to be looked at where the credential is refused: the secret if it
// is one, else the attribute.
func (c *credential) name() string {
	if len(c.parts) == 0 {
		return ""
	}
	last := c.parts[len(c.parts)-1]
	if strings.HasPrefix(string(last.text), "secret.") && len(last.expr.Refs()) == 1 {
		return string(last.text)
	}
	return strings.TrimPrefix(last.attr, "auth.")
}

// identity says whose credential it is: how it is written, and where the secrets in
// it come from.
func (c *credential) identity(s *secrets) string {
	var b strings.Builder
	b.WriteString(c.kind)
	for _, p := range c.parts {
		fmt.Fprintf(&b, " %s=%s", p.attr, p.text)
		for _, ref := range p.expr.Refs() {
			if from, ok := s.refs[ref.Name]; ok && ref.Root == "secret" {
				fmt.Fprintf(&b, " (env %q file %q command %q)", from.Env, from.File, from.Command)
			}
		}
	}
	return b.String()
}

// value returns the value of the header as it is now, or has r fail.
func (c *credential) value(r *resolver) string {
	texts := map[string]string{}
	for _, p := range c.parts {
		if r.err != nil {
			return ""
		}
		got, err := p.run.Eval(r.scope)
		if err != nil {
			r.fail(p.attr, err.Error())
			return ""
		}
		text := r.asText(p.attr, got.Value)
		if r.header(p.attr, text); text == "" && p.attr != "auth.password" {
			r.fail(p.attr, "it is empty.")
		}
		texts[p.attr] = text
	}
	if r.err != nil {
		return ""
	}
	switch c.kind {
	case "header":
		return texts["auth.value"]
	case "basic":
		if strings.Contains(texts["auth.username"], ":") {
			r.fail("auth.username", "a user name cannot have a colon, which ends it.")
			return ""
		}
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(texts["auth.username"]+":"+texts["auth.password"]))
	}
	return "Bearer " + texts["auth.token"]
}
