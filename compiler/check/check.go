// Package check judges a project without running anything: names, types,
// narrowing, calls, the graph of steps, deployments (LANGUAGE 2 to 5 and 8).
//
// Its central function is [Project]; [Target] checks one workflow as it is
// bound and returns what the compiler needs to know of it. It may import lang
// and compiler/project. It reads no file, starts nothing, and asks no clock.
package check
