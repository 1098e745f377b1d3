package pintle

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
)

// guard is the connection below TLS. Once the handshake is done, it carries data only if what is in force allows the
// peer. It is below, because net/http speaks HTTP/2 only on a *tls.Conn.
type guard struct {
	net.Conn
	store   *Store
	mutex   sync.Mutex
	peer    Peer
	decided *release // nil during the handshake, in which Config decides
	refused error
}

// dial connects, and decides in the handshake and again after each update.
func (s *Store) dial(ctx context.Context, network, address, host string, port uint16, base *tls.Config) (net.Conn, error) {
	plain, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	below := &guard{Conn: plain, store: s}
	connection := tls.Client(below, s.Config(base, host, port))
	before := s.release() // first: an update during the handshake makes the guard decide again
	if err := connection.HandshakeContext(ctx); err != nil {
		plain.Close()
		return nil, err
	}
	below.mutex.Lock()
	defer below.mutex.Unlock()
	below.peer, below.decided = peer(host, port, connection.ConnectionState()), &before
	return connection, nil
}

// check asks the store again if its manifest or keyset is another one than at the last decision.
func (g *guard) check() error {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.decided == nil || g.refused != nil {
		return g.refused
	}
	if now := g.store.release(); now != *g.decided {
		g.decided, g.refused = &now, g.store.check(g.peer)
	}
	return g.refused
}

// Write doesn't close what is refused: net/http does so at an error, and a Read that ends first would hide the reason.
func (g *guard) Write(data []byte) (int, error) {
	if err := g.check(); err != nil {
		return 0, err
	}
	return g.Conn.Write(data)
}

func (g *guard) Read(data []byte) (int, error) {
	count, err := g.Conn.Read(data)
	if count > 0 {
		if err := g.check(); err != nil {
			return 0, err
		}
	}
	return count, err
}
