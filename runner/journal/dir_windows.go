package journal

import "os"

// syncDir does nothing: NTFS makes names durable by its own log, and a folder
// cannot be flushed.
func syncDir(string) error { return nil }

// protect does nothing: what others may do is inherited from the folder above.
func protect(string, os.FileMode) error { return nil }

// writable cannot tell without writing; the first write does.
func writable(string) error { return nil }
