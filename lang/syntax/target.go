package syntax

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
)

// targetKind is what of a source an attribute names.
type targetKind struct {
	attr  string // call
	noun  string // tool
	name  string // TOOL
	verb  string // "is called", after "Which tool of … "
	alone bool   // the source may stand alone
}

var (
	toolTarget     = targetKind{attr: "call", noun: "tool", name: "TOOL", verb: "is called"}
	promptTarget   = targetKind{attr: "prompt", noun: "prompt", name: "PROMPT", verb: "is rendered"}
	resourceTarget = targetKind{attr: "read", noun: "resource template", name: "TEMPLATE", verb: "is read", alone: true}
)

// capability reads SOURCE.NAME or SOURCE["a name"], of a member of a family
// with its key between: FAMILY[KEY].NAME. While it is being typed, only the
// source may be there.
func (r *reader) capability(at *hclsyntax.Attribute, k targetKind) *Ref {
	if unreadable(at.Expr) {
		return nil
	}
	ref, ok := r.member(at.Expr)
	if !ok {
		if ref, ok = r.reference(at.Expr); !ok {
			r.notTarget(at, k)
			return nil
		}
	}
	source := ref.Path[0].Text
	switch {
	case len(ref.Path) == 2:
		return &ref
	case len(ref.Path) == 1 && !ref.Key.IsZero() && !k.alone && !r.isHalf(at.Expr.Range()):
		r.notTarget(at, k)
		return nil
	case len(ref.Path) == 1 && (r.broken || k.alone):
		return &ref
	case len(ref.Path) == 1:
		text := string(ref.Range.SliceBytes(r.src))
		r.report(diag.New(codeInvalidReference, at.Expr.Range(), "Which %s of %q %s? Write %s = %s.%s, or %s[\"%s name\"] for a name that is no identifier.",
			k.noun, text, k.verb, k.attr, text, k.name, text, k.noun))
		return &ref
	case source == "connection" && len(ref.Path) <= 4:
		account, name := "ACCOUNT", k.name
		if len(ref.Path) > 2 {
			account = ref.Path[2].Text
		}
		if len(ref.Path) > 3 {
			name = ref.Path[3].Text
		}
		r.report(diag.New(codeInvalidReference, at.Expr.Range(),
			"A step refers to one of the workflow's sources, not to a connection. Declare a source with bind = connection.%s.%s and write %s = SOURCE.%s.",
			ref.Path[1].Text, account, k.attr, name))
	default:
		r.report(diag.New(codeInvalidReference, at.Expr.Range(), "%s",
			fmt.Sprintf("%q names a source and one %s of it: SOURCE.%s, or SOURCE[\"%s name\"] for a name that is no identifier, as in %s[%q].",
				k.attr, k.noun, k.name, k.noun, source, joined(ref.Path[1:]))))
	}
	return nil
}

// isHalf reports whether a dot follows what is read, which has its diagnostic:
// the name is still to be typed.
func (r *reader) isHalf(at hcl.Range) bool {
	return r.broken && at.End.Byte < len(r.src) && r.src[at.End.Byte] == '.'
}

// notTarget reports an expression that names nothing.
func (r *reader) notTarget(at *hclsyntax.Attribute, k targetKind) {
	e := unparen(at.Expr)
	want := "SOURCE." + k.name
	switch {
	case isCall(e):
		r.report(diag.New(codeInvalidReference, at.Expr.Range(), "A %s is named without parentheses, as %s. Its arguments stand in \"args\".", k.noun, want))
	case isConstant(e):
		d := diag.New(codeInvalidReference, at.Expr.Range(), "%q names a source and a %s without quotes: %s.", k.attr, k.noun, want)
		if text, ok := r.constantText(e); ok {
			source, name, dotted := strings.Cut(text, ".")
			if dotted && hclsyntax.ValidIdentifier(source) && hclsyntax.ValidIdentifier(name) {
				d = d.Fix("Remove the quotes", true, diag.Edit{Range: diag.RangeOf(e.Range()), Text: text})
			}
		}
		r.report(d)
	default:
		r.report(diag.New(codeNotConstant, at.Expr.Range(),
			"Which %s %s is known before anything runs, so it cannot be computed. Write %s or SOURCE[\"%s name\"]; of a family, FAMILY[KEY].%s.", k.noun, k.verb, want, k.noun, k.name))
	}
}

