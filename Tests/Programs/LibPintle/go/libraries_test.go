// Package libraries tests the lines of clients/go/README.md for libraries other than Go's own, with Debian's sources of
// them: Scripts/check/libpintle builds it without modules.
package libraries

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pintle "example.org/pintle/clients/go"
	"github.com/gorilla/websocket"
	"github.com/lib/pq"
	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
)

func read(t *testing.T, name string) []byte {
	data, err := os.ReadFile(filepath.Join(os.Getenv("PINTLE_FIXTURES"), name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// open opens a store under which the server of these tests is genuine, or an impostor: its key isn't in the manifest.
func open(t *testing.T, manifest string) *pintle.Store {
	store, err := pintle.Open(pintle.Settings{
		Keyset: read(t, "1.keyset.json"), Audience: "test", Embedded: read(t, manifest), Anchors: [][]byte{read(t, "root.pem")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

func certificates(t *testing.T) *tls.Config {
	pair, err := tls.X509KeyPair(read(t, "127.0.0.1/chain.pem"), read(t, "127.0.0.1/key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}}
}

var manifests = map[string]bool{"manifest.json": true, "newer.json": false}

func TestGorillaWebSocket(t *testing.T) {
	for manifest, isGenuine := range manifests {
		requests := 0
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests++
			connection, err := new(websocket.Upgrader).Upgrade(w, r, nil)
			if err != nil {
				return
			}
			defer connection.Close()
			kind, data, _ := connection.ReadMessage()
			connection.WriteMessage(kind, data)
		}))
		server.TLS = certificates(t)
		server.StartTLS()
		store := open(t, manifest)
		dialer := websocket.Dialer{NetDialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return store.Dial(ctx, network, address, nil)
		}}
		connection, _, err := dialer.Dial("wss"+server.URL[len("https"):], nil)
		var refused *pintle.Refused
		if isGenuine {
			if err != nil {
				t.Fatal(err)
			}
			connection.WriteMessage(websocket.TextMessage, []byte("hello"))
			if _, data, err := connection.ReadMessage(); err != nil || string(data) != "hello" {
				t.Error(string(data), err)
			}
			connection.Close()
		} else if !errors.As(err, &refused) || requests != 0 {
			t.Error(requests, " requests: ", err)
		}
		server.Close()
	}
}

// What http2.ConfigureTransport sets gives requests to the connections of its own http.Transport, which aren't pinned:
// here one to an impostor, while pinned connections reach the genuine server.
func TestConfigureTransport(t *testing.T) {
	requests := make([]int, 2)
	var servers []*httptest.Server
	for index := range requests {
		index := index
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { requests[index]++ }))
		server.TLS, server.EnableHTTP2 = certificates(t), true
		server.StartTLS()
		defer server.Close()
		servers = append(servers, server)
	}
	reached := servers[0]
	base := &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, reached.Listener.Addr().String())
		}}
	if err := http2.ConfigureTransport(base); err != nil {
		t.Fatal(err)
	}
	pinned := open(t, "manifest.json").Transport(base)
	defer pinned.CloseIdleConnections()
	defer base.CloseIdleConnections()
	for index, transport := range []http.RoundTripper{base, pinned} {
		reached = servers[index]
		response, err := (&http.Client{Transport: transport}).Get("https://127.0.0.1/")
		if err != nil {
			t.Fatal(index, err)
		}
		response.Body.Close()
		if response.ProtoMajor != 2 {
			t.Error(index, response.Proto)
		}
	}
	if requests[0] != 1 || requests[1] != 1 {
		t.Error("requests to the impostor and the genuine server: ", requests)
	}
}

func TestGRPC(t *testing.T) {
	for manifest, isGenuine := range manifests {
		calls := 0
		server := grpc.NewServer(grpc.Creds(credentials.NewTLS(certificates(t))), grpc.UnaryInterceptor(
			func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
				calls++
				return handle(ctx, request)
			}))
		grpc_health_v1.RegisterHealthServer(server, health.NewServer())
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go server.Serve(listener)
		store := open(t, manifest)
		connection, err := grpc.Dial(listener.Addr().String(), grpc.WithInsecure(),
			grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
				return store.Dial(ctx, "tcp", address, &tls.Config{NextProtos: []string{"h2"}})
			}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = grpc_health_v1.NewHealthClient(connection).Check(context.Background(), new(grpc_health_v1.HealthCheckRequest))
		connection.Close()
		server.Stop()
		if isGenuine && (err != nil || calls != 1) {
			t.Error(calls, err)
		} else if !isGenuine && (err == nil || calls != 0 || !strings.Contains(err.Error(), "required: ")) {
			t.Error("the impostor: ", calls, err)
		}
	}
}

// upgrader is the dialer for PostgreSQL's drivers, which use TLS only by a tls.Config of their own.
type upgrader struct{ store *pintle.Store }

func (u upgrader) Dial(network, address string) (net.Conn, error) {
	return u.DialContext(context.Background(), network, address)
}

func (u upgrader) DialTimeout(network, address string, limit time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return u.DialContext(ctx, network, address)
}

func (u upgrader) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	plain, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	answer := make([]byte, 1)
	if _, err = plain.Write([]byte{0, 0, 0, 8, 4, 210, 22, 47}); err == nil { // SSLRequest
		_, err = io.ReadFull(plain, answer)
	}
	if err == nil && answer[0] != 'S' {
		err = errors.New("the server has no TLS")
	}
	if err != nil {
		plain.Close()
		return nil, err
	}
	return u.store.Client(ctx, plain, "127.0.0.1", 5432, nil)
}

func TestPostgreSQL(t *testing.T) {
	for manifest, isGenuine := range manifests {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		received := make(chan int, 8)
		go func() {
			for {
				plain, err := listener.Accept()
				if err != nil {
					return
				}
				io.ReadFull(plain, make([]byte, 8))
				plain.Write([]byte("S"))
				connection := tls.Server(plain, certificates(t))
				count, _ := bufio.NewReader(connection).Read(make([]byte, 4096)) // the startup message
				connection.Close()
				received <- count
			}
		}()
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		connection, err := pq.DialOpen(upgrader{open(t, manifest)}, "host=127.0.0.1 user=a dbname=b sslmode=disable port="+port)
		if err == nil {
			connection.Close()
		}
		var refused *pintle.Refused
		if errors.As(err, &refused) == isGenuine {
			t.Error(err)
		}
		if count := <-received; count > 0 != isGenuine {
			t.Error(count, " bytes")
		}
		listener.Close()
	}
}
