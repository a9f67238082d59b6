package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// dyingServer is "dying N PROGRAM ARGS": an MCP server over stdio that is the
// program until the N-th tool call comes, and then dies with exit status 3.
func dyingServer() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	server := exec.Command(os.Args[2], os.Args[3:]...)
	server.Stdout, server.Stderr = os.Stdout, os.Stderr
	in, err := server.StdinPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		panic(err)
	}
	requests := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := requests.ReadBytes('\n')
		if bytes.Contains(line, []byte(`"method":"tools/call"`)) {
			if n--; n == 0 {
				fmt.Fprintln(os.Stderr, "dying: no space left on device")
				_ = server.Process.Kill()
				_ = server.Wait()
				syscall.Exit(3)
			}
		}
		if _, writeErr := in.Write(line); err != nil || writeErr != nil {
			break
		}
	}
	_ = in.Close()
	_ = server.Wait()
	syscall.Exit(0)
}
