package check

import (
	"fmt"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// fileCall checks file("path"), which is no function of the table: the file is
// read when compiling, and its text stands in the plan.
func (c *checker) fileCall(x *hclsyntax.FunctionCallExpr, en *env) typed {
	if len(x.Args) != 1 || x.ExpandFinal {
		c.report(diag.New(codeArgumentCount, x.Range(), "file takes 1 argument, and %s given: file(path).", isAre(len(x.Args))))
		return failed
	}
	if c.place.roots&(rootSecret|rootProject) != 0 && c.place.roots&rootInput == 0 && c.place != deploymentPlace {
		c.notHere("file", "in a workflow and in the inputs of a deployment", x.NameRange)
		return failed
	}
	arg := x.Args[0]
	if c.expr(arg, en, types.StringType, &subject{plain: "The path of file"}).t.IsError() {
		return failed
	}
	name, ok := c.sub(arg).Text()
	if !ok {
		c.report(diag.New(codeNotConstant, arg.Range(), "Which file is read is known when compiling, so that its path cannot be computed. Write it as text, from the project's root."))
		return failed
	}
	if _, err := c.w.project.Content(name); err != nil {
		c.report(diag.New(codeNoFile, arg.Range(), "The file %q cannot be read: %s. Paths begin at the project's root.", name, err))
		return failed
	}
	return of(types.StringType)
}

// files is the scope of a constant: it has no names, and the files of a project.
type files struct {
	noNames
	c *checker
}

// Call reads a file, as eval.Functions has it.
func (f files) Call(name string, args []value.Value) (v value.Value, ok bool, err error) {
	if name != "file" || len(args) != 1 || args[0].Kind() != value.String {
		return value.Value{}, false, nil
	}
	text, err := f.c.w.project.Content(args[0].AsString())
	if err != nil {
		return value.Value{}, true, fmt.Errorf("the file %q cannot be read: %w", args[0].AsString(), err)
	}
	return value.OfString(text), true, nil
}
