package pintle

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
)

// Refused is why a connection must not be used, or no longer; nothing was sent on it since.
type Refused struct{ Decision Decision }

func (r *Refused) Error() string { return r.Decision.Message }

// Config is a copy of a configuration for connections to one host, decided by the store in the place of Go's own
// verification: anchors and names are the store's affair. Resumed sessions are asked about too, since VerifyConnection
// runs for each connection; VerifyPeerCertificate does not. The store decides in the handshake, not again after updates.
func (s *Store) Config(base *tls.Config, host string, port uint16) *tls.Config {
	if base == nil {
		base = new(tls.Config)
	}
	config := base.Clone()
	config.ServerName = host
	config.InsecureSkipVerify = true // #nosec G402: VerifyConnection does all of it
	config.Renegotiation = tls.RenegotiateNever
	if config.MinVersion < tls.VersionTLS12 {
		config.MinVersion = tls.VersionTLS12
	}
	also := base.VerifyConnection
	config.VerifyConnection = func(state tls.ConnectionState) error {
		if err := s.check(peer(host, port, state)); err != nil {
			return err
		}
		if also != nil {
			return also(state)
		}
		return nil
	}
	return config
}

// peer is the server of a connection; a resumed session has the certificates that it began with.
func peer(host string, port uint16, state tls.ConnectionState) Peer {
	certificates := make([][]byte, 0, len(state.PeerCertificates))
	for _, certificate := range state.PeerCertificates {
		certificates = append(certificates, certificate.Raw)
	}
	return Peer{Host: host, Port: port, TLSVersion: state.Version, Certificates: certificates}
}

func (s *Store) check(peer Peer) error {
	if decision := s.Evaluate(peer); !decision.UseCredential {
		return &Refused{decision}
	}
	return nil
}

// Transport is for an http.Client: the store decides on each connection, by the host and port of the URL. It makes no
// connection without TLS, and none through a proxy, because net/http would then not ask for each host and port. After an
// update that took effect, it decides again on open connections, before they carry more data. So do the connections that
// its DialTLSContext makes for other uses.
func (s *Store) Transport(base *tls.Config) *http.Transport {
	transport := &http.Transport{
		DialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, text, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			port, err := strconv.ParseUint(text, 10, 16)
			if err != nil {
				return nil, err
			}
			return s.dial(ctx, network, address, host, uint16(port), base)
		},
		// net/http calls it for http URLs, and for proxies.
		DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, errWithoutPins },
		// But it calls DialTLSContext for proxies with an https URL: this stops https URLs, and the next line http URLs.
		GetProxyConnectHeader: func(context.Context, *url.URL, string) (http.Header, error) { return nil, errWithoutPins },
	}
	transport.RegisterProtocol("http", withoutTLS{})
	return transport
}

type withoutTLS struct{}

func (withoutTLS) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		request.Body.Close()
	}
	return nil, errWithoutPins
}

var errWithoutPins = errors.New("pintle: no connection is made without TLS or through a proxy")
