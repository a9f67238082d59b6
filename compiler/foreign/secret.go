package foreign

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// secretNames are the words in the names of variables and headers that have secrets.
var secretNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[_-])(tokens?|secrets?|passwords?|passwd|pwd|apikey|credentials?|pat|auth|authorization|cookie)([_-]|$)|(api|access|private|secret|client|service)[_-]?key|[_-]key$|^key$|apitoken|dsn$|connection[_-]?string`)
})

// secretTexts are what tokens of well-known services begin with.
var secretTexts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(gh[pousr]_|github_pat_|sk-|pk_live_|sk_live_|xox[abeprs]-|glpat-|npm_|hf_|AKIA|AIza|eyJ[A-Za-z0-9_-]{10,}\.|ya29\.|lin_api_|ntn_|secret_|SG\.|dop_v1_|shpat_)`)
})

// longWord is what may be a secret among other text.
var longWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z0-9+/_-]{8,}`)
})

// secretName reports whether what has this name is kept secret.
func secretName(name string) bool { return secretNames().MatchString(name) }

// secretText reports whether a text looks like a token, or holds a login.
func secretText(t Text) bool {
	for _, p := range t {
		word := p.Literal
		for _, w := range strings.FieldsFunc(word, func(c rune) bool {
			return c == ' ' || c == '=' || c == ':' || c == ',' || c == '"' || c == '/' || c == '&' || c == '?'
		}) {
			if secretTexts().MatchString(w) && len(w) >= 12 {
				return true
			}
		}
		if u, err := url.Parse(word); err == nil && u.User != nil {
			if _, has := u.User.Password(); has {
				return true
			}
		}
	}
	return false
}

// harmless reports whether a text under a name that secrets have is none.
func harmless(t Text) bool {
	s, plain := t.plain()
	if !plain {
		return false
	}
	switch strings.ToLower(s) {
	case "", "true", "false", "none", "null", "oauth", "bearer", "basic", "disabled", "enabled", "0", "1":
		return true
	}
	return false
}

// secretOf makes a secret of a text: of a variable alone that variable has it, else a
// new one of the name that is given, to which its user moves the value.
func (r *reader) secretOf(s *Server, name string, t Text) Text {
	if len(t) == 1 && t[0].Secret != "" {
		return t
	}
	if len(t) == 1 && t[0].Env != "" && t[0].Default == nil {
		return Text{{Secret: r.secret(Secret{Name: identifierOf(t[0].Env), Env: t[0].Env, From: s.File, Server: s.Name})}}
	}
	for _, p := range t {
		if p.Secret != "" { // a part of it is one already
			return t
		}
	}
	if value, plain := t.plain(); plain {
		env := upper(name)
		return Text{{Secret: r.secret(Secret{Name: identifierOf(env), Env: env, InFile: true, From: s.File, Server: s.Name, value: value})}}
	}
	// Places among literal text: each is a secret, and the text around it stays, unless
	// that looks like one itself.
	out := make(Text, 0, len(t))
	for _, p := range t {
		switch {
		case p.Env != "" && p.Default == nil:
			p = Part{Secret: r.secret(Secret{Name: identifierOf(p.Env), Env: p.Env, From: s.File, Server: s.Name})}
		case secretText(Text{p}), longWord().MatchString(p.Literal), p.Default != nil && secretText(Text{{Literal: *p.Default}}):
			env := upper(name)
			return Text{{Secret: r.secret(Secret{Name: identifierOf(env), Env: env, InFile: true, From: s.File, Server: s.Name, value: "\x00parts"})}}
		}
		out = append(out, p)
	}
	return out
}

// secret notes a secret and returns its name. One variable is one secret, unless two
// servers have other values for it: then the second has a variable of its own.
func (r *reader) secret(s Secret) string {
	for i := range r.out.Secrets {
		old := &r.out.Secrets[i]
		if old.Name != s.Name {
			continue
		}
		if old.Path == s.Path && (old.value == s.value || s.value == "" || old.value == "") {
			old.InFile = old.InFile || s.InFile
			if old.value == "" {
				old.value = s.value
			}
			return old.Name
		}
		own := upper(s.Server) + "_" + s.Env
		if own == s.Env || strings.HasPrefix(s.Env, upper(s.Server)+"_") {
			own = s.Env + "_2"
		}
		s.Env, s.Name = own, identifierOf(own)
		return r.secret(s)
	}
	r.out.Secrets = append(r.out.Secrets, s)
	return s.Name
}

// fileSecret is a secret that a file has.
func (r *reader) fileSecret(path string) string {
	at := path
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		r.note("", "The secret of the file %s is looked for at that path; write it whole, since ~ is not expanded there.", path)
		at = "~/" + rest
	} else if !filepath.IsAbs(path) {
		if rel, err := filepath.Rel(r.world.Root, filepath.Join(base(r.current.Path), path)); err == nil {
			at = filepath.ToSlash(rel)
		}
	}
	name := identifierOf(upper(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))))
	return r.secret(Secret{Name: name, Path: at, From: r.current.Name, Server: r.at.Server})
}

// secretArgument takes a token out of an argument: --token=abc, or a token alone.
func (r *reader) secretArgument(s *Server, t Text) Text {
	value, plain := t.plain()
	if !plain {
		return t
	}
	if flag, rest, ok := strings.Cut(value, "="); ok && strings.HasPrefix(flag, "-") && rest != "" && (secretName(strings.TrimLeft(flag, "-")) || secretText(lit(rest))) {
		return append(lit(flag+"="), r.secretOf(s, s.Name+"_"+strings.TrimLeft(flag, "-"), lit(rest))...)
	}
	if key, rest, ok := strings.Cut(value, "="); ok && secretName(key) && rest != "" && !strings.HasPrefix(key, "-") {
		return append(lit(key+"="), r.secretOf(s, key, lit(rest))...)
	}
	if i := len(s.Args); i > 0 && !strings.HasPrefix(value, "-") {
		flag, _ := s.Args[i-1].plain()
		if strings.HasPrefix(flag, "-") && secretName(strings.TrimLeft(flag, "-")) {
			return r.secretOf(s, s.Name+"_"+strings.TrimLeft(flag, "-"), t)
		}
	}
	if secretText(t) {
		return r.secretOf(s, s.Name+"_TOKEN", t)
	}
	return t
}

// secretInURL takes a login, or a token in the query, out of a URL.
func (r *reader) secretInURL(s *Server, t Text) Text {
	value, plain := t.plain()
	if !plain {
		// A variable in the query or before the host is a secret if its name says so.
		for i, p := range t {
			if p.Env != "" && secretName(p.Env) {
				t[i] = r.secretOf(s, p.Env, Text{p})[0]
			}
		}
		return t
	}
	u, err := url.Parse(value)
	if err != nil {
		return t
	}
	if u.User != nil {
		env := upper(s.Name + "_URL")
		return r.secretOf(s, env, t)
	}
	var out Text
	rest := value
	before, query, ok := strings.Cut(rest, "?")
	if !ok {
		if secretText(t) {
			return r.secretOf(s, s.Name+"_URL", t)
		}
		return t
	}
	out = append(out, Part{Literal: before + "?"})
	for i, item := range strings.Split(query, "&") {
		if i > 0 {
			out = append(out, Part{Literal: "&"})
		}
		key, v, ok := strings.Cut(item, "=")
		if ok && v != "" && (secretName(key) || secretText(lit(v))) {
			out = append(out, Part{Literal: key + "="})
			out = append(out, r.secretOf(s, s.Name+"_"+key, lit(v))...)
			continue
		}
		out = append(out, Part{Literal: item})
	}
	return join(out)
}

// join puts literal parts that stand side by side together.
func join(t Text) Text {
	var out Text
	for _, p := range t {
		if n := len(out); n > 0 && p.Literal != "" && out[n-1].Literal != "" {
			out[n-1].Literal += p.Literal
			continue
		}
		out = append(out, p)
	}
	return out
}

// envFile reads a file of NAME=value lines: each is a secret, since that is what such
// files are for.
func (r *reader) envFile(s *Server, name string) []Pair {
	path := name
	t := r.path("envFile", name)
	var b strings.Builder
	for _, p := range t {
		switch {
		case p.Root:
			b.WriteString(r.world.Root)
		case p.Literal != "":
			b.WriteString(p.Literal)
		default:
			r.problem("envFile", "Where the file %s is depends on a variable.", shown(name))
			return nil
		}
	}
	if path = b.String(); !filepath.IsAbs(path) {
		path = filepath.Join(base(r.current.Path), path)
	}
	src, err := r.world.Read(path)
	if err != nil {
		r.problem("envFile", "The file %s cannot be read.", shown(name))
		return nil
	}
	var out []Pair
	for line := range strings.Lines(strings.TrimPrefix(string(src), "\ufeff")) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || key == "" {
			continue
		}
		if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		if harmless(lit(value)) {
			out = append(out, Pair{key, lit(value)})
			continue
		}
		out = append(out, Pair{key, Text{{Secret: r.secret(Secret{Name: identifierOf(key), Env: key, InFile: true, From: name, Server: s.Name, value: value})}}})
	}
	return out
}

// identifierOf makes the name of a secret of the name of a variable.
func identifierOf(env string) string { return identifier(strings.ToLower(env)) }

// identifier makes an identifier of a name: what one cannot have becomes "_".
func identifier(name string) string {
	var b strings.Builder
	for _, c := range name {
		if hclsyntax.ValidIdentifier("a" + string(c)) {
			b.WriteRune(c)
		} else if !strings.HasSuffix(b.String(), "_") {
			b.WriteByte('_')
		}
	}
	out := strings.Trim(b.String(), "_-")
	if !hclsyntax.ValidIdentifier(out) {
		out = "mcp_" + out
	}
	return strings.TrimRight(out, "_")
}
