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
	"fmt"
	"unsafe"
)

// Store holds the manifest in force and the keyset that it is taken by. Its methods may be called by any goroutine, but
// none together with Close.
type Store struct{ pointer *C.pintle_store }

// Settings of a store that is opened; see pintle_settings in pintle.h.
type Settings struct {
	Keyset    []byte   // the keyset that was shipped; or else:
	Signers   [][]byte // public keys, PEM or DER
	Threshold int      // how many of them are needed
	Audience  string
	Directory string   // may be empty
	Embedded  []byte   // the manifest that was shipped; may be empty
	Anchors   [][]byte // PEM or DER; none: the system's
	// SkipRecentChains takes updates that would block a chain that was allowed lately.
	SkipRecentChains bool
}

// Error is why the library refused something.
type Error struct{ Code, Message string }

func (e *Error) Error() string { return e.Message + " (" + e.Code + ")" }

// Status is the state of a store; times are in seconds since 1970.
type Status struct {
	Serial, HighestSerial                int64
	Issued, RefreshAfter, Expires, Now   int64
	EntryCount                           uint64
	KeysetVersion, KeysetExpires         int64 // 0 without a keyset
	IsStale, IsKeysetExpired, IsEndorsed bool
}

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

// bytes are null if they are nil; an empty file isn't null.
func (m *memory) bytes(bytes []byte) C.pintle_bytes {
	if bytes == nil {
		return C.pintle_bytes{}
	}
	data := C.CBytes(bytes)
	m.blocks = append(m.blocks, data)
	return C.pintle_bytes{data: data, size: C.size_t(len(bytes))}
}

func (m *memory) list(items [][]byte) *C.pintle_bytes {
	if len(items) == 0 {
		return nil
	}
	block := C.calloc(C.size_t(len(items)), C.sizeof_pintle_bytes)
	m.blocks = append(m.blocks, block)
	list := unsafe.Slice((*C.pintle_bytes)(block), len(items))
	for index, item := range items {
		list[index] = m.bytes(item)
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
		embedded:             m.bytes(settings.Embedded),
		keyset:               m.bytes(settings.Keyset),
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

// Problems says what was found wrong when the store was opened, to be logged.
func (s *Store) Problems() []Error {
	var problems []Error
	var problem C.pintle_error
	for C.pintle_store_problem(s.pointer, C.size_t(len(problems)), &problem) == C.PINTLE_OK {
		problems = append(problems, Error{C.GoString(&problem.code[0]), C.GoString(&problem.message[0])})
	}
	return problems
}

// Update takes a newer manifest; false where it is in force already.
func (s *Store) Update(manifest []byte) (bool, error) {
	var err C.pintle_error
	return updated(C.pintle_store_update(s.pointer, data(manifest), C.size_t(len(manifest)), &err), &err)
}

// UpdateKeyset takes the next keyset; false where it is in force already.
func (s *Store) UpdateKeyset(keyset []byte) (bool, error) {
	var err C.pintle_error
	return updated(C.pintle_store_update_keyset(s.pointer, data(keyset), C.size_t(len(keyset)), &err), &err)
}

// UpdateKeysetFolder takes N+1.keyset.json, N+2.keyset.json and so on from a folder; false where there is none.
func (s *Store) UpdateKeysetFolder(path string) (bool, error) {
	var m memory
	defer m.free()
	var err C.pintle_error
	return updated(C.pintle_store_update_keyset_folder(s.pointer, m.text(path), &err), &err)
}

// Maintain must be called regularly, for example every ten minutes, if there is a directory.
func (s *Store) Maintain() error {
	var err C.pintle_error
	_, failed := updated(C.pintle_store_maintain(s.pointer, &err), &err)
	return failed
}

// Status tells the state of the store.
func (s *Store) Status() Status {
	status := C.pintle_status{size: C.sizeof_pintle_status}
	C.pintle_store_status(s.pointer, &status)
	return Status{
		Serial: int64(status.serial), HighestSerial: int64(status.highest_serial),
		Issued: int64(status.issued), RefreshAfter: int64(status.refresh_after), Expires: int64(status.expires),
		Now: int64(status.now), EntryCount: uint64(status.entry_count),
		KeysetVersion: int64(status.keyset_version), KeysetExpires: int64(status.keyset_expires),
		IsStale:         status.freshness == C.PINTLE_FRESHNESS_STALE,
		IsKeysetExpired: status.keyset_expired != 0, IsEndorsed: status.endorsed != 0,
	}
}

// data points to bytes for the time of one call; to something in any case, as none at all are a file that is empty.
func data(bytes []byte) unsafe.Pointer {
	if len(bytes) == 0 {
		return unsafe.Pointer(&[1]byte{})
	}
	return unsafe.Pointer(&bytes[0])
}

func updated(status C.int, err *C.pintle_error) (bool, error) {
	if status < 0 {
		return false, failure(err)
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

// Version of the library, such as 0.2.0.
func Version() string {
	number := uint32(C.pintle_version())
	return fmt.Sprintf("%d.%d.%d", number>>16, number>>8&255, number&255)
}
