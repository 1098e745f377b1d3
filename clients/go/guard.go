//go:build cgo

package pintle

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"strconv"
	"sync"
	"time"
)

// guard is the connection below TLS. Once the handshake is done, it carries data only if the store allowed the peer in
// this handshake, and what is in force now allows it. It is below, because net/http speaks HTTP/2 only on a *tls.Conn.
type guard struct {
	net.Conn
	store    *Store
	isPooled bool // by net/http, which closes it if a Read fails
	closing  sync.Once
	closed   chan struct{}
	mutex    sync.Mutex
	peer     Peer
	decided  *release // what allowed the peer; nil until then, in the handshake
	refused  error
}

var errNotDecided = errors.New("pintle: the handshake ended without a decision, so the connection is closed")

// dialer makes guarded connections.
type dialer struct {
	store     *Store
	base      *tls.Config
	connect   func(ctx context.Context, network, address string) (net.Conn, error)
	handshake time.Duration // at most
	isPooled  bool
}

// What http.DefaultTransport has.
const (
	connectTimeout   = 30 * time.Second
	handshakeTimeout = 10 * time.Second
	idleTimeout      = 90 * time.Second
)

// dial connects, and decides in the handshake and again after each update.
func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, err
	}
	plain, err := d.connect(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return d.shake(ctx, plain, host, uint16(port))
}

// shake makes a guarded connection of a plain one, which it closes if that fails.
func (d *dialer) shake(ctx context.Context, plain net.Conn, host string, port uint16) (net.Conn, error) {
	below := &guard{Conn: plain, store: d.store, isPooled: d.isPooled, closed: make(chan struct{})}
	d.store.guards.Store(below, nil) // first: an update that doesn't see it was before the decision
	connection := tls.Client(below, below.config(d.base, host, port))
	limited, cancel := context.WithTimeout(ctx, d.handshake)
	defer cancel()
	err := connection.HandshakeContext(limited)
	if err == nil {
		err = below.open()
	} else if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = &net.OpError{Op: "TLS handshake", Net: "tcp", Addr: plain.RemoteAddr(), Err: os.ErrDeadlineExceeded}
	}
	if err != nil {
		below.Close()
		return nil, err
	}
	return connection, nil
}

// decide asks the store in the handshake.
func (g *guard) decide(peer Peer) error {
	before := g.store.release() // an update during the handshake makes open decide again
	if err := g.store.check(peer); err != nil {
		return err
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.peer, g.decided = peer, &before
	return nil
}

// open ends the handshake.
func (g *guard) open() error {
	g.mutex.Lock()
	if g.decided == nil {
		g.refused = errNotDecided
	}
	g.mutex.Unlock()
	return g.check(false)
}

// check asks the store again if its manifest or keyset is another one than at the last decision, or in any case.
func (g *guard) check(inAnyCase bool) error {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.decided == nil || g.refused != nil {
		return g.refused
	}
	if now := g.store.release(); inAnyCase || now != *g.decided {
		g.decided, g.refused = &now, g.store.check(g.peer)
	}
	return g.refused
}

// Write doesn't close what is refused: an update does so before it returns.
func (g *guard) Write(data []byte) (int, error) {
	if err := g.check(false); err != nil {
		return 0, err
	}
	count, err := g.Conn.Write(data)
	if err != nil {
		if refused := g.check(false); refused != nil {
			err = refused // the update that closed it is why
		}
	}
	return count, err
}

func (g *guard) Read(data []byte) (int, error) {
	count, err := g.Conn.Read(data)
	if err := g.check(false); err != nil {
		return 0, err
	}
	return count, err
}

func (g *guard) Close() error {
	g.store.guards.Delete(g)
	g.closing.Do(func() { close(g.closed) })
	return g.Conn.Close()
}

// end closes a connection that was refused, which ends a Read or Write that waits.
func (g *guard) end() {
	if plain, ok := g.Conn.(interface{ SetLinger(int) error }); ok {
		plain.SetLinger(0) // what the kernel hasn't sent yet isn't sent
	}
	g.Conn.Close()
	g.store.guards.Delete(g)
}

// For how long an update waits at most until net/http has noticed what was closed.
const noticeTimeout = time.Second

// checkConnections asks again about each connection of Transport and Dial, and closes those that are refused.
func (s *Store) checkConnections(inAnyCase bool) {
	var ended []*guard
	s.guards.Range(func(key, _ any) bool {
		if g := key.(*guard); g.check(inAnyCase) != nil {
			g.end()
			ended = append(ended, g)
		}
		return true
	})
	// Otherwise net/http could send the next request over one of them, and it would fail. It doesn't notice as long as the
	// program reads nothing of a body, or if it handed the connection over, as for WebSocket.
	limit := time.NewTimer(noticeTimeout)
	defer limit.Stop()
	for _, g := range ended {
		if !g.isPooled {
			continue
		}
		select {
		case <-g.closed:
		case <-limit.C:
			return
		}
	}
}
