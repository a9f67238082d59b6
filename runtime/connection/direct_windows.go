package connection

import "io"

// directWriter returns nil: an anonymous pipe of Windows always blocks.
func directWriter(io.Writer) func([]byte) int { return nil }
