package proxy

// sink is a way to a client. It may be used by many goroutines.
type sink interface {
	// send hands on one message, which it keeps. It does not wait for the client over
	// HTTP. Final says that the message is the answer to the request whose sink it is.
	send(data []byte, final bool)
	// close says that nothing more comes: the request was cancelled.
	close()
}

// nowhere is the sink of a client that cannot be told what belongs to no request.
type nowhere struct{}

func (nowhere) send([]byte, bool) {}
func (nowhere) close()            {}
