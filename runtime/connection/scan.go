package connection

import "bytes"

// envelope is the outermost object of a JSON-RPC message. Its members are raw
// JSON in the memory of the line they were read from; nil where absent.
type envelope struct {
	version, id, method, params, result, err []byte
	whole                                    []byte // the object itself
}

// isMessage reports whether the object was meant as JSON-RPC: a log line in
// JSON is an object too.
func (e *envelope) isMessage() bool {
	return string(e.version) == `"2.0"` && (e.method != nil || e.result != nil || e.err != nil)
}

// ending says how a scan ended.
type ending uint8

const (
	complete   ending = iota
	incomplete        // the text ended first
	malformed         // no JSON object
)

// scanEnvelope splits the JSON object that b begins with into its outermost
// members and returns the bytes it takes. It checks no more of JSON than it
// needs to find the ends of the values, because whoever uses a member parses
// it once more.
func scanEnvelope(b []byte) (e envelope, n int, how ending) {
	if len(b) == 0 {
		return e, 0, incomplete
	}
	if b[0] != '{' {
		return e, 0, malformed
	}
	i := skipSpace(b, 1)
	if i < len(b) && b[i] == '}' {
		return e, i + 1, complete
	}
	for {
		if i = skipSpace(b, i); i >= len(b) {
			return e, 0, incomplete
		}
		if b[i] != '"' {
			return e, 0, malformed
		}
		end := skipString(b, i)
		if end < 0 {
			return e, 0, incomplete
		}
		key := b[i+1 : end-1]
		if i = skipSpace(b, end); i >= len(b) {
			return e, 0, incomplete
		}
		if b[i] != ':' {
			return e, 0, malformed
		}
		i = skipSpace(b, i+1)
		if end, how = skipValue(b, i); how != complete {
			return e, 0, how
		}
		switch v := b[i:end:end]; string(key) {
		case "jsonrpc":
			e.version = v
		case "id":
			e.id = v
		case "method":
			e.method = v
		case "params":
			e.params = v
		case "result":
			e.result = v
		case "error":
			e.err = v
		}
		if i = skipSpace(b, end); i >= len(b) {
			return e, 0, incomplete
		}
		switch b[i] {
		case ',':
			i++
		case '}':
			e.whole = b[: i+1 : i+1]
			return e, i + 1, complete
		default:
			return e, 0, malformed
		}
	}
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index after the string that begins at i, -1 if b ends in it.
func skipString(b []byte, i int) int {
	for i++; ; i++ {
		j := bytes.IndexByte(b[i:], '"')
		if j < 0 {
			return -1
		}
		slashes := 0
		for k := i + j - 1; k >= i && b[k] == '\\'; k-- {
			slashes++
		}
		if i += j; slashes%2 == 0 {
			return i + 1
		}
	}
}

// skipValue returns the index after the value that begins at i.
func skipValue(b []byte, i int) (int, ending) {
	if i >= len(b) {
		return 0, incomplete
	}
	switch b[i] {
	case '"':
		if i = skipString(b, i); i < 0 {
			return 0, incomplete
		}
		return i, complete
	case '{', '[':
		for depth := 0; i < len(b); {
			switch b[i] {
			case '"':
				if i = skipString(b, i); i < 0 {
					return 0, incomplete
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1, complete
				}
			}
			i++
		}
		return 0, incomplete
	}
	start := i
	for i < len(b) && isScalar(b[i]) {
		i++
	}
	if i == len(b) {
		return 0, incomplete
	}
	if i == start {
		return 0, malformed
	}
	return i, complete
}

// isScalar reports whether c can be part of a number, true, false or null.
func isScalar(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || c == 'E' || c == '-' || c == '+' || c == '.'
}
