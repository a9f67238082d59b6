// Package protocol says what the server of wfc and its clients say to each other over
// JSON-RPC: the methods, their parameters and results, and the codes of their errors.
// There is one table of methods; the server, its description ([OpenRPC]), the
// reference in the documentation and the Go client are made of it.
//
// Its central type is [Method]. Of wfc it imports lang/value, lang/nearest and runner/rpc/jsonrpc.
package protocol

import "reflect"

// Scope is what a token allows. Each allows what the ones before it do.
type Scope string

// The scopes.
const (
	Read  Scope = "read"  // look at what is there
	Run   Scope = "run"   // call tools and run deployments
	Admin Scope = "admin" // change drafts, artifacts, deployments and snapshots
)

// Scopes are all scopes, each allowing more than the one before it.
func Scopes() []Scope { return []Scope{Read, Run, Admin} }

// Allows reports whether a token with scope s may do what needs the scope wanted.
func (s Scope) Allows(wanted Scope) bool {
	rank := map[Scope]int{Read: 1, Run: 2, Admin: 3}
	return rank[s] >= rank[wanted] && rank[wanted] > 0
}

// Spec is what there is to know of a method.
type Spec struct {
	Name   string
	Scope  Scope
	Doc    string       // what it does: full sentences, Markdown
	Params reflect.Type // a struct
	Result reflect.Type // a struct
}

// Method is a method with the types of its parameters and result.
type Method[P, R any] struct{ Spec }

// methods are all methods, in the order of their definition.
var methods []Spec

// Methods returns all methods, in the order in which the documentation has them.
func Methods() []Spec { return methods }

func define[P, R any](name string, scope Scope, doc string) Method[P, R] {
	s := Spec{Name: name, Scope: scope, Doc: doc, Params: reflect.TypeFor[P](), Result: reflect.TypeFor[R]()}
	methods = append(methods, s)
	return Method[P, R]{s}
}
