package follow

import (
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/funcs"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// call follows a function call. What a function is not known to pass on part by
// part is marked as a whole by all that it gets.
func (a *analysis) call(x *hclsyntax.FunctionCallExpr, en *env) *shape {
	if says(x.Name) {
		return nil
	}
	args := make([]*shape, len(x.Args))
	for i, e := range x.Args {
		args[i] = a.expr(e, en)
		if x.ExpandFinal && i == len(x.Args)-1 {
			args[i] = args[i].element()
		}
	}
	if len(args) == 0 {
		return nil
	}
	switch x.Name {
	case "declassify":
		return nil
	case "sensitive":
		name := "sensitive(…)"
		return args[0].with([]mark{begin(Sensitive, name, x.Range(), "It is marked by sensitive here.")})
	case "tolist", "tomap", "jsonnull":
		return args[0]
	case "coalesce", "try", "coalescelist":
		return joined(args)
	case "concat", "setunion":
		return list(joined(elements(args)))
	case "reverse", "distinct", "sort", "sort_by", "slice", "compact", "setintersection", "setsubtract", "matchkeys", "values":
		return list(args[0].element())
	case "flatten", "flatten1":
		return list(a.flattened(args[0]))
	case "chunklist":
		return list(list(args[0].element()))
	case "one", "element":
		return args[0].element()
	case "keys":
		return list(keysOf(args[0]))
	case "lookup":
		return a.lookup(x, args)
	case "merge":
		return a.merge(x, args)
	case "zipmap":
		if len(args) == 2 {
			return list(args[1].element()).with(args[0].all())
		}
	case "pointer":
		return a.pointer(x, args)
	}
	var marks []mark
	for _, s := range args {
		marks = union(marks, s.all())
	}
	return whole(marks)
}

// says reports whether a function only says something of its arguments: yes or
// no, how many, or which comes first.
func says(name string) bool {
	if name == "length" || name == "timecmp" || name == "index" {
		return true
	}
	f := funcs.Lookup(name)
	return f != nil && f.Result.Kind() == types.Bool && name != "tobool"
}

func joined(args []*shape) *shape {
	var out *shape
	for _, s := range args {
		out = join(out, s)
	}
	return out
}

func elements(args []*shape) []*shape {
	out := make([]*shape, len(args))
	for i, s := range args {
		out[i] = s.element()
	}
	return out
}

// flattened returns the elements of a list of lists, which may be single elements too.
func (a *analysis) flattened(s *shape) *shape {
	elem := s.element()
	if elem == nil {
		return nil
	}
	for name := range elem.attrs {
		if name == "" || name[0] < '0' || name[0] > '9' {
			return elem // an object is no list
		}
	}
	if elem.attrs == nil && elem.rest == nil {
		return elem
	}
	return elem.element()
}

func (a *analysis) lookup(x *hclsyntax.FunctionCallExpr, args []*shape) *shape {
	if len(args) < 2 {
		return joined(args)
	}
	var out *shape
	if key, ok := (expr.Expr{Node: x.Args[1], Source: a.src}).Constant(); ok && key.Kind() == value.String {
		out = args[0].part(key.AsString())
	} else {
		out = args[0].element()
	}
	for _, s := range args[2:] {
		out = join(out, s)
	}
	return out
}

// merge follows merge(a, b, …): what a later object literal has by name takes
// the place of what was there.
func (a *analysis) merge(x *hclsyntax.FunctionCallExpr, args []*shape) *shape {
	var out *shape
	for i, s := range args {
		lit, ok := x.Args[i].(*hclsyntax.ObjectConsExpr)
		if ok && out != nil {
			c := *out
			c.attrs = make(map[string]*shape, len(out.attrs))
			for name, p := range out.attrs {
				c.attrs[name] = p
			}
			for _, it := range lit.Items {
				if name, known := a.keyName(it.KeyExpr); known {
					c.attrs[name] = nil
				}
			}
			out = compose(c.marks, c.attrs, c.rest)
		}
		out = join(out, s)
	}
	return out
}

func (a *analysis) pointer(x *hclsyntax.FunctionCallExpr, args []*shape) *shape {
	if len(args) != 2 {
		return joined(args)
	}
	path, ok := expr.Expr{Node: x.Args[1], Source: a.src}.Text()
	if !ok {
		return whole(args[0].all())
	}
	s := args[0]
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for _, key := range strings.Split(path, "/")[1:] {
		s = s.part(unescape.Replace(key))
	}
	return s
}
