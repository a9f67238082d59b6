package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// started has the servers of wfc that a script started, by their names.
type started struct {
	mu   sync.Mutex
	list map[string]*startedServer
}

type startedServer struct {
	cmd    *exec.Cmd
	log    bytes.Buffer // of stderr; whole once read is closed
	read   chan struct{}
	waited bool
}

// up is "up NAME ARGS": it starts "wfc serve --listen 127.0.0.1:0 ARGS" and sets $NAME
// to its URL once it is ready. What is up at the end of the script is killed.
func up(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: up NAME ARGS")
	}
	s := &startedServer{cmd: exec.Command(programOf(ts), append([]string{"serve", "--listen", "127.0.0.1:0"}, args[1:]...)...), read: make(chan struct{})}
	s.cmd.Dir, s.cmd.Env = ts.MkAbs("."), environmentOf(ts)
	out, err := s.cmd.StdoutPipe()
	ts.Check(err)
	errs, err := s.cmd.StderrPipe()
	ts.Check(err)
	ts.Check(s.cmd.Start())
	all := serversOf(ts)
	all.mu.Lock()
	all.list[args[0]] = s
	all.mu.Unlock()
	go func() {
		defer close(s.read)
		_, _ = io.Copy(&s.log, errs)
	}()
	ts.Defer(func() { s.end(syscall.SIGKILL) })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.end(syscall.SIGKILL)
		ts.Fatalf("the server did not start:\n%s", s.log.String())
	}
	ts.Setenv(args[0], strings.TrimSpace(strings.TrimPrefix(line, "listening on ")))
}

// programOf is the path of wfc in a script.
func programOf(ts *testscript.TestScript) string {
	for _, dir := range strings.Split(ts.Getenv("PATH"), string(os.PathListSeparator)) {
		if _, err := os.Stat(dir + "/wfc"); err == nil {
			return dir + "/wfc"
		}
	}
	ts.Fatalf("there is no wfc on the PATH")
	return ""
}

// environmentOf is the environment of a process that a script keeps.
func environmentOf(ts *testscript.TestScript) []string {
	env := []string{"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("HOME"), "WORK=" + ts.Getenv("WORK"), "GORACE=atexit_sleep_ms=0", "TZ=UTC"}
	for _, name := range []string{"TOKEN_FOR_SERVER", "TESTDATA", "XDG_CONFIG_HOME", "HOOK_KEY", "OUT_ROOT", "GEO_DB"} {
		if v := ts.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

func serversOf(ts *testscript.TestScript) *started { return ts.Value(startedServers{}).(*started) }

// startedServers is the key of a script's servers.
type startedServers struct{}

// end ends the server with a signal, once, and returns its exit code.
func (s *startedServer) end(signal syscall.Signal) int {
	if !s.waited {
		s.waited = true
		_ = s.cmd.Process.Signal(signal)
		<-s.read
		_ = s.cmd.Wait()
	}
	return s.cmd.ProcessState.ExitCode()
}

// down is "down NAME SIGNAL": it ends a server with TERM, INT or KILL, and prints
// what it logged.
func down(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: down NAME TERM|INT|KILL")
	}
	all := serversOf(ts)
	all.mu.Lock()
	s := all.list[args[0]]
	all.mu.Unlock()
	signal := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "KILL": syscall.SIGKILL}[args[1]]
	code := s.end(signal)
	fmt.Fprint(ts.Stdout(), s.log.String())
	if signal != syscall.SIGKILL && code != exitOK {
		ts.Fatalf("the server ended with %d:\n%s", code, s.log.String())
	}
}

// request is "request METHOD URL [NAME:VALUE…] [BODY|@FILE]": an HTTP request, whose
// answer is printed: the status, then the body. $RUN becomes the first run in it.
func request(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: request METHOD URL [NAME:VALUE…] [BODY|@FILE]")
	}
	r, err := http.NewRequest(args[0], args[1], nil)
	ts.Check(err)
	for _, a := range args[2:] {
		name, text, isHeader := strings.Cut(a, ":")
		switch {
		case strings.HasPrefix(a, "@"):
			a = ts.ReadFile(a[1:])
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(a)), int64(len(a))
		case isHeader && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") == "":
			if strings.EqualFold(name, "Host") {
				r.Host = text
			}
			r.Header.Set(name, strings.TrimSpace(text))
		default:
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(a)), int64(len(a))
		}
	}
	if r.Method == http.MethodPost && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	ts.Check(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	ts.Check(err)
	if m := regexp.MustCompile(`"run_id":"([^"]+)"`).FindSubmatch(body); m != nil {
		ts.Setenv("RUN", string(m[1]))
	}
	text := fmt.Sprintf("%d\n%s", answer.StatusCode, body)
	fmt.Fprintln(ts.Stdout(), normal(strings.TrimSuffix(text, "\n"), ts.Getenv("WORK")))
}

// large is "large FILE N": a file of a JSON string of N bytes.
func large(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: large FILE N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(`"`+strings.Repeat("a", n-2)+`"`), 0o600))
}

// showToken is "token FILE": it sets $WFC_TOKEN to the token in a file.
func showToken(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: token FILE")
	}
	ts.Setenv(tokenVariable, strings.TrimSpace(ts.ReadFile(args[0])))
}

// certificate is "certificate CERT KEY": a certificate for 127.0.0.1 and its key.
func certificate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: certificate CERT KEY")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "wfc test"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	ts.Check(err)
	private, err := x509.MarshalECPrivateKey(key)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}), 0o600))
}
