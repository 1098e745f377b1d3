package pintle

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func connections(store *Store) (found []*guard) {
	store.guards.Range(func(key, _ any) bool {
		found = append(found, key.(*guard))
		return true
	})
	return found
}

// A key rotation: the server has a new key, and the update no longer has the old one. The first request after it, of
// any kind, succeeds on a new connection.
func TestRotation(t *testing.T) {
	authority := newAuthority(t)
	for protocol, wanted := range map[string]string{"http/1.1": "hello HTTP/1.1", "h2": "hello HTTP/2.0"} {
		for _, isBusy := range []bool{false, true} {
			for _, body := range []string{"none", "repeatable", "not repeatable"} {
				t.Run(fmt.Sprint(protocol, isBusy, body), func(t *testing.T) {
					checkRotation(t, authority, protocol, wanted, isBusy, body)
				})
			}
		}
	}
}

func checkRotation(t *testing.T, authority *authority, protocol, wanted string, isBusy bool, kind string) {
	old, oldPin := authority.server(t)
	next, nextPin := authority.server(t)
	server := serveWeb(t, protocol == "h2")
	server.pair.Store(&old)
	store := openStore(t, Settings{
		Embedded: pinned(t, 1, oldPin), SkipRecentChains: true, Anchors: [][]byte{authority.pem()}})
	transport := store.Transport(&http.Transport{TLSClientConfig: &tls.Config{NextProtos: []string{protocol}}})
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for range [2]int{} {
		if answer, err := get(client, server.URL, nil); err != nil || answer != wanted {
			t.Fatal(answer, err)
		}
	}
	var before int64
	var once sync.Once
	update := func() {
		once.Do(func() {
			server.pair.Store(&next)
			if _, err := store.Update(pinned(t, 2, nextPin)); err != nil {
				t.Error(err)
			}
			before = server.first().bytes.Load()
		})
	}
	if isBusy {
		server.wait = update
		get(client, server.URL+"/wait", nil) // net/http repeats it with HTTP/1.1 only
	}
	update()
	var body io.Reader
	switch kind {
	case "repeatable":
		body = strings.NewReader("secret")
	case "not repeatable":
		body = io.MultiReader(strings.NewReader("secret"))
	}
	if answer, err := get(client, server.URL, body); err != nil || answer != wanted {
		t.Error("the first request after the update: ", answer, err)
	}
	transport.CloseIdleConnections()
	server.Close() // waits for connections in use
	if now := server.first().bytes.Load(); now != before {
		t.Error(now-before, " bytes came after the update")
	}
	for len(connections(store)) != 0 {
		time.Sleep(time.Millisecond) // net/http closes some in the background
	}
}

// The program's own check runs after the store's, so this update comes when the decision was made, and before the
// connection is one of the open ones.
func TestUpdateDuringTheHandshake(t *testing.T) {
	to := serve(t, "127.0.0.1")
	store := openStore(t, Settings{Embedded: read(t, "manifest.json")})
	base := &tls.Config{VerifyConnection: func(tls.ConnectionState) error {
		_, err := store.Update(read(t, "denial.json"))
		return err
	}}
	var refused *Refused
	if _, err := store.Dial(context.Background(), "tcp", to.address, base); !errors.As(err, &refused) {
		t.Error(err)
	}
	if received := <-to.received; received != "" {
		t.Error(received)
	}
	if found := len(connections(store)); found != 0 {
		t.Error(found, " connections are kept")
	}
}

// None of many that connect meanwhile stays open.
func TestUpdateWhileManyConnect(t *testing.T) {
	to := serve(t, "127.0.0.1")
	store := openStore(t, Settings{Embedded: read(t, "manifest.json"), SkipRecentChains: true})
	var group sync.WaitGroup
	began := make(chan struct{}, 64)
	for range [8]int{} {
		group.Add(1)
		go func() {
			defer group.Done()
			for range [8]int{} {
				connection, err := store.Dial(context.Background(), "tcp", to.address, nil)
				began <- struct{}{}
				var refused *Refused
				if err == nil {
					_, err = connection.Read(make([]byte, 1)) // until an update closes it
				}
				if !errors.As(err, &refused) {
					t.Error(err)
				}
			}
		}()
	}
	<-began
	if _, err := store.Update(read(t, "denial.json")); err != nil {
		t.Error(err)
	}
	group.Wait()
	if found := len(connections(store)); found != 0 {
		t.Error(found, " connections are kept")
	}
}

// Maintain closes what an expiry refuses, and nothing else.
func TestExpiry(t *testing.T) {
	var now atomic.Int64
	now.Store(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC).Unix())
	to := serve(t, "127.0.0.1")
	manifest := releaseOf(t, 1, `{"host":"127.0.0.1","key-set":"issued","mode":"enforce"}`,
		`{"expires":"2027-01-01T00:00:00Z","host":"127.0.0.1","key-set":"issued","mode":"enforce","on-expiry":"block"}`)
	store := openStore(t, Settings{Embedded: manifest, Clock: func() time.Time { return time.Unix(now.Load(), 0) }})
	connection, err := store.Dial(context.Background(), "tcp", to.address, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	for _, line := range []string{"abc\n", "def\n"} {
		if _, err := connection.Write([]byte(line)); err != nil {
			t.Fatal(line, err)
		}
		if _, err := io.ReadFull(connection, make([]byte, 4)); err != nil {
			t.Fatal(line, err)
		}
		if err := store.Maintain(); err != nil {
			t.Fatal(err)
		}
	}
	now.Store(time.Date(2027, 1, 2, 0, 0, 0, 0, time.UTC).Unix())
	if err := store.Maintain(); err != nil {
		t.Fatal(err)
	}
	var refused *Refused
	if _, err := connection.Read(make([]byte, 1)); !errors.As(err, &refused) || refused.Decision.Reason != "expired" {
		t.Error(err)
	}
	if received := <-to.received; received != "abc\ndef\n" {
		t.Error(received)
	}
}

func TestManyConnections(t *testing.T) {
	to := serve(t, "127.0.0.1")
	store := openStore(t, Settings{Embedded: read(t, "manifest.json")})
	real, err := connect(store, nil, "127.0.0.1", to)
	if err != nil {
		t.Fatal(err)
	}
	real.Close()
	var others []net.Conn
	for range [1000]int{} {
		one, other := net.Pipe()
		it := &guard{Conn: one, store: store, closed: make(chan struct{})}
		store.guards.Store(it, nil)
		if err := it.decide(peer("127.0.0.1", to.port, real.(*tls.Conn).ConnectionState())); err != nil {
			t.Fatal(err)
		}
		if err := it.open(); err != nil {
			t.Fatal(err)
		}
		others = append(others, other)
	}
	if found := len(connections(store)); found != len(others) {
		t.Error(found, " connections")
	}
	if _, err := store.Update(read(t, "denial.json")); err != nil {
		t.Fatal(err)
	}
	for _, other := range others {
		if _, err := other.Read(make([]byte, 1)); err != io.EOF {
			t.Fatal(err)
		}
	}
	if found := len(connections(store)); found != 0 {
		t.Error(found, " connections are kept")
	}
}
