package funcs

// CheckInferred is for the tests that need lang/eval, which imports this package.
var CheckInferred = checkInferred
