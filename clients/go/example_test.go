package pintle_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	pintle "example.org/pintle/clients/go"
)

// An impostor has a valid certificate for the host, by an authority that the client trusts, but another key.
func Example() {
	shipped := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("../../Tests/Fixtures/transports", name))
		if err != nil {
			log.Fatal(err)
		}
		return data
	}
	impostor := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		fmt.Println("the impostor reads", request.URL)
	}))
	pair, err := tls.X509KeyPair(shipped("127.0.0.1/chain.pem"), shipped("127.0.0.1/key.pem"))
	if err != nil {
		log.Fatal(err)
	}
	impostor.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	impostor.StartTLS()
	defer impostor.Close()

	store, err := pintle.Open(pintle.Settings{
		Keyset: shipped("1.keyset.json"), Audience: "test", Embedded: shipped("newer.json"),
		Anchors: [][]byte{shipped("root.pem")}})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	client := &http.Client{Transport: store.Transport(nil)}
	_, err = client.Get(impostor.URL + "/secret")
	var refused *pintle.Refused
	if errors.As(err, &refused) {
		fmt.Println(refused.Decision.Verdict, refused.Decision.Reason, refused.Decision.Entry)
	}
	// Output: block mismatch 127.0.0.1
}
