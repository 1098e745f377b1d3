package pintle

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// counted is a server's connection that counts what reaches it, of TLS too.
type counted struct {
	net.Conn
	bytes atomic.Int64
}

func (c *counted) Read(data []byte) (int, error) {
	count, err := c.Conn.Read(data)
	c.bytes.Add(int64(count))
	return count, err
}

// web is an HTTP server for 127.0.0.1.
type web struct {
	*httptest.Server
	pair        atomic.Pointer[tls.Certificate]
	requests    atomic.Int64
	mutex       sync.Mutex
	connections []*counted
	// wait is called for each request to /wait, when its handler has begun.
	wait func()
}

// listening is a web's listener.
type listening struct {
	net.Listener
	web *web
}

func (w listening) Accept() (net.Conn, error) {
	connection, err := w.Listener.Accept()
	if err != nil {
		return nil, err
	}
	it := &counted{Conn: connection}
	w.web.mutex.Lock()
	defer w.web.mutex.Unlock()
	w.web.connections = append(w.web.connections, it)
	return it, nil
}

func (w *web) first() *counted {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.connections[0]
}

func serveWeb(t testing.TB, speaksHTTP2 bool) *web {
	t.Helper()
	row := cases(t)[1]
	pair, err := tls.LoadX509KeyPair(filepath.Join(fixtures, row.Chain), filepath.Join(fixtures, row.Key))
	if err != nil {
		t.Fatal(err)
	}
	it := new(web)
	it.pair.Store(&pair)
	it.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		it.requests.Add(1)
		if r.URL.Path == "/wait" {
			it.wait()
		}
		io.WriteString(w, "hello "+r.Proto)
	}))
	it.Listener = listening{it.Listener, it}
	it.TLS = &tls.Config{
		Certificates: []tls.Certificate{pair},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			config := it.TLS.Clone()
			config.Certificates = []tls.Certificate{*it.pair.Load()}
			return config, nil
		},
	}
	it.EnableHTTP2 = speaksHTTP2
	it.StartTLS()
	t.Cleanup(it.Close)
	return it
}

func get(client *http.Client, url string, body io.Reader) (string, error) {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	request, err := http.NewRequest(method, url, body)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return string(answer), err
}

// A connection of the pool carries no byte of a request once an update that blocks its server has returned.
func TestUpdatesReachOpenConnections(t *testing.T) {
	for protocol, wanted := range map[string]string{"http/1.1": "hello HTTP/1.1", "h2": "hello HTTP/2.0"} {
		for _, isBusy := range []bool{false, true} {
			// net/http repeats a request on a new connection, unless its body can't be read again.
			for _, isRepeated := range []bool{false, true} {
				t.Run(fmt.Sprint(protocol, isBusy, isRepeated), func(t *testing.T) {
					checkUpdate(t, protocol, wanted, isBusy, isRepeated)
				})
			}
		}
	}
}

func checkUpdate(t *testing.T, protocol, wanted string, isBusy, isRepeated bool) {
	server := serveWeb(t, protocol == "h2")
	store := openStore(t, Settings{Embedded: read(t, "manifest.json"), SkipRecentChains: true})
	transport := store.Transport(&http.Transport{TLSClientConfig: &tls.Config{NextProtos: []string{protocol}}})
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for range [2]int{} {
		if answer, err := get(client, server.URL, nil); err != nil || answer != wanted {
			t.Fatal(answer, err)
		}
	}
	updated := make(chan error, 1)
	var before int64
	update := func() {
		_, err := store.Update(read(t, "newer.json"))
		before = server.first().bytes.Load()
		updated <- err
	}
	requests := int64(2)
	var refused *Refused
	if isBusy {
		requests++
		server.wait = update
		if answer, err := get(client, server.URL+"/wait", nil); !errors.As(err, &refused) || answer != "" {
			t.Error("the answer that came after the update: ", answer, err)
		}
	} else {
		update()
	}
	if err := <-updated; err != nil {
		t.Fatal(err)
	}
	var body io.Reader
	if !isRepeated {
		body = io.MultiReader(strings.NewReader("secret"))
	}
	answer, err := get(client, server.URL, body)
	refused = nil
	if !errors.As(err, &refused) || refused.Decision.Reason != "mismatch" {
		t.Error("the next request: ", answer, err)
	}
	if found := server.requests.Load(); found != requests {
		t.Error(found, " requests")
	}
	transport.CloseIdleConnections()
	server.Close() // waits for connections in use
	if now := server.first().bytes.Load(); now != before {
		t.Error(now-before, " bytes came after the update")
	}
}

// What a new manifest allows goes on, on the same connection.
func TestUpdatesLeaveOthersOpen(t *testing.T) {
	server := serveWeb(t, false)
	store := openStore(t, Settings{Embedded: read(t, "manifest.json"), SkipRecentChains: true})
	client := &http.Client{Transport: store.Transport(nil)}
	defer client.CloseIdleConnections()
	for range [2]int{} {
		if answer, err := get(client, server.URL, nil); err != nil || answer != "hello HTTP/1.1" {
			t.Fatal(answer, err)
		}
		if isNew, err := store.Update(read(t, "without-clients.json")); err != nil {
			t.Fatal(isNew, err)
		}
	}
	server.mutex.Lock()
	if len(server.connections) != 1 {
		t.Error(len(server.connections), " connections")
	}
	server.mutex.Unlock()
}

func TestConnectionsForOtherUses(t *testing.T) {
	to := serve(t, "127.0.0.1")
	store := openStore(t, Settings{Embedded: read(t, "manifest.json")})
	connection, err := store.Dial(context.Background(), "tcp", to.address, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if _, err := connection.Write([]byte("abc\n")); err != nil {
		t.Fatal(err)
	}
	// The answer is waiting when the update comes, or comes later.
	if _, err := store.Update(read(t, "denial.json")); err != nil {
		t.Fatal(err)
	}
	var refused *Refused
	if count, err := connection.Read(make([]byte, 4)); count != 0 || !errors.As(err, &refused) {
		t.Fatal(count, err)
	}
	if _, err := connection.Write([]byte("late\n")); !errors.As(err, &refused) || refused.Decision.Reason != "denied-key" {
		t.Fatal(err)
	}
	if received := <-to.received; received != "abc\n" {
		t.Fatal(received)
	}
}

func TestOpenConnectionsOfAClosedStore(t *testing.T) {
	to := serve(t, "127.0.0.1")
	store := openStore(t, Settings{NotPinnedWithoutManifest: true})
	connection, err := store.Dial(context.Background(), "tcp", to.address, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	store.Close()
	if received := <-to.received; received != "" {
		t.Fatal(received)
	}
	var refused *Refused
	if _, err := connection.Write([]byte("late\n")); !errors.As(err, &refused) || refused.Decision.Reason != "argument" {
		t.Fatal(err)
	}
}
