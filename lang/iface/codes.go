package iface

import "github.com/lda-wf/wfc/lang/diag"

// The codes of this package. lang/diag/codes_15_interface.go explains those
// from WFC1501; the others are of texts and types anywhere.
const (
	codeNotUTF8          diag.Code = "WFC1001"
	codeInvalidCharacter diag.Code = "WFC1002"
	codeUnclosedText     diag.Code = "WFC1005"
	codeInvalidEscape    diag.Code = "WFC1007"
	codeInvalidTemplate  diag.Code = "WFC1008"
	codeFault            diag.Code = "WFC1099"
	codeNesting          diag.Code = "WFC1201"
	codeNumber           diag.Code = "WFC1203"
	codeTooLong          diag.Code = "WFC1207"
	codeKeyTwice         diag.Code = "WFC1204"
	codeNoType           diag.Code = "WFC1304"

	codeSyntax      diag.Code = "WFC1501"
	codeUnclosed    diag.Code = "WFC1502"
	codeUnknownDecl diag.Code = "WFC1503"
	codeTwice       diag.Code = "WFC1504"
	codeAnnotation  diag.Code = "WFC1505"
	codeReserved    diag.Code = "WFC1506"
	codePromptParam diag.Code = "WFC1507"
	codeURI         diag.Code = "WFC1508"
)
