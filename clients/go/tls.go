//go:build cgo

package pintle

import "crypto/tls"

// Refused is why a connection must not be used, or no longer; nothing was sent on it since.
type Refused struct{ Decision Decision }

func (r *Refused) Error() string { return r.Decision.Message }

// config is a copy of a configuration for one connection, decided by the store in the place of Go's own verification:
// anchors and names are the store's affair. It is never given away, because a program could remove VerifyConnection
// from it. That runs for resumed sessions too; VerifyPeerCertificate does not.
func (g *guard) config(base *tls.Config, host string, port uint16) *tls.Config {
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
		if err := g.decide(peer(host, port, state)); err != nil {
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
