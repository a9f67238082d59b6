package service

import (
	"fmt"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/compiler/preview"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
)

// Preview says what a run of a plan will do, as far as its inputs tell. It starts
// nothing, calls nothing, and reads no secret. Wrong inputs are an error, an
// *[engine.InputError].
func Preview(p *plan.Plan, inputs value.Value) (*preview.Preview, error) {
	program, err := engine.NewProgram(p)
	if err != nil {
		return nil, fmt.Errorf("the plan cannot be run: %w", err)
	}
	all, err := program.Inputs(inputs)
	if err != nil {
		return nil, err
	}
	return preview.Of(p, all), nil
}
