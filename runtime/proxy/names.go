package proxy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
)

// Prefix says which names begin with that of their connection.
type Prefix uint8

// The values of Prefix.
const (
	Conflict Prefix = iota // those that several connections have
	Always
	Never
)

// Prefixes are the values as they are written.
var Prefixes = map[string]Prefix{"conflict": Conflict, "always": Always, "never": Never}

// kind is what has a name.
type kind uint8

const (
	tool kind = iota
	prompt
	kinds
)

func (k kind) String() string { return [...]string{"tool", "prompt"}[k] }

// longestName is what all clients take: the API of some models refuses longer ones.
const longestName = 64

// names tells under which name clients see a tool or a prompt. Which names several
// connections have is known from their snapshots and from all that was listed since,
// so that a name never loses its prefix again while the proxy lives.
type names struct {
	prefix  Prefix
	sources []*source

	mu    sync.Mutex
	of    [kinds]map[string]map[int]bool // name → the sources that have it
	given [kinds]map[string]origin       // what clients see → what it is
}

// origin is a tool or a prompt of a source, by the name that its server has for it.
type origin struct {
	source int
	name   string
}

func newNames(p Prefix, sources []*source) (*names, error) {
	n := &names{prefix: p, sources: sources}
	for k := range kinds {
		n.of[k] = map[string]map[int]bool{}
		n.given[k] = map[string]origin{}
	}
	for k := range kinds {
		for _, s := range sources {
			n.learn(k, s.index, n.known(k, s))
		}
		for _, s := range sources {
			for _, name := range n.known(k, s) {
				shown := n.plain(k, origin{s.index, name})
				other, taken := n.given[k][shown]
				if taken && other != (origin{s.index, name}) {
					return nil, fmt.Errorf("the %ss %s.%s and %s.%s would both be called %q. %s", k,
						sources[other.source].id, other.name, s.id, name, shown, n.advice(k))
				}
				n.given[k][shown] = origin{s.index, name}
			}
		}
	}
	return n, nil
}

func (n *names) advice(k kind) string {
	if n.prefix == Never {
		return "Let their names begin with that of their connection: --prefix conflict"
	}
	if k == tool {
		return "Hide one of them by deny of its connection, or write --prefix always"
	}
	return "Give one of the connections another name"
}

// known returns the names of a source that are known from its snapshot.
func (n *names) known(k kind, s *source) []string {
	if k == prompt {
		return s.Prompts
	}
	var seen []string
	for _, name := range s.Tools {
		if s.hidden(name) == "" {
			seen = append(seen, name)
		}
	}
	return seen
}

// learn takes the names that a source has.
func (n *names) learn(k kind, source int, all []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, name := range all {
		if n.of[k][name] == nil {
			n.of[k][name] = map[int]bool{}
		}
		n.of[k][name][source] = true
	}
}

// shown returns the name under which clients see o. One that another has already,
// which only a list of a running server can bring about, gets a hash.
func (n *names) shown(k kind, o origin) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	name := n.plain(k, o)
	if other, taken := n.given[k][name]; taken && other != o {
		name = hashed(n.sources[o.source].id, o.name, name)
	}
	n.given[k][name] = o
	return name
}

// plain returns the name of o as the rules make it.
func (n *names) plain(k kind, o origin) string {
	id, name := n.sources[o.source].id, o.name
	if n.prefix == Always || n.prefix == Conflict && len(n.of[k][o.name]) > 1 {
		name = fold(id) + "_" + name
	}
	if len(name) > longestName || name == "" || fold(name) != name {
		return hashed(id, o.name, name)
	}
	return name
}

// hashed shortens a name, and ends it with what tells it from all others. The name
// stays the same as long as the connection and the tool are called the same.
func hashed(id, name, wanted string) string {
	sum := sha256.Sum256([]byte(id + "\x00" + name))
	end := "_" + hex.EncodeToString(sum[:4])
	wanted = fold(wanted)
	return wanted[:min(len(wanted), longestName-len(end))] + end
}

// fold replaces what not every client takes in a name.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
}

// asIs reports whether every name of the proxy is that of its server, unless it is one
// that not every client takes: then a name says by itself what it is.
func (n *names) asIs() bool { return len(n.sources) == 1 && n.prefix != Always }

// nameURIs gives each source what its URIs begin with. A URI of github.work is
// github.work+file:///x for clients, which is a URI still, and says whose it is. Where
// there is one source its URIs are as they are.
func nameURIs(sources []*source) {
	if len(sources) < 2 {
		return
	}
	taken := map[string]bool{}
	for _, s := range sources {
		scheme := strings.Map(func(r rune) rune {
			if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '.' || r == '-' {
				return r
			}
			return '-'
		}, strings.ToLower(s.id))
		if scheme[0] < 'a' {
			scheme = "x" + scheme
		}
		if taken[scheme] { // the ids differ in what a scheme cannot have
			sum := sha256.Sum256([]byte(s.id))
			scheme += "-" + hex.EncodeToString(sum[:4])
		}
		taken[scheme] = true
		s.uri = scheme + "+"
	}
}

// sourceOf returns the source of a URI that a client has, and the URI that its server
// knows; nil if it is of none.
func (p *Proxy) sourceOf(uri string) (*source, string) {
	if len(p.sources) == 1 {
		return p.sources[0], uri
	}
	for _, s := range p.sources {
		if rest, ok := strings.CutPrefix(uri, s.uri); ok {
			return s, rest
		}
	}
	return nil, uri
}
