package callback

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/lang/value"
)

// Level is how grave a log message is: one of the levels of RFC 5424.
type Level uint8

// The levels, from the least grave.
const (
	Debug Level = iota
	Info
	Notice
	Warning
	Error
	Critical
	Alert
	Emergency
)

var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// String returns the level as MCP writes it.
func (l Level) String() string { return levels[l] }

// Log is a log message of a server.
type Log struct {
	Connection string // its id
	// Operation is the one that the message belongs to: "tools/call greet". "": that
	// of several, or of none, cannot be told.
	Operation string
	Level     Level
	Logger    string      // "" if the server named none
	Data      value.Value // anything
}

// ParseLog reads the parameters of notifications/message. What is not as the
// protocol has it is taken as well as it can be: an unknown level is Info.
func ParseLog(params json.RawMessage) (Log, error) {
	o, err := object(params)
	if err != nil {
		return Log{}, err
	}
	l := Log{Level: Info}
	l.Logger, _ = text(o, "logger", false)
	name, _ := text(o, "level", false)
	if i := slices.Index(levels, strings.ToLower(name)); i >= 0 {
		l.Level = Level(i)
	}
	l.Data, _ = o.Get("data")
	return l, nil
}

// Text returns the message as people read it: its text, the text that it has under
// a usual name and nothing beside it, or JSON.
func (l Log) Text() string {
	if l.Data.Kind() == value.String {
		return l.Data.AsString()
	}
	if l.Data.Kind() == value.Object && l.Data.AsObject().Len() == 1 {
		for _, name := range []string{"message", "msg", "text"} {
			if v, ok := l.Data.AsObject().Get(name); ok && v.Kind() == value.String {
				return v.AsString()
			}
		}
	}
	return l.Data.JSON()
}
