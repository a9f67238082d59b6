package foreign

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// home is the variable that has the user's folder.
func (r *reader) home() Part {
	if r.world.Windows {
		return Part{Env: "USERPROFILE"}
	}
	return Part{Env: "HOME"}
}

// form is how variables of a dialect are found. What the groups are for is told by
// [reader.place].
type form struct {
	of    variables
	match *regexp.Regexp
}

// forms are made at their first use: most processes import nothing.
var forms = sync.OnceValue(func() []form {
	return []form{
		{secrets, regexp.MustCompile(`^\$\{\{\s*(?:secrets|env|vars)\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}`)},
		{template, regexp.MustCompile(`^\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}`)},
		{envURL, regexp.MustCompile(`^\$\{env://([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}`)},
		{envColon, regexp.MustCompile(`^\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}`)},
		{envColon, regexp.MustCompile(`^\$\{(input):([^}]+)\}`)},
		{envColon, regexp.MustCompile(`^\$\{(workspaceFolder|workspaceFolderBasename|userHome|pathSeparator|/)\}`)},
		{braces, regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}`)},
		{envPath, regexp.MustCompile(`^\$env:([A-Za-z_][A-Za-z0-9_]*)`)},
		{dollar, regexp.MustCompile(`^\$([A-Za-z_][A-Za-z0-9_]*)`)},
		{curly, regexp.MustCompile(`^\{env:([A-Za-z_][A-Za-z0-9_]*)\}`)},
		{curly, regexp.MustCompile(`^\{(file):([^}]+)\}`)},
		{single, regexp.MustCompile(`^\{([A-Za-z_][A-Za-z0-9_]*)\}`)},
	}
})

// text reads a text with the variables of its dialect. field says where it stands.
func (r *reader) text(field, s string) Text {
	var out Text
	var literal strings.Builder
	flush := func() {
		if literal.Len() > 0 {
			out = append(out, Part{Literal: literal.String()})
			literal.Reset()
		}
	}
	for i := 0; i < len(s); {
		if s[i] != '$' && s[i] != '{' {
			literal.WriteByte(s[i])
			i++
			continue
		}
		matched := false
		for _, f := range forms() {
			if r.variables&f.of == 0 {
				continue
			}
			m := f.match.FindStringSubmatch(s[i:])
			if m == nil {
				continue
			}
			part, ok := r.place(field, f.of, m)
			if !ok {
				break
			}
			if part.Literal != "" {
				literal.WriteString(part.Literal)
			} else {
				flush()
				out = append(out, part)
			}
			i += len(m[0])
			matched = true
			break
		}
		if !matched {
			// What looks like a variable of another client is text, as its own takes it.
			if strings.HasPrefix(s[i:], "${") {
				r.note(field, "%s is no variable as %s writes it, and stays as it is.", shown(upTo(s[i:], '}')), r.client)
			}
			literal.WriteByte(s[i])
			i++
		}
	}
	flush()
	if out == nil {
		return lit("")
	}
	return out
}

// upTo returns a text up to the first of a character.
func upTo(s string, end byte) string {
	if i := strings.IndexByte(s, end); i >= 0 {
		return s[:i+1]
	}
	return s
}

// place is what a variable stands for.
func (r *reader) place(field string, of variables, m []string) (Part, bool) {
	switch {
	case of == envColon && m[1] == "input" && len(m) > 2:
		return r.input(field, m[2]), true
	case of == curly && m[1] == "file" && len(m) > 2:
		return Part{Secret: r.fileSecret(m[2])}, true
	case of == template:
		return Part{Env: upper(m[1])}, true
	case of == single:
		return Part{Env: upper(m[1])}, true
	}
	switch m[1] {
	case "workspaceFolder":
		if of == envColon {
			return Part{Root: true}, true
		}
	case "workspaceFolderBasename":
		if of == envColon {
			return Part{Literal: filepath.Base(r.world.Root)}, true
		}
	case "userHome":
		return r.home(), true
	case "pathSeparator", "/":
		return Part{Literal: "/"}, true
	}
	part := Part{Env: m[1]}
	if len(m) > 2 && strings.Contains(m[0], ":-") {
		d := m[2]
		part.Default = &d
	}
	return part, true
}

// input is what VS Code asks its user for: here a variable has it.
func (r *reader) input(field, id string) Part {
	in := r.inputs[id]
	name := upper(id)
	if in == nil {
		r.problem(field, "It refers to the input %s, and `inputs` has none of that id.", shown(id))
		return Part{Env: name}
	}
	if in.get("password").is("true") {
		return Part{Secret: r.secret(Secret{Name: identifierOf(name), Env: name, From: r.current.Name, Server: r.at.Server})}
	}
	part := Part{Env: name}
	if d := in.get("default"); d != nil && d.kind == text {
		part.Default = &d.text
	}
	r.note(field, "VS Code asks its user for %s. Here it is read from the variable %s.", shown(id), name)
	return part
}

// path reads a text that is a path: ~ is the user's folder.
func (r *reader) path(field, s string) Text {
	if s == "~" || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, `~\`) {
		if len(s) == 1 {
			return Text{r.home()}
		}
		return append(Text{r.home()}, r.text(field, s[1:])...)
	}
	return r.text(field, s)
}

// upper makes the name of a variable of a text.
func upper(s string) string {
	var b strings.Builder
	for _, c := range strings.ToUpper(s) {
		if c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' && b.Len() > 0 {
			b.WriteRune(c)
			continue
		}
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "_") {
			b.WriteByte('_')
		}
	}
	if out := strings.Trim(b.String(), "_"); out != "" {
		return out
	}
	return "VALUE"
}
