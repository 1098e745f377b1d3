// Package pintle asks libpintle about TLS connections: TLS public-key pinning from a signed manifest.
//
// A Store holds the manifest in force. Store.Transport, Store.Dial and Store.Client make connections that carry no data
// unless the store allows them. A Fetcher brings newer files. cgo finds header and library by pkg-config, or by
// CGO_CFLAGS and CGO_LDFLAGS.
package pintle

// #cgo LDFLAGS: -lpintle
// #include <pintle.h>
// extern int64_t pintleGoClock(void *context);
// static void set_clock(pintle_settings *settings, uintptr_t handle) {
//   settings->clock = pintleGoClock;
//   settings->clock_context = (void *)handle;
// }
import "C"

import (
	"fmt"
	"runtime/cgo"
	"sync"
	"time"
)

// Store holds the manifest in force and the keyset that it is taken by. Its methods may be called by any goroutine.
type Store struct {
	pointer *C.pintle_store
	clock   cgo.Handle
	// Close waits for the calls that are under way.
	calls sync.RWMutex
	// The open connections of Transport, Dial and Client: *guard. They leave it when they are closed.
	guards sync.Map
}

// Settings of a store that is opened; see pintle_settings in pintle.h.
type Settings struct {
	Keyset    []byte   // the keyset that was shipped; or else:
	Signers   [][]byte // public keys, PEM or DER
	Threshold int      // how many of them are needed
	Audience  string
	Directory string   // may be empty
	Embedded  []byte   // the manifest that was shipped; may be empty
	Anchors   [][]byte // PEM or DER; none: the system's
	// SystemAnchors adds the system's to Anchors.
	SystemAnchors bool
	// NotPinnedWithoutManifest treats hosts as not pinned as long as there is no manifest; else all are blocked.
	NotPinnedWithoutManifest bool
	// MaximumLossPercent of the pinned entries may be removed by one update; nil: 30.
	MaximumLossPercent *int
	// SkipRecentChains takes updates that would block a chain that was allowed lately.
	SkipRecentChains bool
	RecentPeriod     time.Duration // how long a chain counts as allowed lately; 0: a day
	MaximumBytes     uint64        // of a manifest; 0: 64 MiB
	Clock            func() time.Time
}

// Error is why the library rejected something.
type Error struct{ Code, Message string }

func (e *Error) Error() string { return e.Message + " (" + e.Code + ")" }

// Status is the state of a store; times are in seconds since 1970.
type Status struct {
	Source, Freshness                    string
	Serial, HighestSerial                int64
	Issued, RefreshAfter, Expires, Now   int64
	EntryCount                           uint64
	KeysetVersion, KeysetExpires         int64 // 0 without a keyset
	IsStale, IsKeysetExpired, IsEndorsed bool
}

var (
	sources     = []string{"none", "embedded", "stored", "update"}
	freshnesses = []string{"none", "fresh", "refresh-due", "stale"}
)

// name of a value; the first one if this package doesn't know it, as pintle.h demands.
func name(names []string, value int64) string {
	if value < 0 || value >= int64(len(names)) {
		value = 0
	}
	return names[value]
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
		directory:            m.path(settings.Directory),
		embedded:             m.bytes(settings.Embedded),
		keyset:               m.bytes(settings.Keyset),
		anchors:              m.list(settings.Anchors),
		anchor_count:         C.size_t(len(settings.Anchors)),
		system_anchors:       flag(settings.SystemAnchors),
		without_manifest:     flag(settings.NotPinnedWithoutManifest),
		skip_recent_chains:   flag(settings.SkipRecentChains),
		maximum_loss_percent: 30,
		recent_period:        C.int64_t(settings.RecentPeriod / time.Second),
		maximum_bytes:        C.uint64_t(settings.MaximumBytes),
	}
	if settings.MaximumLossPercent != nil {
		given.maximum_loss_percent = C.uint32_t(*settings.MaximumLossPercent)
	}
	store := new(Store)
	if settings.Clock != nil {
		store.clock = cgo.NewHandle(settings.Clock)
		C.set_clock(&given, C.uintptr_t(store.clock))
	}
	var err C.pintle_error
	if C.pintle_store_open(&given, &store.pointer, &err) < 0 {
		store.Close()
		return nil, failure(&err)
	}
	return store, nil
}

func flag(value bool) C.uint32_t {
	if value {
		return 1
	}
	return 0
}

