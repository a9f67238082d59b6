package format

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
)

// expressions prints all that a file says: its blocks with every field, ranges
// left out and expressions in their canonical print.
func expressions(f *syntax.File) string {
	var out strings.Builder
	show(&out, reflect.ValueOf(*f), "")
	return out.String()
}

func show(out *strings.Builder, v reflect.Value, name string) {
	switch x := v.Interface().(type) {
	case hcl.Range, []byte:
		return
	case expr.Expr:
		fmt.Fprintf(out, "%s: %s\n", name, expr.Print(x))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			show(out, v.Elem(), name)
		}
	case reflect.Slice:
		for i := range v.Len() {
			show(out, v.Index(i), fmt.Sprintf("%s[%d]", name, i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			show(out, v.Field(i), name+"."+v.Type().Field(i).Name)
		}
	default:
		fmt.Fprintf(out, "%s: %v\n", name, v.Interface())
	}
}
