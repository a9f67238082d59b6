package syntax

import (
	"slices"
	"strings"
	"sync"
)

// BlockSchema says what a kind of block may hold, or the top level of a kind of file.
type BlockSchema struct {
	Type       string   // "" of the top level of a file
	Labels     []string // what each label is: "name", "provider" …
	Doc        string   // one or two sentences; "" of the top level
	Attributes []AttributeSchema
	Blocks     []NestedSchema
	Free       bool // any name may be set
	TextLabels bool // labels are any text
}

// AttributeSchema says what an attribute is.
type AttributeSchema struct {
	Name     string
	Doc      string // one or two sentences
	Required bool
	Instead  string // of a required one: the attribute that may be written in its place
	Form     Form
	Choices  []string // of Choice and Choices, and the constants that On takes
}

// NestedSchema is a block in a block.
type NestedSchema struct {
	*BlockSchema
	Repeat bool
}

// Form is what is written as an attribute's value.
type Form uint8

// The forms. All but the first are read before anything runs.
const (
	Computed      Form = iota // an expression
	TypeForm                  // a type
	ToolRef                   // SOURCE.TOOL
	ReadRef                   // SOURCE or SOURCE.TEMPLATE
	PromptRef                 // SOURCE.PROMPT
	WorkflowRef               // workflow.NAME
	DeploymentRef             // deployment.NAME
	ConnectionRef             // connection.PROVIDER.ACCOUNT
	InterfaceRef              // interface.NAME
	StepRefs                  // a list of step.NAME
	FamilyForm                // an object of connections
	BindForm                  // an object: a deployment's sources → connections
	HandedForm                // an object: a child's sources → ours
	InputName                 // the name of an input, in quotes
	TextForm                  // a text
	Choice                    // one of some texts
	Choices                   // a list of some texts
	OnErrorForm               // one of some texts, or a list of kinds
	TextList                  // a list of texts
	BoolForm                  // true or false
	NumberForm                // a whole number
	DurationForm              // a duration in quotes
	SizeForm                  // a size
)

// Attribute returns the attribute of a name, or nil.
func (b *BlockSchema) Attribute(name string) *AttributeSchema {
	for i := range b.Attributes {
		if b.Attributes[i].Name == name {
			return &b.Attributes[i]
		}
	}
	return nil
}

// Block returns the block of a type that may stand in b, or nil.
func (b *BlockSchema) Block(kind string) *NestedSchema {
	for i := range b.Blocks {
		if b.Blocks[i].Type == kind {
			return &b.Blocks[i]
		}
	}
	return nil
}

// Schema returns what may stand at the top level of a file of this name. It is not to be changed.
func Schema(file string) *BlockSchema {
	switch {
	case file == SettingsName || strings.HasSuffix(file, "/"+SettingsName):
		return schemas()[settingsFile]
	case strings.HasSuffix(file, TestSuffix):
		return schemas()[testFile]
	}
	return schemas()[workflowFile]
}

// schemas returns what the shapes say, with documentation. Few processes ask.
var schemas = sync.OnceValue(func() map[*shape]*BlockSchema {
	out := map[*shape]*BlockSchema{}
	var of func(*shape) *BlockSchema
	of = func(s *shape) *BlockSchema {
		if b := out[s]; b != nil {
			return b
		}
		b := &BlockSchema{Type: s.name, Labels: s.labels, Doc: blockDocs[s.name], Free: s.free, TextLabels: s.textual}
		out[s] = b
		for _, name := range s.builtAttrs() {
			a := AttributeSchema{Name: name, Required: slices.Contains(s.required, name), Instead: s.instead[name]}
			w := lookup(s.name, name)
			a.Doc, a.Form, a.Choices = w.doc, w.form, w.choices
			b.Attributes = append(b.Attributes, a)
		}
		for _, name := range s.builtBlocks() {
			m := s.blocks[name]
			b.Blocks = append(b.Blocks, NestedSchema{of(m.shape), m.repeat})
		}
		return b
	}
	for _, top := range []*shape{workflowFile, settingsFile, testFile} {
		of(top)
	}
	return out
})

// word is what is said of an attribute.
type word struct {
	doc     string
	form    Form
	choices []string
}

// lookup finds the documentation of an attribute of a kind of block.
func lookup(block, name string) word {
	same := map[string]string{"finally": "step", "provider": "connection", "sse": "http", "validation": "assert"}
	if w, ok := attributeDocs[block+"."+name]; ok {
		return w
	}
	return attributeDocs[same[block]+"."+name]
}

// AuthAttributes returns what an auth block of a kind may hold, all of it for an unknown kind.
func AuthAttributes(kind string) []string {
	if s := authShapes[kind]; s != nil {
		return s.builtAttrs()
	}
	return authShape.builtAttrs()
}

// AuthKinds returns the kinds of auth blocks, sorted.
func AuthKinds() []string {
	out := make([]string, 0, len(authShapes))
	for k := range authShapes {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
