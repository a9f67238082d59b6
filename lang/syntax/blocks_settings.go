package syntax

// Defaults is wfc.hcl's defaults block: what steps and connections that do not
// say otherwise have.
type Defaults struct {
	Block
	// Of steps. IdleTimeout is of connections too.
	MaxParallel *Int
	Timeout     *Duration
	IdleTimeout *Duration
	Deadline    *Duration
	Retry       *Retry
	// Of connections.
	MaxInFlight *Int
	Session     *Text
	Protocol    *Text
	Offers      *List
	Timeouts    *Timeouts
	RateLimit   *RateLimit
}

// Lint is wfc.hcl's lint block: its attributes in file order, whatever they are.
type Lint struct {
	Block
	Rules []*Attribute
}

// Sampling is wfc.hcl's sampling block: the model that answers servers that ask for one.
type Sampling struct {
	Block
	BaseURL *Attribute
	Model   *Attribute
	APIKey  *Attribute
}

// Storage is wfc.hcl's storage block.
type Storage struct {
	Block
	Durability *Text     // "disk" or "process"; nil: disk
	MaxResult  *Size     // of one result
	Keep       *Duration // how long finished runs are kept
}