// Close frees the store; each later question is answered with a refusal. It closes the connections of Transport, Dial
// and Client.
func (s *Store) Close() {
	defer s.checkConnections(false)
	s.calls.Lock()
	defer s.calls.Unlock()
	C.pintle_store_close(s.pointer)
	s.pointer = nil
	if s.clock != 0 {
		s.clock.Delete()
		s.clock = 0
	}
}

// Problems says what was found wrong when the store was opened, to be logged.
func (s *Store) Problems() []Error {
	s.calls.RLock()
	defer s.calls.RUnlock()
	var problems []Error
	var problem C.pintle_error
	for C.pintle_store_problem(s.pointer, C.size_t(len(problems)), &problem) == C.PINTLE_OK {
		problems = append(problems, Error{C.GoString(&problem.code[0]), C.GoString(&problem.message[0])})
	}
	return problems
}

// Update takes a newer manifest; false if it is in force already. Once it has returned, no connection of Transport,
// Dial and Client that the manifest blocks is open.
func (s *Store) Update(manifest []byte) (bool, error) {
	return s.update(false, func(err *C.pintle_error) C.int {
		return C.pintle_store_update(s.pointer, data(manifest), C.size_t(len(manifest)), err)
	})
}

// UpdateKeyset takes the next keyset; false if it is in force already.
func (s *Store) UpdateKeyset(keyset []byte) (bool, error) {
	return s.update(false, func(err *C.pintle_error) C.int {
		return C.pintle_store_update_keyset(s.pointer, data(keyset), C.size_t(len(keyset)), err)
	})
}

// UpdateKeysetFolder takes N+1.keyset.json, N+2.keyset.json and so on from a folder; false if there is none.
func (s *Store) UpdateKeysetFolder(path string) (bool, error) {
	var m memory
	defer m.free()
	return s.update(false, func(err *C.pintle_error) C.int {
		return C.pintle_store_update_keyset_folder(s.pointer, m.path(path), err)
	})
}

// Maintain must be called regularly, for example every ten minutes. It takes what other processes have stored, and
// closes the connections of Transport, Dial and Client that are refused by now, also by an expiry.
func (s *Store) Maintain() error {
	_, err := s.update(true, func(err *C.pintle_error) C.int { return C.pintle_store_maintain(s.pointer, err) })
	return err
}

func (s *Store) update(isMaintenance bool, call func(*C.pintle_error) C.int) (bool, error) {
	// Last, without the lock; also after an error, since the first of several keysets may have been taken.
	defer s.checkConnections(isMaintenance)
	s.calls.RLock()
	defer s.calls.RUnlock()
	var err C.pintle_error
	status := call(&err)
	if status < 0 {
		return false, failure(&err)
	}
	return status == C.PINTLE_OK, nil
}

// release is what decides: the manifest in force, and the keyset; all zero of a store that is closed.
type release struct {
	isOpen                        bool
	serial, issued, keysetVersion int64
}

func (s *Store) release() release {
	s.calls.RLock()
	defer s.calls.RUnlock()
	status := C.pintle_status{size: C.sizeof_pintle_status}
	isOpen := C.pintle_store_status(s.pointer, &status) == C.PINTLE_OK
	return release{isOpen, int64(status.serial), int64(status.issued), int64(status.keyset_version)}
}

// Status says what is in force.
func (s *Store) Status() Status {
	s.calls.RLock()
	defer s.calls.RUnlock()
	status := C.pintle_status{size: C.sizeof_pintle_status}
	C.pintle_store_status(s.pointer, &status)
	return Status{
		Source: name(sources, int64(status.source)), Freshness: name(freshnesses, int64(status.freshness)),
		Serial: int64(status.serial), HighestSerial: int64(status.highest_serial),
		Issued: int64(status.issued), RefreshAfter: int64(status.refresh_after), Expires: int64(status.expires),
		Now: int64(status.now), EntryCount: uint64(status.entry_count),
		KeysetVersion: int64(status.keyset_version), KeysetExpires: int64(status.keyset_expires),
		IsStale:         status.freshness == C.PINTLE_FRESHNESS_STALE,
		IsKeysetExpired: status.keyset_expired != 0, IsEndorsed: status.endorsed != 0,
	}
}

// Version of the library, such as 0.1.0.
func Version() string {
	number := uint32(C.pintle_version())
	return fmt.Sprintf("%d.%d.%d", number>>16, number>>8&255, number&255)
}
