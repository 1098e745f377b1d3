//go:build cgo

package pintle

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Transport is an http.RoundTripper for https URLs, made by Store.Transport.
type Transport struct{ inner *http.Transport }

var (
	errWithoutTLS   = errors.New("pintle: the URL has no TLS, so no connection is made; use an https URL")
	errThroughProxy = errors.New("pintle: a proxy can't be combined with pins; set Proxy of the http.Transport to nil")
)

// Transport is for an http.Client: the store decides on each connection, by the host and port of the URL, and again
// after updates. Settings are copied from base; its RootCAs, DialTLS, DialTLSContext and TLSNextProto have no effect,
// but an empty TLSNextProto forbids HTTP/2. Nil is like http.DefaultTransport, but without a proxy. TLSHandshakeTimeout
// and IdleConnTimeout are 10 and 90 seconds if they are 0. Requests without TLS, and those for which Proxy returns a
// URL, fail: net/http doesn't call the store for each host then.
func (s *Store) Transport(base *http.Transport) *Transport {
	if base == nil {
		base = &http.Transport{ForceAttemptHTTP2: true, MaxIdleConns: 100, ExpectContinueTimeout: time.Second}
	}
	inner := base.Clone() // has HTTP/2 in NextProtos if base speaks it
	if len(inner.TLSNextProto) > 0 {
		// Such as http2.ConfigureTransport sets: it would send over the connections of base, which aren't pinned.
		_, speaksHTTP2 := inner.TLSNextProto["h2"]
		inner.TLSNextProto, inner.ForceAttemptHTTP2 = nil, inner.ForceAttemptHTTP2 || speaksHTTP2
		inner = inner.Clone()
	}
	if inner.TLSClientConfig != nil {
		for _, protocol := range inner.TLSClientConfig.NextProtos {
			// With a DialTLSContext, net/http doesn't speak it otherwise.
			inner.ForceAttemptHTTP2 = inner.ForceAttemptHTTP2 || protocol == "h2"
		}
	}
	if inner.TLSHandshakeTimeout == 0 {
		inner.TLSHandshakeTimeout = handshakeTimeout
	}
	if inner.IdleConnTimeout == 0 {
		inner.IdleConnTimeout = idleTimeout
	}
	connect := inner.DialContext
	if connect == nil {
		connect = (&net.Dialer{Timeout: connectTimeout}).DialContext
	}
	if choose := inner.Proxy; choose != nil {
		inner.Proxy = func(request *http.Request) (*url.URL, error) {
			proxy, err := choose(request)
			if err == nil && proxy != nil {
				err = errThroughProxy
			}
			return nil, err
		}
	}
	made := &dialer{s, inner.TLSClientConfig, connect, inner.TLSHandshakeTimeout, true}
	inner.DialTLSContext = made.dial
	return &Transport{inner}
}

// RoundTrip sends a request.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL != nil && request.URL.Scheme != "https" {
		if request.Body != nil {
			request.Body.Close()
		}
		return nil, errWithoutTLS
	}
	return t.inner.RoundTrip(request)
}

// CloseIdleConnections closes the connections that carry no request now.
func (t *Transport) CloseIdleConnections() { t.inner.CloseIdleConnections() }

// Dial connects with TLS for other uses than HTTP. The store decides on the connection by the host and port of the
// address, and again after updates: those that refuse it close it. The connection is a *tls.Conn.
func (s *Store) Dial(ctx context.Context, network, address string, base *tls.Config) (net.Conn, error) {
	connect := (&net.Dialer{Timeout: connectTimeout}).DialContext
	return (&dialer{s, base, connect, handshakeTimeout, false}).dial(ctx, network, address)
}

// Client is like Dial on a connection that the program has made, for example through a proxy, or after STARTTLS. It
// closes the connection if it must not be used. Closing what it returns closes both.
func (s *Store) Client(
	ctx context.Context, plain net.Conn, host string, port uint16, base *tls.Config,
) (net.Conn, error) {
	return (&dialer{s, base, nil, handshakeTimeout, false}).shake(ctx, plain, host, port)
}
