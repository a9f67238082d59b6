// Command stampserver runs a server over stdio and writes to FILE when the first
// call of a tool came for it, in nanoseconds of Unix time, for benchmarks.
//
//	stampserver FILE COMMAND [ARG…]
package main

import (
	"bufio"
	"bytes"
	"io"
	"log"
	"os"
	"os/exec"
	"strconv"
	"time"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal("usage: stampserver FILE COMMAND [ARG…]")
	}
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		log.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		log.Fatal(err)
	}
	pass(in, os.Args[1])
	if err := cmd.Wait(); err != nil {
		log.Fatal(err)
	}
}

// pass hands stdin on to the server.
func pass(to io.WriteCloser, stamp string) {
	defer to.Close()
	for lines, seen := bufio.NewReader(os.Stdin), false; ; {
		line, err := lines.ReadBytes('\n')
		if !seen && bytes.Contains(line, []byte(`"tools/call"`)) {
			seen = true
			if err := os.WriteFile(stamp, strconv.AppendInt(nil, time.Now().UnixNano(), 10), 0o600); err != nil {
				log.Fatal(err)
			}
		}
		if _, err := to.Write(line); err != nil {
			return
		}
		if err != nil {
			return
		}
	}
}
