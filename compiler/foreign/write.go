package foreign

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// HCL writes the connections and secrets, formatted but for what stands below each
// other.
func (m *Import) HCL() []byte {
	var b strings.Builder
	for i, s := range m.sorted() {
		if i > 0 {
			b.WriteByte('\n')
		}
		s.write(&b)
	}
	secrets := slices.Clone(m.Secrets)
	slices.SortFunc(secrets, func(a, b Secret) int { return strings.Compare(a.Name, b.Name) })
	for _, s := range secrets {
		if s.Path != "" {
			fmt.Fprintf(&b, "\nsecret %s {\n  file = %s\n}\n", quote(s.Name), quote(s.Path))
			continue
		}
		fmt.Fprintf(&b, "\nsecret %s {\n  env = %s\n}\n", quote(s.Name), quote(s.Env))
	}
	return []byte(b.String())
}

func (m *Import) sorted() []*Server {
	out := slices.Clone(m.Servers)
	slices.SortFunc(out, func(a, b *Server) int { return strings.Compare(a.Provider, b.Provider) })
	return out
}

func (s *Server) write(b *strings.Builder) {
	if s.Provider != s.Name {
		fmt.Fprintf(b, "# %s in %s\n", oneLine(s.Name), oneLine(s.File))
	}
	fmt.Fprintf(b, "connection %s \"main\" {\n", quote(s.Provider))
	if s.Off {
		b.WriteString("  enabled = false\n")
	}
	if s.Idle != "" {
		fmt.Fprintf(b, "  idle_timeout = %s\n", quote(s.Idle))
	}
	names := func(name string, list []string) {
		if len(list) == 0 {
			return
		}
		quoted := make([]string, len(list))
		for i, l := range list {
			quoted[i] = quote(l)
		}
		fmt.Fprintf(b, "  %s = [%s]\n", name, strings.Join(quoted, ", "))
	}
	names("allow", s.Allow)
	names("deny", s.Deny)
	if s.Off || s.Idle != "" || len(s.Allow)+len(s.Deny) > 0 {
		b.WriteByte('\n')
	}
	if s.URL != nil {
		kind := "http"
		if s.SSE {
			kind = "sse"
		}
		fmt.Fprintf(b, "  %s {\n    url = %s\n", kind, s.URL.hcl())
		writePairs(b, "headers", s.Headers)
		b.WriteString("  }\n")
		if s.Bearer != nil {
			fmt.Fprintf(b, "\n  auth \"bearer\" {\n    token = %s\n  }\n", s.Bearer.hcl())
		}
	} else {
		fmt.Fprintf(b, "  stdio {\n    command = %s\n", s.Command.hcl())
		if len(s.Args) > 0 {
			args := make([]string, len(s.Args))
			for i, a := range s.Args {
				args[i] = a.hcl()
			}
			fmt.Fprintf(b, "    args = [%s]\n", strings.Join(args, ", "))
		}
		writePairs(b, "env", s.Env)
		if s.Cwd != nil {
			fmt.Fprintf(b, "    cwd = %s\n", s.Cwd.hcl())
		}
		b.WriteString("  }\n")
	}
	if s.Connect != "" {
		fmt.Fprintf(b, "\n  timeouts {\n    connect = %s\n  }\n", quote(s.Connect))
	}
	b.WriteString("}\n")
}

func writePairs(b *strings.Builder, name string, pairs []Pair) {
	switch len(pairs) {
	case 0:
	case 1:
		fmt.Fprintf(b, "    %s = { %s = %s }\n", name, key(pairs[0].Name), pairs[0].Value.hcl())
	default:
		fmt.Fprintf(b, "    %s = {\n", name)
		for _, p := range pairs {
			fmt.Fprintf(b, "      %s = %s\n", key(p.Name), p.Value.hcl())
		}
		b.WriteString("    }\n")
	}
}

// key writes an attribute's name.
func key(name string) string {
	if hclsyntax.ValidIdentifier(name) {
		return name
	}
	return quote(name)
}

// hcl writes the text as an expression.
func (t Text) hcl() string {
	if len(t) == 1 && t[0].Literal == "" && (t[0].Env != "" || t[0].Secret != "" || t[0].Root) {
		return t[0].expr()
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, p := range t {
		if e := p.expr(); e != "" {
			b.WriteString("${" + e + "}")
			continue
		}
		b.WriteString(strings.TrimSuffix(strings.TrimPrefix(quote(p.Literal), `"`), `"`))
	}
	b.WriteByte('"')
	return b.String()
}

// expr is the expression of a place; "" of literal text.
func (p Part) expr() string {
	switch {
	case p.Root:
		return "project.root"
	case p.Secret != "":
		return "secret." + p.Secret
	case p.Env != "" && p.Default != nil:
		return fmt.Sprintf("env(%s, %s)", quote(p.Env), quote(*p.Default))
	case p.Env != "":
		return fmt.Sprintf("env(%s)", quote(p.Env))
	}
	return ""
}

// quote writes a text as a literal of the language.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, c := range text {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case (c == '$' || c == '%') && strings.HasPrefix(text[i+1:], "{"):
			b.WriteRune(c)
			b.WriteRune(c)
		case !unicode.IsPrint(c) && c > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, c)
		case !unicode.IsPrint(c):
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// oneLine makes a text fit for a comment.
func oneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, s)
}
