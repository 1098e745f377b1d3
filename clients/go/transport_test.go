package pintle

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

func TestTransport(t *testing.T) {
	server := serveWeb(t, false)
	store := openStore(t, Settings{Embedded: read(t, "manifest.json")})
	proxy, dials := "", 0
	base := &http.Transport{
		Proxy: func(*http.Request) (*url.URL, error) {
			if proxy == "" {
				return nil, nil
			}
			return &url.URL{Scheme: proxy, Host: server.Listener.Addr().String()}, nil
		},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			dials++
			return new(net.Dialer).DialContext(ctx, network, address)
		},
		// These would skip the store.
		DialTLS:        func(string, string) (net.Conn, error) { return nil, errors.New("DialTLS was called") },
		DialTLSContext: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("and this") },
	}
	base.RegisterProtocol("https", skips{})
	client := &http.Client{Transport: store.Transport(base)}
	defer client.CloseIdleConnections()
	if answer, err := get(client, server.URL, nil); err != nil || answer != "hello HTTP/1.1" {
		t.Fatal(answer, err)
	}
	for _, proxy = range []string{"", "https", "http", "socks5"} {
		body := &closes{Reader: strings.NewReader("secret")}
		_, err := get(client, strings.Replace(server.URL, "https", "http", 1), body)
		if !errors.Is(err, errWithoutTLS) || !body.isClosed {
			t.Error("without TLS: ", proxy, err, body.isClosed)
		}
		if proxy == "" {
			continue
		}
		for _, url := range []string{"https://allowed.test", "https://127.0.0.1:1", server.URL} {
			if _, err := get(client, url, nil); !errors.Is(err, errThroughProxy) {
				t.Error(url, " through a proxy: ", proxy, err)
			}
		}
	}
	if requests := server.requests.Load(); requests != 1 || dials != 1 {
		t.Error(requests, " requests and connections: ", dials)
	}
}

// skips is a protocol that a program has registered.
type skips struct{}

func (skips) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("it skips the store")
}

// closes is a body that knows whether it was closed.
type closes struct {
	*strings.Reader
	isClosed bool
}

func (c *closes) Close() error {
	c.isClosed = true
	return nil
}

func TestProtocols(t *testing.T) {
	store := openStore(t, Settings{Embedded: read(t, "manifest.json")})
	offer := func(protocols ...string) *tls.Config { return &tls.Config{NextProtos: protocols} }
	standard := http.DefaultTransport.(*http.Transport).Clone()
	standard.Proxy = nil
	for name, row := range map[string]struct {
		base   *http.Transport
		wanted string
	}{
		"none":                    {nil, "HTTP/2.0"},
		"http.DefaultTransport":   {standard, "HTTP/2.0"},
		"limits alone":            {&http.Transport{MaxIdleConnsPerHost: 3}, "HTTP/2.0"},
		"h2":                      {&http.Transport{TLSClientConfig: offer("h2", "http/1.1")}, "HTTP/2.0"},
		"http/1.1":                {&http.Transport{TLSClientConfig: offer("http/1.1")}, "HTTP/1.1"},
		"ForceAttemptHTTP2":       {&http.Transport{TLSClientConfig: offer(), ForceAttemptHTTP2: true}, "HTTP/2.0"},
		"not for a configuration": {&http.Transport{TLSClientConfig: offer()}, "HTTP/1.1"},
		"forbidden by an empty map": {&http.Transport{
			ForceAttemptHTTP2: true, TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}}, "HTTP/1.1"},
	} {
		server := serveWeb(t, true)
		client := &http.Client{Transport: store.Transport(row.base)}
		if answer, err := get(client, server.URL, nil); err != nil || answer != "hello "+row.wanted {
			t.Error(name, ": ", answer, err)
		}
		client.CloseIdleConnections()
	}
}

func TestLimits(t *testing.T) {
	store := openStore(t, Settings{})
	made := store.Transport(nil).inner
	if made.TLSHandshakeTimeout != 10*time.Second || made.IdleConnTimeout != 90*time.Second {
		t.Error(made.TLSHandshakeTimeout, made.IdleConnTimeout)
	}
	made = store.Transport(&http.Transport{TLSHandshakeTimeout: 1, IdleConnTimeout: 2, MaxIdleConnsPerHost: 3}).inner
	if made.TLSHandshakeTimeout != 1 || made.IdleConnTimeout != 2 || made.MaxIdleConnsPerHost != 3 {
		t.Error(made.TLSHandshakeTimeout, made.IdleConnTimeout, made.MaxIdleConnsPerHost)
	}
}

// A server that accepts and then says nothing.
func TestHandshakeTimeout(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	store := openStore(t, Settings{Embedded: read(t, "manifest.json")})
	client := &http.Client{Transport: store.Transport(&http.Transport{TLSHandshakeTimeout: 50 * time.Millisecond})}
	_, err = get(client, "https://"+listener.Addr().String(), nil)
	var failed *url.Error
	if !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &failed) || !failed.Timeout() ||
		!strings.Contains(err.Error(), "TLS handshake tcp 127.0.0.1:") {
		t.Error(err)
	}
	// The program's own limits are errors of their own.
	client = &http.Client{Transport: store.Transport(nil), Timeout: 50 * time.Millisecond}
	_, err = get(client, "https://"+listener.Addr().String(), nil)
	if !errors.As(err, &failed) || !failed.Timeout() || strings.Contains(err.Error(), "TLS handshake") {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := store.Dial(ctx, "tcp", listener.Addr().String(), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	connections := 0
	store.guards.Range(func(any, any) bool { connections++; return true })
	if connections != 0 {
		t.Error(connections, " connections are kept")
	}
}
