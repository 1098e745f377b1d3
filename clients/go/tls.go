package pintle

import "crypto/tls"

// Refused is why a connection must not be used, or no longer; nothing was sent on it since.
type Refused struct{ Decision Decision }

func (r *Refused) Error() string { return r.Decision.Message }

// Config is a copy of a configuration for connections to one host, decided by the store in the place of Go's own
// verification: anchors and names are the store's affair. Resumed sessions are asked about too, since VerifyConnection
// runs for each connection; VerifyPeerCertificate does not. The store decides in the handshake, not again after updates,
// as with Dial and Transport.
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
