package check

import "github.com/lda-wf/wfc/lang/diag"

// The codes of this package. lang/diag/codes_20_names.go and the files after
// it explain them.
const (
	codeUnknownSource     diag.Code = "WFC2001"
	codeUnknownTool       diag.Code = "WFC2002"
	codeUnknownInput      diag.Code = "WFC2003"
	codeUnknownLocal      diag.Code = "WFC2004"
	codeUnknownStep       diag.Code = "WFC2005"
	codeUnknownSecret     diag.Code = "WFC2006"
	codeUnknownConnection diag.Code = "WFC2007"
	codeUnknownWorkflow   diag.Code = "WFC2008"
	codeUnknownDeployment diag.Code = "WFC2018"
	codeUnknownFunction   diag.Code = "WFC2009"
	codeUnknownName       diag.Code = "WFC2010"
	codeNotHere           diag.Code = "WFC2011"
	codeDefinedTwice      diag.Code = "WFC2012"
	codeIncompleteName    diag.Code = "WFC2013"
	codeUnknownMember     diag.Code = "WFC2014"
	codeFinallyReferred   diag.Code = "WFC2015"
	codeUnknownPrompt     diag.Code = "WFC2016"
	codeUnknownTemplate   diag.Code = "WFC2017"

	codeKeyTwice diag.Code = "WFC1204"

	codeMissingArgument  diag.Code = "WFC2101"
	codeUnknownArgument  diag.Code = "WFC2103"
	codeTaskSupport      diag.Code = "WFC2104"
	codeArgumentCount    diag.Code = "WFC2105"
	codeFunctionArgument diag.Code = "WFC2106"
	codeToolProblem      diag.Code = "WFC2107"
	codeNeedsCapability  diag.Code = "WFC2108"
	codeNotAllowed       diag.Code = "WFC2109"
	codeNoFile           diag.Code = "WFC2110"

	codeWrongType        diag.Code = "WFC2201"
	codeUnknownAttribute diag.Code = "WFC2202"
	codeNoAttributes     diag.Code = "WFC2203"
	codeNoCommonType     diag.Code = "WFC2204"
	codeNeverEqual       diag.Code = "WFC2205"
	codeRuleBroken       diag.Code = "WFC2206"
	codeWrongIndex       diag.Code = "WFC2207"
	codeNotCollection    diag.Code = "WFC2208"
	codeImpossibleType   diag.Code = "WFC2209"
	codeKeyWithoutList   diag.Code = "WFC2210"
	codeMissingAttribute diag.Code = "WFC2211"
	codeWrongDuration    diag.Code = "WFC2212"
	codeNotConstant      diag.Code = "WFC2213"

	codeMayBeNull diag.Code = "WFC2301"
	codeUnguarded diag.Code = "WFC2302"
	codeCycle     diag.Code = "WFC2303"

	codeNoSnapshot    diag.Code = "WFC2401"
	codeUnboundSource diag.Code = "WFC2402"
	codeMissingInput  diag.Code = "WFC2403"
	codeNoBinding     diag.Code = "WFC2404"
	codeBadSnapshot   diag.Code = "WFC2405"

	codeAuthWithoutHTTP diag.Code = "WFC2406"
	codeDisabled        diag.Code = "WFC2407"
	codeOtherOffers     diag.Code = "WFC2408"
	codeWrongCron       diag.Code = "WFC2409"
	codeUnknownZone     diag.Code = "WFC2410"
	codeWrongWebhook    diag.Code = "WFC2411"
	codeNoModel         diag.Code = "WFC2412"

	// Of lang/syntax, for what only a merged block shows.
	codeAttributeNeeded diag.Code = "WFC1026"
	codeMisfit          diag.Code = "WFC1032"
	codeNoTransport     diag.Code = "WFC1039"

	codeInvalidIgnore       diag.Code = "WFC1601"
	codeIgnoreWithoutReason diag.Code = "WFC1602"
	codeUnusedIgnore        diag.Code = "WFC1603"
	codeIgnoredError        diag.Code = "WFC1604"

	codeUnknownInterface diag.Code = "WFC1510"
	codeUnsatisfied      diag.Code = "WFC1511"
	codeUnusedInterface  diag.Code = "WFC1512"

	codeNotRunnable diag.Code = "WFC1091"
	codeFault       diag.Code = "WFC1099"
)