// member reads FAMILY[KEY], FAMILY[KEY].NAME and FAMILY[KEY]["a name"], of
// which only the key is an expression. A literal key without a name after it
// is left to [reader.reference]: it may be a name.
func (r *reader) member(e hclsyntax.Expression) (Ref, bool) {
	e = unparen(e)
	switch x := e.(type) {
	case *hclsyntax.IndexExpr:
		family, ok := r.word(x.Collection)
		return Ref{Path: []Label{family}, Key: r.expr(x.Key), Range: x.SrcRange}, ok
	case *hclsyntax.RelativeTraversalExpr:
		index, ok := x.Source.(*hclsyntax.IndexExpr)
		if !ok || len(x.Traversal) != 1 {
			return Ref{}, false
		}
		family, ok := r.word(index.Collection)
		if !ok {
			return Ref{}, false
		}
		name, ok := r.stepName(x.Traversal[0])
		return Ref{Path: []Label{family, name}, Key: r.expr(index.Key), Range: x.SrcRange}, ok
	case *hclsyntax.ScopeTraversalExpr:
		if len(x.Traversal) != 3 {
			return Ref{}, false
		}
		index, ok := x.Traversal[1].(hcl.TraverseIndex)
		if !ok {
			return Ref{}, false
		}
		ref, ok := r.reference(x)
		if !ok {
			return Ref{}, false
		}
		key := ref.Path[1]
		ref.Key = r.literal(index, key)
		ref.Path = []Label{ref.Path[0], ref.Path[2]}
		return ref, true
	}
	return Ref{}, false
}

// word reads a name that stands alone.
func (r *reader) word(e hclsyntax.Expression) (Label, bool) {
	ref, ok := r.reference(e)
	if !ok || len(ref.Path) != 1 {
		return Label{}, false
	}
	return ref.Path[0], true
}

// stepName reads an attribute or literal index of a traversal.
func (r *reader) stepName(s hcl.Traverser) (Label, bool) {
	root := hcl.TraverseRoot{Name: "x", SrcRange: s.SourceRange()}
	segments, ok := r.expr(&hclsyntax.ScopeTraversalExpr{Traversal: hcl.Traversal{root, s}, SrcRange: s.SourceRange()}).StaticPath()
	if !ok {
		return Label{}, false
	}
	return Label{Text: segments[1].Text, Range: segments[1].Range}, true
}

// literal is the key of an index that HCL read into the traversal, as an
// expression.
func (r *reader) literal(index hcl.TraverseIndex, key Label) expr.Expr {
	quoted := key.Range
	if quoted.End.Byte-quoted.Start.Byte == len(key.Text) {
		quoted.Start.Byte, quoted.Start.Column = quoted.Start.Byte-1, quoted.Start.Column-1
		quoted.End.Byte, quoted.End.Column = quoted.End.Byte+1, quoted.End.Column+1
	}
	text := &hclsyntax.LiteralValueExpr{Val: index.Key, SrcRange: inside(quoted)}
	return r.expr(&hclsyntax.TemplateExpr{Parts: []hclsyntax.Expression{text}, SrcRange: quoted})
}

func joined(path []Label) string {
	parts := make([]string, len(path))
	for i, p := range path {
		parts[i] = p.Text
	}
	return strings.Join(parts, ".")
}

func isCall(e hclsyntax.Expression) bool {
	_, ok := e.(*hclsyntax.FunctionCallExpr)
	return ok
}

// handedOn reads the bind of a step that runs a workflow.
func (r *reader) handedOn(at *hclsyntax.Attribute) []SourceBinding {
	const want = "which of this workflow's sources stands for each of the other's, as { THEIRS = OURS }"
	var out []SourceBinding
	r.named(at, "source", "bound", want, func(name Label, e hclsyntax.Expression) {
		ref, ok := r.member(e)
		if !ok {
			ref, ok = r.reference(e)
		}
		switch {
		case ok && len(ref.Path) == 1:
			out = append(out, SourceBinding{Child: name, Ours: ref})
		case ok && len(ref.Path) == 2 && ref.Key.IsZero():
			// FAMILY["key"], which the checker tells from a name.
			out = append(out, SourceBinding{Child: name, Ours: ref})
		case unreadable(e):
		default:
			r.report(diag.New(codeInvalidReference, e.Range(), "Here stands a source of this workflow, by its name."))
		}
	})
	return out
}
