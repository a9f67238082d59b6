package funcs

import (
	"path"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

func init() {
	register(Paths,
		path1("dirname", path.Dir, "Gives all of a path but its last part, in the shortest form; `.` where there is no slash.", `dirname("docs/api/ref.md")`, `"docs/api"`),
		path1("basename", path.Base, "Gives the last part of a path.", `basename("docs/api/ref.md")`, `"ref.md"`),
		path1("pathnorm", path.Clean, "Gives the shortest form of a path: without `.`, `x/..` and doubled slashes. The empty path is `.`.", `pathnorm("docs/./api//../a.md")`, `"docs/a.md"`),
		&Func{
			Name:     "pathjoin",
			Params:   []Param{{"path", types.StringType}},
			Variadic: &Param{"paths", types.StringType},
			Result:   types.StringType,
			Call: func(args []value.Value) (value.Value, error) {
				parts, total := make([]string, len(args)), 0
				for i, arg := range args {
					parts[i] = arg.AsString()
					total += len(parts[i]) + 1
				}
				if err := roomForText(total); err != nil {
					return value.Value{}, err
				}
				return value.OfString(path.Join(parts...)), nil
			},
			Doc:     "Joins paths by slashes and gives the shortest form. Empty ones count nothing, and a slash at the start of a later one too.",
			Example: `[pathjoin("a", "../b"), pathjoin(dirname("docs/api/ref.md"), "../café.md")]`,
			Gives:   `["b","docs/café.md"]`,
		},
	)
}

// path1 makes a function of a path. Paths are written with slashes on every
// system, so that an expression means the same everywhere.
func path1(name string, f func(string) string, doc, example, gives string) *Func {
	fn := text1(name, f, doc, example, gives)
	fn.Params[0].Name = "path"
	return fn
}
