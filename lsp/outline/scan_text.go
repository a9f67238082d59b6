package outline

import "bytes"

// quoted reads a part of a text in quotes.
func (s *scanner) quoted() {
	label := len(s.frames) == 1 && !s.inValue
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch {
		case c == '\\' && s.pos+1 < len(s.src) && s.src[s.pos+1] != '\n':
			s.pos += 2
			continue
		case c == '"':
			s.note(s.pos, false, label)
			f := *s.top()
			s.pos++
			s.last = s.pos
			s.end(f)
			s.frames = s.frames[:len(s.frames)-1]
			if label {
				s.words = append(s.words, Word{string(s.src[f.Start+1 : s.pos-1]), f.Start + 1, s.pos - 1})
			}
			return
		case c == '\n': // it was not closed
			s.note(s.pos, false, label)
			s.last = s.pos
			s.frames = s.frames[:len(s.frames)-1]
			return
		case s.sequence():
			return
		}
		s.pos++
	}
	s.note(s.pos, false, label)
}

// sequence opens ${ or %{ at pos, unless it is doubled.
func (s *scanner) sequence() bool {
	c := s.src[s.pos]
	if c != '$' && c != '%' || s.next() != '{' {
		return false
	}
	if s.pos > 0 && s.src[s.pos-1] == c && (s.pos < 2 || s.src[s.pos-2] != c) {
		return false
	}
	s.note(s.pos, false, false)
	s.open(Frame{Kind: Template, Start: s.pos})
	s.pos += 2
	s.last = s.pos
	return true
}

// beginHeredoc opens a text of lines where one begins behind the first "<".
func (s *scanner) beginHeredoc() {
	rest := s.src[s.pos:]
	if len(rest) == 0 || rest[0] != '<' {
		return
	}
	n := 1
	if n < len(rest) && rest[n] == '-' {
		n++
	}
	size := identifier(rest[n:])
	if size == 0 {
		return
	}
	end := n + size
	if end < len(rest) && rest[end] == '\r' {
		end++
	}
	if end >= len(rest) || rest[end] != '\n' {
		return
	}
	f := Frame{Kind: Heredoc, Start: s.pos - 1, Marker: string(rest[n : n+size])}
	s.note(s.pos+end, false, false)
	s.pos += end + 1
	s.lineFrom = s.pos
	s.open(f)
}

// heredoc reads a part of a text of lines.
func (s *scanner) heredoc() {
	f := *s.top()
	for s.pos < len(s.src) {
		if s.pos == s.lineFrom {
			end := bytes.IndexByte(s.src[s.pos:], '\n')
			if end < 0 {
				end = len(s.src) - s.pos
			}
			line := bytes.TrimSpace(s.src[s.pos : s.pos+end])
			if string(line) == f.Marker {
				s.note(s.pos, false, false)
				s.pos += end
				s.last = s.pos
				s.end(f)
				s.frames = s.frames[:len(s.frames)-1]
				return
			}
		}
		if s.sequence() {
			return
		}
		if s.src[s.pos] == '\n' {
			s.note(s.pos, false, false)
			s.lineFrom = s.pos + 1
		}
		s.pos++
	}
	s.last = s.pos
	s.note(s.pos, false, false)
}
