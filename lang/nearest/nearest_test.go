package nearest

import "testing"

func TestName(t *testing.T) {
	for _, c := range []struct {
		rule string
		want string
		have []string
		near string // "" for none
	}{
		{"a slip of one letter", "querry", []string{"query", "limit"}, "query"},
		{"another normal form of Unicode", "cafe\u0301", []string{"cafes", "caf\u00e9"}, "caf\u00e9"},
		{"two letters exchanged", "lsit", []string{"list", "last"}, "list"},
		{"another case and separator", "perPage", []string{"page", "per_page"}, "per_page"},
		{"the nearest of several", "search_isues", []string{"search_users", "search_issues"}, "search_issues"},
		{"equally near: the first", "bat", []string{"cat", "bad"}, "cat"},
		{"nothing near", "colour", []string{"query", "limit"}, ""},
		{"short names share nothing after one edit", "a", []string{"b"}, ""},
		{"nor do two letters of which one is another", "ab", []string{"ac", "b", "abc"}, "abc"},
		{"two letters exchanged are the same ones", "di", []string{"de", "id"}, "id"},
		{"another case of one letter", "X", []string{"y", "x"}, "x"},
		{"the name itself is no help", "query", []string{"query"}, ""},
		{"nothing to choose from", "query", nil, ""},
		{"nothing written", "", []string{"a"}, ""},
		{"letters outside ASCII count once", "größse", []string{"größe"}, "größe"},
	} {
		got, ok := Name(c.want, c.have)
		if got != c.near || ok != (c.near != "") {
			t.Errorf("%s: Name(%q, %q) = %q, %v; want %q", c.rule, c.want, c.have, got, ok, c.near)
		}
	}
}

func TestSlipsAreWhatNobodyCanHaveMeant(t *testing.T) {
	for _, c := range []struct {
		written, meant string
		want           bool
	}{
		{"perPage", "per_page", true},
		{"querry", "query", true},
		{"langage", "language", true},
		{"langauge", "language", true},
		{"titel", "title", true},
		{"quer", "query", false}, // too little at the end
		{"add_labels", "add_label", false},
		{"labell", "label", true}, // doubled, at the end
		{"get_item", "set_item", false},
		{"min_size", "max_size", false},
		{"ab", "ba", false},
		{"id", "ID", true},
		{"open", "close", false},
		{"", "x", false},
	} {
		if got := Slip(c.written, c.meant); got != c.want {
			t.Errorf("%q for %q: %v", c.written, c.meant, got)
		}
	}
}

func TestPart(t *testing.T) {
	for _, c := range []struct {
		want string
		have []string
		part string // "" for none
	}{
		{"type", []string{"name", "entityType"}, "entityType"},
		{"repo", []string{"owner", "repository"}, "repository"},
		{"id", []string{"issue_id", "title"}, "issue_id"},
		{"issue_number", []string{"number", "title"}, "number"},
		{"pullNumber", []string{"pull-number-of-it", "title"}, "pull-number-of-it"},
		{"obs", []string{"observations"}, "observations"},
		{"id", []string{"issue_id", "user_id"}, ""}, // which of both?
		{"id", []string{"identity"}, ""},            // too short to be cut off
		{"per", []string{"supervisor"}, ""},         // no word of it
		{"name", []string{"name"}, ""},
		{"", []string{"name"}, ""},
	} {
		if got, ok := Part(c.want, c.have); got != c.part || ok != (c.part != "") {
			t.Errorf("Part(%q, %q) = %q, %v; want %q", c.want, c.have, got, ok, c.part)
		}
	}
}
