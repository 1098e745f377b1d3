package pintle

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"
)

func TestWaitingReads(t *testing.T) {
	for name, end := range map[string]func(store *Store, folder string) error{
		"Update": func(store *Store, _ string) error { _, err := store.Update(read(t, "denial.json")); return err },
		"Close":  func(store *Store, _ string) error { store.Close(); return nil },
		"Maintain": func(store *Store, folder string) error {
			other := openStore(t, Settings{Directory: folder, SkipRecentChains: true})
			if _, err := other.Update(read(t, "denial.json")); err != nil {
				return err
			}
			return store.Maintain()
		},
	} {
		to, folder := serve(t, "127.0.0.1"), t.TempDir()
		store := openStore(t, Settings{Embedded: read(t, "manifest.json"), Directory: folder})
		connection, err := store.Dial(context.Background(), "tcp", to.address, nil)
		if err != nil {
			t.Fatal(name, ": ", err)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := connection.Read(make([]byte, 4))
			ended <- err
		}()
		if err := end(store, folder); err != nil {
			t.Error(name, ": ", err)
		}
		var refused *Refused
		if err := <-ended; !errors.As(err, &refused) {
			t.Error(name, ": ", err)
		}
		if found := len(connections(store)); found != 0 {
			t.Error(name, ": ", found, " connections are kept")
		}
		connection.Close()
		<-to.received
	}
}

// dialPair connects the two ends of a pipe: a Write on one of them ends when the other has read all of it.
func dialPair(t *testing.T, store *Store, connect func() (one, other net.Conn)) (client net.Conn, server *tls.Conn) {
	row := cases(t)[1]
	pair, err := tls.X509KeyPair(read(t, row.Chain), read(t, row.Key))
	if err != nil {
		t.Fatal(err)
	}
	one, other := connect()
	server = tls.Server(other, &tls.Config{Certificates: []tls.Certificate{pair}, SessionTicketsDisabled: true})
	go server.Handshake()
	connected := func(context.Context, string, string) (net.Conn, error) { return one, nil }
	made := &dialer{store, nil, connected, time.Hour, false}
	if client, err = made.dial(context.Background(), "tcp", "127.0.0.1:443"); err != nil {
		t.Fatal(err)
	}
	return client, server
}

func TestWaitingWrites(t *testing.T) {
	store := openStore(t, Settings{Embedded: read(t, "manifest.json")})
	client, server := dialPair(t, store, net.Pipe)
	defer server.NetConn().Close()
	written := make(chan error, 1)
	go func() {
		_, err := client.Write([]byte("secret"))
		written <- err
	}()
	// It is within the Write of the record when the first byte of that is there.
	if _, err := io.ReadFull(server.NetConn(), make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Update(read(t, "denial.json")); err != nil {
		t.Fatal(err)
	}
	var refused *Refused
	if err := <-written; !errors.As(err, &refused) {
		t.Error(err)
	}
}

// What waits in the kernel when an update comes isn't sent.
func TestBuffersOfTheKernel(t *testing.T) {
	store := openStore(t, Settings{Embedded: read(t, "manifest.json")})
	client, server := dialPair(t, store, func() (one, other net.Conn) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		if one, err = net.Dial("tcp", listener.Addr().String()); err == nil {
			other, err = listener.Accept()
		}
		if err != nil {
			t.Fatal(err)
		}
		return one, other
	})
	defer server.Close()
	if _, err := client.Write([]byte("secret")); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Update(read(t, "denial.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, server.NetConn()); !errors.Is(err, syscall.ECONNRESET) {
		t.Error("the server's connection ends with: ", err)
	}
}
