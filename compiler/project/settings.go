package project

import (
	"fmt"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/lda-wf/wfc/lang/diag"
)

// Version is the version of wfc that these sources are. requires_wfc of a
// project is compared with it.
const Version = "0.1.0"

// language is the only version of the language that there is.
const language = 1

// checkSettings reports what wfc.hcl wants and this wfc cannot give.
func (p *Project) checkSettings(version string) {
	if p.Settings == nil {
		return
	}
	s := p.Settings.Project
	if version == "" {
		version = Version
	}
	if s.Language != nil && s.Language.N != language {
		p.Diagnostics = append(p.Diagnostics, diag.New(codeLanguage, s.Language.Range,
			"This wfc knows version %d of the language only, and the project wants version %d. Write language = %d, or use a later wfc.",
			language, s.Language.N, language))
	}
	if s.RequiresWFC == nil {
		return
	}
	want, err := parseRequirement(s.RequiresWFC.S)
	switch {
	case err != nil:
		p.Diagnostics = append(p.Diagnostics, diag.New(codeInvalidRequires, s.RequiresWFC.Range,
			"%q cannot be compared with a version: %s. Write, for example, \">= 1.2\" or \">= 1.2, < 2\".", s.RequiresWFC.S, err))
	case !want.admits(version):
		p.Diagnostics = append(p.Diagnostics, diag.New(codeRequiresOther, s.RequiresWFC.Range,
			"The project requires wfc %s, and this is wfc %s. Install another version of wfc.", s.RequiresWFC.S, version))
	}
}

// requirement is a list of comparisons, all of which must hold.
type requirement []comparison

type comparison struct{ operator, version string }

// parseRequirement reads comparisons separated by commas; a version alone
// means that version or a later one.
func parseRequirement(text string) (requirement, error) {
	var out requirement
	for term := range strings.SplitSeq(text, ",") {
		term = strings.TrimSpace(term)
		n := strings.IndexFunc(term, func(c rune) bool { return !strings.ContainsRune("<>=~!^", c) })
		if n < 0 {
			return nil, fmt.Errorf("a version is missing")
		}
		c := comparison{operator: term[:n], version: "v" + strings.TrimPrefix(strings.TrimSpace(term[n:]), "v")}
		switch c.operator {
		case "":
			c.operator = ">="
		case ">=", ">", "<", "<=", "=":
		default:
			return nil, fmt.Errorf("the comparison %q is unknown", c.operator)
		}
		if !semver.IsValid(c.version) {
			return nil, fmt.Errorf("%q is no version", strings.TrimPrefix(c.version, "v"))
		}
		out = append(out, c)
	}
	return out, nil
}

// admits reports whether all comparisons hold of version. A version that is
// none (of a development build) is admitted.
func (r requirement) admits(version string) bool {
	v := "v" + strings.TrimPrefix(version, "v")
	if !semver.IsValid(v) {
		return true
	}
	for _, c := range r {
		n := semver.Compare(v, c.version)
		ok := false
		switch c.operator {
		case ">=":
			ok = n >= 0
		case ">":
			ok = n > 0
		case "<=":
			ok = n <= 0
		case "<":
			ok = n < 0
		case "=":
			ok = n == 0
		}
		if !ok {
			return false
		}
	}
	return true
}
