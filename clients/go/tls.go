package pintle

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strconv"
)

// Refused is why a connection must not be used; nothing was sent on it.
type Refused struct{ Decision Decision }

func (r *Refused) Error() string { return r.Decision.Message }

// Config is a copy of a configuration for connections to one host, decided by the store in the place of Go's own
// verification: anchors and names are the store's affair. Resumed sessions are asked about too, since VerifyConnection
// runs for each connection; VerifyPeerCertificate does not.
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
		certificates := make([][]byte, 0, len(state.PeerCertificates))
		for _, certificate := range state.PeerCertificates {
			certificates = append(certificates, certificate.Raw)
		}
		decision := s.Evaluate(Peer{Host: host, Port: port, TLSVersion: state.Version, Certificates: certificates})
		if !decision.UseCredential {
			return &Refused{decision}
		}
		if also != nil {
			return also(state)
		}
		return nil
	}
	return config
}

// Transport is for an http.Client: the store decides on each connection, by the host and port of the URL. It makes no
// connection without TLS, and none through a proxy, because net/http would then not ask for each host and port. A
// connection isn't decided on again: after an update that took effect, make a new Transport, and call CloseIdleConnections
// of the old one when its requests have ended.
func (s *Store) Transport(base *tls.Config) *http.Transport {
	return &http.Transport{
		DialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, text, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			port, err := strconv.ParseUint(text, 10, 16)
			if err != nil {
				return nil, err
			}
			dialer := tls.Dialer{Config: s.Config(base, host, uint16(port))}
			return dialer.DialContext(ctx, network, address)
		},
		// net/http calls it for http URLs, and for proxies.
		DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, errWithoutPins },
	}
}

var errWithoutPins = errors.New("pintle: no connection is made without TLS or through a proxy")
