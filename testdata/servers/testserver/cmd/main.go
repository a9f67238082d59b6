// Command testserver is the server of the package as a program of its own.
package main

import "github.com/lda-wf/wfc/testdata/servers/testserver"

func main() { testserver.Main() }
