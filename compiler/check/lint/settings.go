package lint

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/syntax"
)

const codeSetting diag.Code = "WFC3390"

// Rules are the rules by the names that they have in the lint block of wfc.hcl.
var Rules = map[string]diag.Code{
	"unused_input":         codeUnusedInput,
	"unused_local":         codeUnusedLocal,
	"unused_source":        codeUnusedSource,
	"unused_connection":    codeUnusedConnection,
	"unused_result":        codeUnusedResult,
	"unread_answer":        codeUnreadAnswer,
	"redundant_depends_on": codeRedundantOrder,
	"unused_each":          codeUnusedEach,
	"identical_branches":   codeIdenticalBranches,
	"constant_condition":   codeConstantCondition,
	"empty_index":          codeEmptyIndex,
	"blind_loop":           codeBlindLoop,
	"foreign_template":     codeForeignTemplate,
	"hard_coded_token":     codeHardCodedToken,
}

// Off returns the rules that a project's lint block (nil: none) turns off, and what is
// wrong with the block.
func Off(l *syntax.Lint) (off map[diag.Code]bool, found diag.List) {
	if l == nil {
		return nil, nil
	}
	off = map[diag.Code]bool{}
	for _, a := range l.Rules {
		code, ok := Rules[a.Name]
		if !ok {
			found = append(found, unknownRule(a))
			continue
		}
		lit, isLit := unparen(a.Expr.Node).(*hclsyntax.LiteralValueExpr)
		switch {
		case isLit && lit.Val.Type() == cty.Bool && lit.Val.IsKnown() && !lit.Val.IsNull():
			off[code] = lit.Val.False()
		case !isBroken(a):
			found = append(found, diag.New(codeSetting, a.Expr.Range(), "A rule is on or off: write %s = false to turn it off. All rules are on where nothing is said.", a.Name))
		}
	}
	return off, found
}

func isBroken(a *syntax.Attribute) bool {
	_, broken := a.Expr.Node.(*hclsyntax.ExprSyntaxError)
	return broken
}

func unknownRule(a *syntax.Attribute) diag.Diagnostic {
	names := make([]string, 0, len(Rules))
	for name := range Rules {
		names = append(names, name)
	}
	d := diag.New(codeSetting, a.NameRange, "There is no rule %q.", a.Name)
	for name, code := range Rules {
		if a.Name == string(code) {
			d.Detail = "Rules have names here, and that of " + a.Name + " is " + name + "."
			return d.Fix("Change it to "+name, true, diag.Edit{Range: diag.RangeOf(a.NameRange), Text: name})
		}
	}
	slices.Sort(names) // of equally near ones the first is taken
	if near, ok := nearest.Name(a.Name, names); ok {
		d.Detail += " Did you mean \"" + near + "\"?"
		return d.Fix("Change it to "+near, true, diag.Edit{Range: diag.RangeOf(a.NameRange), Text: near})
	}
	return d
}
