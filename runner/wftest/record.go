package wftest

type recorded struct{}
type recording struct {
	call     liveCaller
	server   interface{ Secret(string) (string, error) }
	redactor interface{ Text(string) string }
}
