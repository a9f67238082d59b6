package project

import "github.com/lda-wf/wfc/lang/diag"

// The codes of this package. lang/diag/codes_11_project.go explains them.
const (
	codeUnreadable      diag.Code = "WFC1101"
	codeOutside         diag.Code = "WFC1102"
	codeDefinedTwice    diag.Code = "WFC1103"
	codeLanguage        diag.Code = "WFC1104"
	codeRequiresOther   diag.Code = "WFC1105"
	codeInvalidRequires diag.Code = "WFC1106"
)
