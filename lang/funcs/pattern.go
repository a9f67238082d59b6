package funcs

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"sync"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

func init() {
	pattern := Param{"pattern", types.StringType}
	text := Param{"text", types.StringType}
	register(Patterns,
		&Func{
			Name:   "regex",
			Params: []Param{pattern, text},
			Result: types.AnyType,
			Infer: func(args []Arg) (*types.Type, string, int) {
				return inferPattern(args[0], func(match *types.Type) *types.Type { return match })
			},
			Call: callRegex,
			Doc: "Gives the first match of a pattern (RE2 syntax): the matched text if the pattern has no groups, a list of the groups' texts if it has, an object if they are named `(?P<name>…)`. " +
				"A group that took no part is null. It fails where nothing matches; `can(regex(…))` asks whether something does.",
			Example: `regex("([0-9]+)-([a-z]+)", "12-ab")`,
			Gives:   `["12","ab"]`,
		},
		&Func{
			Name:   "regexall",
			Params: []Param{pattern, text},
			Result: anyList,
			Infer: func(args []Arg) (*types.Type, string, int) {
				return inferPattern(args[0], types.ListOf)
			},
			Call:    callRegexAll,
			Doc:     "Gives all matches of a pattern, from left to right, each as `regex` gives it; none is the empty list.",
			Example: `regexall("#(?P<issue>[0-9]+)", "fix #101, #7")`,
			Gives:   `[{"issue":"101"},{"issue":"7"}]`,
		},
		&Func{
			Name:   "regexreplace",
			Params: []Param{text, pattern, {"replacement", types.StringType}},
			Result: types.StringType,
			Infer:  inferRegexReplace,
			Call:   callRegexReplace,
			Doc: "Replaces every match of a pattern. In the replacement `$1` or `$name` stands for a group (written `$${name}` before a letter or digit) and `$$` for a dollar sign; " +
				"a group that the pattern does not have is an error.",
			Example: `regexreplace("a1b22", "([0-9]+)", "<$1>")`,
			Gives:   `"a<1>b<22>"`,
		},
	)
}

// atFirstUse compiles one of our own patterns when it is needed: all of them
// would be felt at the start of every process.
func atFirstUse(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// patterns keeps compiled patterns: expressions of a fan-out use the same one
// again and again.
var patterns = patternCache{compiled: map[string]*regexp.Regexp{}}

// maxPatterns is more than a project has constant ones; computed ones make the
// cache start anew.
const maxPatterns = 512

// maxPattern bounds a pattern in bytes: compiled, it takes hundreds of times as much.
const maxPattern = 10_000

// patternCache is a bounded cache, safe for concurrent use.
type patternCache struct {
	mu       sync.Mutex
	compiled map[string]*regexp.Regexp
}

// compile returns the compiled pattern. An error is a full sentence.
func (c *patternCache) compile(pattern string) (*regexp.Regexp, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if re := c.compiled[pattern]; re != nil {
		return re, nil
	}
	if len(pattern) > maxPattern {
		return nil, &ArgError{0, fmt.Sprintf("The pattern has %d bytes, and may have %d.", len(pattern), maxPattern)}
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, &ArgError{0, patternProblem(err)}
	}
	if len(c.compiled) >= maxPatterns {
		clear(c.compiled)
	}
	c.compiled[strings.Clone(pattern)] = re
	return re, nil
}

// patternProblem says what is wrong with a pattern.
func patternProblem(err error) string {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return fmt.Sprintf("The pattern is no regular expression: %v.", err)
	}
	hint := ""
	if e.Code == syntax.ErrInvalidPerlOp {
		hint = " Patterns have RE2's syntax, which has no look-around and no back-references."
	}
	return fmt.Sprintf("The pattern is no regular expression: %s, at %s.%s", e.Code, strconv.Quote(e.Expr), hint)
}

// match returns one match as a value. at has the start and end of the whole
// match and of each group, as regexp gives them.
func match(re *regexp.Regexp, text string, at []int) value.Value {
	group := func(i int) value.Value {
		if at[2*i] < 0 {
			return value.NullValue
		}
		return value.OfString(text[at[2*i]:at[2*i+1]])
	}
	n := re.NumSubexp()
	if n == 0 {
		return group(0)
	}
	if !named(re) {
		groups := make([]value.Value, n)
		for i := range groups {
			groups[i] = group(i + 1)
		}
		return value.OfList(groups)
	}
	o := value.NewObject(n)
	for i, name := range re.SubexpNames() {
		if name != "" {
			o.Set(name, group(i))
		}
	}
	return value.OfObject(o)
}

// named reports whether the pattern has named groups; unnamed ones beside them
// are not part of a match, as in no use of such a pattern they are wanted.
func named(re *regexp.Regexp) bool {
	for _, name := range re.SubexpNames() {
		if name != "" {
			return true
		}
	}
	return false
}

// inferPattern gives the type of one match of a constant pattern, wrapped by of.
func inferPattern(pattern Arg, of func(match *types.Type) *types.Type) (*types.Type, string, int) {
	source, constant := constText(pattern)
	if !constant {
		return ok(of(types.AnyType))
	}
	re, err := patterns.compile(source)
	if err != nil {
		return nil, err.Error(), 0 // not even try makes anything of it
	}
	return ok(of(matchType(re, source)))
}

