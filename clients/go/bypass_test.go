package pintle

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// careless has everything that a program can set in order to accept any server.
func careless() *tls.Config {
	roots := x509.NewCertPool()
	return &tls.Config{
		InsecureSkipVerify: true, RootCAs: roots, ServerName: "off.test",
		VerifyConnection:      func(tls.ConnectionState) error { return nil },
		VerifyPeerCertificate: func([][]byte, [][]*x509.Certificate) error { return nil },
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return new(tls.Certificate), nil
		},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			return &tls.Config{InsecureSkipVerify: true}, nil
		},
	}
}

// wrapper is a RoundTripper that sends each request again after an error.
type wrapper struct{ http.RoundTripper }

func (w wrapper) RoundTrip(request *http.Request) (*http.Response, error) {
	if response, err := w.RoundTripper.RoundTrip(request); err == nil {
		return response, nil
	}
	return w.RoundTripper.RoundTrip(request)
}

// Whatever is handed over or changed, an impostor gets 0 bytes: a server with a valid certificate for the host, by an
// authority that the store trusts, but another key.
func TestNothingTakesTheCheckAway(t *testing.T) {
	for name, send := range map[string]func(store *Store, to *server) error{
		"Transport": func(store *Store, to *server) error { return post(store.Transport(nil), to, "") },
		"Transport of a careless configuration": func(store *Store, to *server) error {
			return post(store.Transport(&http.Transport{TLSClientConfig: careless()}), to, "")
		},
		"changed afterwards": func(store *Store, to *server) error {
			base := &http.Transport{TLSClientConfig: &tls.Config{}}
			transport := store.Transport(base)
			*base.TLSClientConfig = *careless()
			base.DialTLSContext = unpinned
			return post(transport, to, "")
		},
		"http.Transport.Clone": func(store *Store, to *server) error {
			base := (&http.Transport{TLSClientConfig: careless(), DialTLSContext: unpinned}).Clone()
			return post(store.Transport(base), to, "")
		},
		"DialTLSContext": func(store *Store, to *server) error {
			return post(store.Transport(&http.Transport{DialTLSContext: unpinned}), to, "")
		},
		"DialTLS": func(store *Store, to *server) error {
			return post(store.Transport(&http.Transport{DialTLS: func(network, address string) (net.Conn, error) {
				return unpinned(context.Background(), network, address)
			}}), to, "")
		},
		"another RoundTripper": func(store *Store, to *server) error {
			return post(wrapper{store.Transport(nil)}, to, "")
		},
		"another Host field": func(store *Store, to *server) error { return post(store.Transport(nil), to, "off.test") },
		"Dial": func(store *Store, to *server) error {
			return write(store.Dial(context.Background(), "tcp", to.address, careless()))
		},
		"Client": func(store *Store, to *server) error { return write(connect(store, careless(), "127.0.0.1", to)) },
		"Client for a name that the impostor has no certificate of": func(store *Store, to *server) error {
			return write(connect(store, careless(), "off.test", to))
		},
		"DialTLSContext of another library": func(store *Store, to *server) error {
			return post(&http.Transport{DialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				return store.Dial(ctx, network, address, careless())
			}}, to, "")
		},
		"a session of a connection that isn't pinned": func(store *Store, to *server) error {
			base := careless()
			base.ServerName, base.ClientSessionCache = "127.0.0.1", tls.NewLRUClientSessionCache(8)
			connection, err := tls.Dial("tcp", to.address, base)
			if err != nil {
				return err
			}
			connection.Write([]byte("\n"))
			io.ReadFull(connection, make([]byte, 1)) // after the ticket
			connection.Close()
			<-to.received
			return write(store.Dial(context.Background(), "tcp", to.address, base))
		},
	} {
		to := serve(t, "127.0.0.1")
		store := openStore(t, Settings{Embedded: read(t, "newer.json")})
		var refused *Refused
		if err := send(store, to); !errors.As(err, &refused) {
			t.Error(name, ": ", err)
		}
		if received := <-to.received; received != "" {
			t.Errorf("%s: the impostor received %q", name, received)
		}
	}
}

func unpinned(_ context.Context, network, address string) (net.Conn, error) {
	return tls.Dial(network, address, &tls.Config{InsecureSkipVerify: true})
}

func post(transport http.RoundTripper, to *server, host string) error {
	request, err := http.NewRequest(http.MethodPost, "https://"+to.address, strings.NewReader("secret\n"))
	if err != nil {
		return err
	}
	request.Host = host
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err == nil {
		response.Body.Close()
	}
	return err
}

func write(connection net.Conn, err error) error {
	if err != nil {
		return err
	}
	defer connection.Close()
	_, err = connection.Write([]byte("secret\n"))
	return err
}

// http2.ConfigureTransport puts a function into TLSNextProto that gives requests to the connections of its own
// http.Transport.
func TestProtocolsOfAnotherTransport(t *testing.T) {
	impostor := serveWeb(t, true)
	store := openStore(t, Settings{Embedded: read(t, "manifest.json")})
	base := &http.Transport{TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{
		"h2": func(string, *tls.Conn) http.RoundTripper { return skips{} }}}
	client := &http.Client{Transport: store.Transport(base)}
	defer client.CloseIdleConnections()
	if answer, err := get(client, impostor.URL, nil); err != nil || answer != "hello HTTP/2.0" {
		t.Error(answer, err)
	}
}

// Should the handshake ever end without VerifyConnection, the connection carries nothing.
func TestWithoutADecision(t *testing.T) {
	store := openStore(t, Settings{Embedded: read(t, "manifest.json")})
	one, other := net.Pipe()
	defer other.Close()
	it := &guard{Conn: one, store: store, closed: make(chan struct{})}
	if err := it.open(); err != errNotDecided {
		t.Error(err)
	}
	if count, err := it.Write([]byte("secret")); count != 0 || err != errNotDecided {
		t.Error(count, err)
	}
	// The raw connection below TLS is the guard, too.
	to := serve(t, "127.0.0.1")
	connection, err := store.Dial(context.Background(), "tcp", to.address, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if _, err := store.Update(read(t, "denial.json")); err != nil {
		t.Fatal(err)
	}
	var refused *Refused
	if count, err := connection.(*tls.Conn).NetConn().Write([]byte("raw")); count != 0 || !errors.As(err, &refused) {
		t.Error(count, err)
	}
}

// A refusal names the keys, in the sentence and as data, through the errors of net/http.
func TestRefusalsNameTheKeys(t *testing.T) {
	to := serve(t, "127.0.0.1")
	store := openStore(t, Settings{Embedded: read(t, "newer.json")})
	err := post(store.Transport(nil), to, "")
	var refused *Refused
	if !errors.As(err, &refused) {
		t.Fatal(err)
	}
	decision := refused.Decision
	if len(decision.Required) == 0 || len(decision.Presented) < 2 || decision.RequiresLeafAndCA {
		t.Fatal(decision)
	}
	leaf, required := decision.Presented[0], decision.Required[0]
	if leaf.Position != "leaf" || leaf.Certificate != 0 || !strings.HasPrefix(leaf.Pin, "sha256/") ||
		required.Name == "" || required.Certificate != -1 || required.Status == "unknown" {
		t.Error(leaf, required)
	}
	if !strings.Contains(err.Error(), "presented: leaf "+leaf.Pin) || !strings.Contains(err.Error(), required.Name) {
		t.Error(err)
	}
	decision = store.Evaluate(Peer{Host: "127.0.0.1:443", Port: 443})
	if !strings.Contains(decision.Message, "without scheme, port or path") {
		t.Error(decision.Message)
	}
}
