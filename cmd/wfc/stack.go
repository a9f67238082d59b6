package main

// reserveStack gives the goroutine that calls it room on its stack. A stack grows by
// being copied into one of twice its size, frame by frame, for which the runtime
// reads, from disk at first, what it knows of each function: five times over, that
// takes as long as a small workflow takes to be checked.
//
//go:noinline
func reserveStack(i int) byte {
	var room [48 << 10]byte
	return room[i]
}
