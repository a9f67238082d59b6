// Package foreign reads the configuration files in which MCP clients keep their
// servers, each in its dialect, and writes them as connections of a project. Secrets
// never come into what it writes: it names them.
//
// Its central type is Import. It imports lang/nearest only; it reads no file but those
// that it is given the bytes of, and no environment.
package foreign

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// File is a configuration file.
type File struct {
	Name  string // as it was named, for messages
	Path  string // absolute
	Bytes []byte
	// User: it belongs to a person, not to a project, whose files win.
	User bool
}

// World is what there is around the files.
type World struct {
	Root    string // of the project, absolute
	Windows bool
	// Exists reports whether there is a file.
	Exists func(path string) bool
	// Read reads a file that a configuration names, such as an envFile.
	Read func(path string) ([]byte, error)
}

// Import is what the files hold.
type Import struct {
	Servers []*Server
	Secrets []Secret
	// Problems are what cannot be imported; if there is any, nothing is to be written.
	Problems []Note
	// Notes are what a person should know of what was.
	Notes []Note
}

// Note is a remark on a file, a server in it, or a field of that.
type Note struct {
	File, Server, Field string // the last two may be ""
	Text                string // a full sentence
}

// String writes the note after what it is about.
func (n Note) String() string {
	where := n.File
	if n.Server != "" {
		where += ": server " + shown(n.Server)
	}
	if n.Field != "" {
		where += ": " + n.Field
	}
	return where + ": " + n.Text
}

// Server is one server, as a connection.
type Server struct {
	Name     string // in the file
	File     string
	Provider string // the identifier made of it
	Off      bool

	Command Text
	Args    []Text
	Env     []Pair
	Cwd     Text

	URL     Text // "": it is a child process
	SSE     bool
	Headers []Pair
	Bearer  Text // the token of an Authorization header

	Allow, Deny []string
	Idle        string // a duration: how long a call may be silent; "": as usual
	Connect     string // a duration: how long connecting may take

	user bool
}

// Pair is an environment variable or a header.
type Pair struct {
	Name  string
	Value Text
}

// Secret is a value that the file has, or gets from somewhere: it is named, and never
// written down.
type Secret struct {
	Name string
	Env  string // the variable that has it
	Path string // or, the file
	// InFile: the value stands in the configuration file, and has to be moved.
	InFile bool
	From   string // the file
	Server string

	value string
}

// Text is a text with places that are filled in when the connection opens.
type Text []Part

// Part is a piece of a text: one of its fields is set.
type Part struct {
	Literal string
	Env     string // a variable
	Default *string
	Secret  string // its name
	Root    bool   // the project's folder
}

// lit returns a text without places.
func lit(s string) Text {
	if s == "" {
		return Text{{Literal: ""}}
	}
	return Text{{Literal: s}}
}

// plain returns the text where it has no places.
func (t Text) plain() (string, bool) {
	var b strings.Builder
	for _, p := range t {
		if p.Env != "" || p.Secret != "" || p.Root {
			return "", false
		}
		b.WriteString(p.Literal)
	}
	return b.String(), true
}

// shown is a text of a file in a message.
func shown(s string) string { return strconv.Quote(s) }

// Read reads files. Of servers of the same name the one of a project wins over the
// one of a person, and else the first.
func Read(files []File, w World) *Import {
	r := &reader{world: w, out: &Import{}}
	for i := range files {
		r.file(&files[i])
	}
	r.names()
	return r.out
}

// reader reads files into an import.
type reader struct {
	world   World
	out     *Import
	at      Note // where it is, for notes
	current *File
	dialect
	inputs map[string]*node // of VS Code
}

func (r *reader) problem(field, format string, args ...any) {
	n := r.at
	n.Field, n.Text = field, fmt.Sprintf(format, args...)
	r.out.Problems = append(r.out.Problems, n)
}

func (r *reader) note(field, format string, args ...any) {
	n := r.at
	n.Field, n.Text = field, fmt.Sprintf(format, args...)
	r.out.Notes = append(r.out.Notes, n)
}

func (r *reader) file(f *File) {
	r.current, r.at, r.inputs = f, Note{File: f.Name}, nil
	src := strings.TrimPrefix(string(f.Bytes), "\ufeff")
	if strings.TrimSpace(src) == "" {
		r.note("", "It is empty, so that no server was taken from it.")
		return
	}
	root, err := parse(f.Path, src)
	if err != nil {
		r.problem("", "It cannot be read: %s.", err)
		return
	}
	if root.kind != object {
		r.problem("", "It holds no object, so that it is no configuration file of an MCP client.")
		return
	}
	r.dialect = dialectOf(f.Path, root)
	servers := r.servers(root)
	if servers == nil {
		return
	}
	if len(servers) == 0 {
		r.note("", "There is no server in it.")
	}
	for _, s := range servers {
		r.take(s)
	}
}

// named is a server as it stands in a file.
type named struct {
	name string
	node *node
}

// take reads a server, unless another of its name wins.
func (r *reader) take(n named) {
	r.at = Note{File: r.current.Name, Server: n.name}
	if n.node.kind != object {
		r.problem("", "It is no object.")
		return
	}
	if i := slices.IndexFunc(r.out.Servers, func(s *Server) bool { return s.Name == n.name }); i >= 0 {
		old := r.out.Servers[i]
		if !old.user || r.current.User {
			r.note("", "It is left out, because %s has a server of that name.", old.File)
			return
		}
		r.note("", "It is taken in place of the one in %s, which is a person's.", old.File)
		r.out.Servers = slices.Delete(r.out.Servers, i, i+1)
		r.out.Secrets = slices.DeleteFunc(r.out.Secrets, func(s Secret) bool { return s.From == old.File && s.Server == old.Name })
	}
	if s := r.server(n); s != nil {
		s.user = r.current.User
		r.out.Servers = append(r.out.Servers, s)
	}
}

// names gives each server its identifier.
func (r *reader) names() {
	byFold := map[string]*Server{}
	for _, s := range r.out.Servers {
		s.Provider = identifier(s.Name)
		fold := strings.ToLower(s.Provider)
		if other := byFold[fold]; other != nil {
			r.at = Note{File: s.File, Server: s.Name}
			r.problem("", "Its connection would have the same name, %s.main, as that of the server %s in %s. Rename one of them in its file.", s.Provider, shown(other.Name), other.File)
			continue
		}
		byFold[fold] = s
	}
}

// base is the folder that relative paths of a file are relative to: that of the
// project that the file is of.
func base(path string) string {
	dir := filepath.Dir(path)
	for {
		switch name := filepath.Base(dir); name {
		case ".vscode", ".cursor", ".roo", ".gemini", ".codex", ".claude", ".kiro", ".amazonq":
			return filepath.Dir(dir)
		case "settings", "config":
			if parent := filepath.Base(filepath.Dir(dir)); name == "config" || parent == ".kiro" {
				dir = filepath.Dir(dir)
				if name == "config" {
					return dir
				}
				continue
			}
		}
		return dir
	}
}