func matchType(re *regexp.Regexp, source string) *types.Type {
	n := re.NumSubexp()
	if n == 0 {
		return types.StringType
	}
	always := map[int]bool{}
	if tree, err := syntax.Parse(source, syntax.Perl); err == nil {
		certainGroups(tree, always)
	}
	group := func(i int) *types.Type {
		if always[i] {
			return types.StringType
		}
		return types.NullableOf(types.StringType)
	}
	if !named(re) {
		items := make([]*types.Type, n)
		for i := range items {
			items[i] = group(i + 1)
		}
		return types.TupleOf(items...)
	}
	var attrs []types.Attr
	for i, name := range re.SubexpNames() {
		if name != "" {
			attrs = append(attrs, types.Attr{Name: name, Type: group(i)})
		}
	}
	return types.ExactOf(attrs)
}

// certainGroups marks the groups that take part in every match: those on the
// way that no alternative and no repetition of zero times leads around.
func certainGroups(re *syntax.Regexp, always map[int]bool) {
	switch re.Op {
	case syntax.OpCapture:
		always[re.Cap] = true
	case syntax.OpStar, syntax.OpQuest, syntax.OpAlternate:
		return
	case syntax.OpRepeat:
		if re.Min == 0 {
			return
		}
	}
	for _, sub := range re.Sub {
		certainGroups(sub, always)
	}
}

func callRegex(args []value.Value) (value.Value, error) {
	pattern, text := args[0].AsString(), args[1].AsString()
	re, err := patterns.compile(pattern)
	if err != nil {
		return value.Value{}, err
	}
	at := re.FindStringSubmatchIndex(text)
	if at == nil {
		return value.Value{}, failArg(1, "The pattern %s matches nothing in %s.", value.OfString(pattern).Summary(80), value.OfString(text).Summary(80))
	}
	return match(re, text, at), nil
}

func callRegexAll(args []value.Value) (value.Value, error) {
	text := args[1].AsString()
	re, err := patterns.compile(args[0].AsString())
	if err != nil {
		return value.Value{}, err
	}
	found := re.FindAllStringSubmatchIndex(text, maxElements+1)
	if err := roomForElements(len(found)); err != nil {
		return value.Value{}, err
	}
	matches := make([]value.Value, len(found))
	for i, at := range found {
		matches[i] = match(re, text, at)
	}
	return value.OfList(matches), nil
}

func inferRegexReplace(args []Arg) (*types.Type, string, int) {
	pattern, constant := constText(args[1])
	if !constant {
		return ok(types.StringType)
	}
	re, err := patterns.compile(pattern)
	if err != nil {
		return nil, err.Error(), 1
	}
	if replacement, constant := constText(args[2]); constant {
		if _, err := parseReplacement(re, replacement); err != nil {
			return types.StringType, err.Error(), 2
		}
	}
	return ok(types.StringType)
}

func callRegexReplace(args []value.Value) (value.Value, error) {
	text := args[0].AsString()
	re, err := patterns.compile(args[1].AsString())
	if err != nil {
		return value.Value{}, &ArgError{1, err.Error()}
	}
	parts, err := parseReplacement(re, args[2].AsString())
	if err != nil {
		return value.Value{}, &ArgError{2, err.Error()}
	}
	var b strings.Builder
	end := 0
	found := re.FindAllStringSubmatchIndex(text, maxElements+1)
	if len(found) > maxElements {
		return value.Value{}, failArg(0, "The text has more than %d matches to replace.", maxElements)
	}
	for _, at := range found {
		b.WriteString(text[end:at[0]])
		end = at[1]
		for _, part := range parts {
			s := part.text
			if part.group >= 0 {
				s = ""
				if at[2*part.group] >= 0 {
					s = text[at[2*part.group]:at[2*part.group+1]]
				}
			}
			b.WriteString(s)
		}
		if err := roomForText(b.Len()); err != nil {
			return value.Value{}, err
		}
	}
	b.WriteString(text[end:])
	return textOf(b.String())
}

// replacementPart is literal text, or a group where group is not negative.
type replacementPart struct {
	text  string
	group int
}

// parseReplacement reads a replacement. Unlike regexp's Expand, which takes an
// unknown group as empty, it refuses one: that is a slip, and text would be lost.
func parseReplacement(re *regexp.Regexp, s string) ([]replacementPart, error) {
	var parts []replacementPart
	for {
		before, after, found := strings.Cut(s, "$")
		if before != "" {
			parts = append(parts, replacementPart{before, -1})
		}
		if !found {
			return parts, nil
		}
		if strings.HasPrefix(after, "$") {
			parts = append(parts, replacementPart{"$", -1})
			s = after[1:]
			continue
		}
		name, rest := groupName(after)
		if name == "" {
			return nil, fail("A dollar sign in the replacement must be followed by a group's number or name; the sign itself is written $$.")
		}
		group, err := strconv.Atoi(name)
		if err != nil {
			group = re.SubexpIndex(name)
		}
		if group < 0 || group > re.NumSubexp() {
			return nil, fail("The replacement names the group %q, which the pattern does not have. Where text follows a group, its name is written in braces.", name)
		}
		parts = append(parts, replacementPart{group: group})
		s = rest
	}
}

// groupName reads a group's name at the start of s, in braces or not; empty if there is none.
func groupName(s string) (name, rest string) {
	if strings.HasPrefix(s, "{") {
		name, rest, found := strings.Cut(s[1:], "}")
		if !found {
			return "", s
		}
		return name, rest
	}
	i := 0
	for i < len(s) && (s[i] == '_' || '0' <= s[i] && s[i] <= '9' || 'a' <= s[i] && s[i] <= 'z' || 'A' <= s[i] && s[i] <= 'Z') {
		i++
	}
	return s[:i], s[i:]
}
