package pintle

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
)

const fixtures = "../../Tests/Fixtures/transports"

type handshakeCase struct{ Host, Chain, Key, Verdict, Reason, Disposition string }

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(fixtures, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func cases(t testing.TB) []handshakeCase {
	t.Helper()
	var found []handshakeCase
	if err := json.Unmarshal(read(t, "cases.json"), &found); err != nil || len(found) < 12 {
		t.Fatal("cases.json: ", err, len(found))
	}
	return found
}

func openStore(t testing.TB, settings Settings) *Store {
	t.Helper()
	settings.Signers, settings.Threshold, settings.Audience = [][]byte{read(t, "release.pub")}, 1, "test"
	if settings.Anchors == nil {
		settings.Anchors = [][]byte{read(t, "root.pem")}
	}
	store, err := Open(settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

// server answers what it receives with the same bytes; what a connection brought arrives on `received` when it ends.
type server struct {
	address  string
	port     uint16
	received chan string
}

func serve(t testing.TB, host string) *server {
	t.Helper()
	for _, row := range cases(t) {
		if row.Host != host {
			continue
		}
		pair, err := tls.LoadX509KeyPair(filepath.Join(fixtures, row.Chain), filepath.Join(fixtures, row.Key))
		if err != nil {
			t.Fatal(err)
		}
		listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		place := listener.Addr().(*net.TCPAddr)
		it := &server{place.String(), uint16(place.Port), make(chan string, 16)}
		go it.accept(listener)
		return it
	}
	t.Fatal("there is no case ", host)
	return nil
}

func (s *server) accept(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer connection.Close()
			var all []byte
			buffer := make([]byte, 4096)
			for {
				count, err := connection.Read(buffer)
				all = append(all, buffer[:count]...)
				if count > 0 && buffer[count-1] == '\n' {
					connection.Write(buffer[:count])
				}
				if err != nil {
					s.received <- string(all)
					return
				}
			}
		}()
	}
}

// connect is a handshake for a host whose name isn't looked up.
func connect(store *Store, base *tls.Config, host string, to *server) (net.Conn, error) {
	plain, err := net.Dial("tcp", to.address)
	if err != nil {
		return nil, err
	}
	return store.Client(context.Background(), plain, host, to.port, base)
}

// try sends a line if the store lets it; the reason of a refusal, and whether the session was resumed.
func try(t testing.TB, store *Store, base *tls.Config, host string, to *server) (reason string, resumed bool) {
	t.Helper()
	connection, err := connect(store, base, host, to)
	var refused *Refused
	if errors.As(err, &refused) {
		return refused.Decision.Reason, false
	}
	if err != nil {
		t.Fatal(host, ": ", err)
	}
	defer connection.Close()
	_, err = connection.Write([]byte("abc\n"))
	answer := make([]byte, 4)
	if err == nil {
		_, err = io.ReadFull(connection, answer)
	}
	if errors.As(err, &refused) { // by an update since
		return refused.Decision.Reason, false
	}
	if err != nil || string(answer) != "abc\n" {
		t.Fatal(host, ": ", err, string(answer))
	}
	return "", connection.(*tls.Conn).ConnectionState().DidResume
}
