package httpserver

import (
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"
)

// Main serves until its input ends. It prints its address first.
func Main() {
	var o Options
	flags := flag.NewFlagSet("httpserver", flag.ExitOnError)
	flags.BoolVar(&o.Stateless, "stateless", false, "have no sessions, and speak 2026-07-28 as well")
	flags.BoolVar(&o.JSON, "json", false, "answer with JSON in place of event streams")
	flags.BoolVar(&o.SSE, "sse", false, "speak the transport of before 2025-03-26")
	var (
		tokens = flags.String("token", "", "want the bearer token that this `file` holds")
		cert   = flags.String("tls", "", "serve over TLS, with a certificate of nobody that is written to this `file`")
		forget = flags.Int("forget", 0, "forget all sessions before the `n`th tool call")
		busy   = flags.Int("busy", 0, "answer the `n`th tool call with 429 and Retry-After")
		cut    = flags.Int("cut", 0, "cut the connection of the `n`th tool call")
		page   = flags.Bool("page", false, "be a web page")
		seen   = flags.String("log", "", "append a line to this `file` for each request")
	)
	_ = flags.Parse(os.Args[1:]) // a wrong flag exits
	s := New(o)
	calls := 0
	s.before = func(kind string) http.HandlerFunc {
		if *seen != "" {
			record(*seen, kind)
		}
		if *tokens != "" {
			text, err := os.ReadFile(*tokens)
			if err != nil {
				log.Fatal(err)
			}
			s.SetToken(strings.TrimSpace(string(text)))
		}
		if *page {
			return Status(http.StatusOK, "<html><title>Welcome</title></html>", "Content-Type", "text/html")
		}
		if kind != "tools/call" {
			return nil
		}
		switch calls++; calls {
		case *forget:
			s.Forget()
		case *busy:
			return Status(http.StatusTooManyRequests, "slow down", "Retry-After", "1", "Content-Type", "text/plain")
		case *cut:
			return Close
		}
		return nil
	}
	front := httptest.NewUnstartedServer(s)
	front.Config.ErrorLog = log.New(io.Discard, "", 0)
	front.Config.ReadHeaderTimeout = time.Minute
	if *cert != "" {
		front.StartTLS()
		text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw})
		if err := os.WriteFile(*cert, text, 0o600); err != nil {
			log.Fatal(err)
		}
	} else {
		front.Start()
	}
	fmt.Println(front.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func record(file, line string) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintln(f, line)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		log.Fatal(err)
	}
}
