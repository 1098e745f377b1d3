// Package pintle asks libpintle about TLS connections.
//
// One file without dependencies: a program can take it as it is. cgo finds header and library by pkg-config or by
// CGO_CFLAGS and CGO_LDFLAGS.
package pintle

// #cgo LDFLAGS: -lpintle
// #include <pintle.h>
// #include <stdlib.h>
import "C"

import (
	"crypto/tls"
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

// Store holds the manifest in force. Its methods may be called by any goroutine, but none together with Close.
type Store struct{ pointer *C.pintle_store }

// Settings are what a store is told when it is opened; see pintle_settings in pintle.h.
type Settings struct {
	Signers   [][]byte // public keys, PEM or DER
	Threshold int
	Audience  string
	Directory string   // may be empty
	Anchors   [][]byte // PEM or DER; none: the system's
	// SkipRecentChains takes updates that would block a chain that was allowed lately.
	SkipRecentChains bool
}

// Error is why the library refused something.
type Error struct{ Code, Message string }

func (e *Error) Error() string { return e.Message + " (" + e.Code + ")" }

// Refused is why a connection must not be used.
type Refused struct{ Verdict, Reason, Message string }

func (r *Refused) Error() string { return r.Message }

// Decision is how an answer came about.
type Decision struct {
	Verdict, Reason, Entry, Message string
	Events                          uint32
	UseCredential                   bool
}

// memory is C's, since a structure that C reads must not hold pointers to Go's.
type memory struct{ blocks []unsafe.Pointer }

func (m *memory) free() {
	for _, block := range m.blocks {
		C.free(block)
	}
}

func (m *memory) text(text string) *C.char {
	if text == "" {
		return nil
	}
	copied := C.CString(text)
	m.blocks = append(m.blocks, unsafe.Pointer(copied))
	return copied
}

func (m *memory) list(items [][]byte) *C.pintle_bytes {
	if len(items) == 0 {
		return nil
	}
	block := C.calloc(C.size_t(len(items)), C.sizeof_pintle_bytes)
	m.blocks = append(m.blocks, block)
	list := unsafe.Slice((*C.pintle_bytes)(block), len(items))
	for index, item := range items {
		data := C.CBytes(item)
		m.blocks = append(m.blocks, data)
		list[index] = C.pintle_bytes{data: data, size: C.size_t(len(item))}
	}
	return &list[0]
}

func failure(err *C.pintle_error) error {
	return &Error{Code: C.GoString(&err.code[0]), Message: C.GoString(&err.message[0])}
}

// Open opens a store.
func Open(settings Settings) (*Store, error) {
	var m memory
	defer m.free()
	given := C.pintle_settings{
		size:                 C.sizeof_pintle_settings,
		signers:              m.list(settings.Signers),
		signer_count:         C.size_t(len(settings.Signers)),
		threshold:            C.uint32_t(settings.Threshold),
		audience:             m.text(settings.Audience),
		directory:            m.text(settings.Directory),
		anchors:              m.list(settings.Anchors),
		anchor_count:         C.size_t(len(settings.Anchors)),
		maximum_loss_percent: 30,
	}
	if settings.SkipRecentChains {
		given.skip_recent_chains = 1
	}
	var store Store
	var err C.pintle_error
	if C.pintle_store_open(&given, &store.pointer, &err) < 0 {
		return nil, failure(&err)
	}
	return &store, nil
}

// Close frees the store.
func (s *Store) Close() {
	C.pintle_store_close(s.pointer)
	s.pointer = nil
}

// Update takes a newer manifest; false where it is in force already.
func (s *Store) Update(manifest []byte) (bool, error) {
	if len(manifest) == 0 {
		return false, errors.New("an empty manifest")
	}
	var err C.pintle_error
	status := C.pintle_store_update(s.pointer, unsafe.Pointer(&manifest[0]), C.size_t(len(manifest)), &err)
	runtime.KeepAlive(manifest)
	if status < 0 {
		return false, failure(&err)
	}
	return status == C.PINTLE_OK, nil
}

// Evaluate asks about a server's certificates, in DER, its own first.
func (s *Store) Evaluate(host string, port uint16, version uint16, certificates [][]byte) Decision {
	var m memory
	defer m.free()
	peer := C.pintle_peer{
		size:              C.sizeof_pintle_peer,
		role:              C.PINTLE_PEER_SERVER,
		validation:        C.PINTLE_VALIDATION_REPLACED,
		host:              m.text(host),
		port:              C.uint16_t(port),
		tls_version:       C.uint16_t(version),
		certificates:      m.list(certificates),
		certificate_count: C.size_t(len(certificates)),
		at:                C.PINTLE_NOW,
	}
	var made *C.pintle_decision
	disposition := C.pintle_store_evaluate(s.pointer, &peer, &made)
	defer C.pintle_decision_free(made)
	verdict := map[C.int32_t]string{C.PINTLE_ALLOW: "allow", C.PINTLE_NOT_PINNED: "notPinned"}[made.verdict]
	if verdict == "" {
		verdict = "block"
	}
	decision := Decision{
		Verdict:       verdict,
		Reason:        C.GoString(made.reason),
		Message:       C.GoString(made.message),
		Events:        uint32(made.events),
		UseCredential: disposition == C.PINTLE_USE_CREDENTIAL,
	}
	if made.entry != nil {
		decision.Entry = C.GoString(made.entry)
	}
	return decision
}

// Config is a copy of a configuration for connections to one host, decided by the store in the place of Go's own
// verification: anchors and names are the store's affair. Resumed sessions are asked about too, since VerifyConnection
// runs for each connection; VerifyPeerCertificate does not.
func (s *Store) Config(base *tls.Config, host string, port uint16) *tls.Config {
	config := base.Clone()
	config.ServerName = host
	config.InsecureSkipVerify = true // #nosec G402: VerifyConnection does all of it
	config.VerifyConnection = func(state tls.ConnectionState) error {
		certificates := make([][]byte, 0, len(state.PeerCertificates))
		for _, certificate := range state.PeerCertificates {
			certificates = append(certificates, certificate.Raw)
		}
		decision := s.Evaluate(host, port, state.Version, certificates)
		if !decision.UseCredential {
			return &Refused{Verdict: decision.Verdict, Reason: decision.Reason, Message: decision.Message}
		}
		return nil
	}
	return config
}

// Version of the library, such as 0.1.0.
func Version() string {
	number := uint32(C.pintle_version())
	return fmt.Sprintf("%d.%d.%d", number>>16, number>>8&255, number&255)
}
