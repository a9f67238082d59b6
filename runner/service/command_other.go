//go:build !unix

package service

import "os/exec"

// endWithChildren does nothing: there are no process groups here.
func endWithChildren(*exec.Cmd) {}
