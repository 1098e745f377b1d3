package pintle

// #include <pintle.h>
import "C"

import (
	"time"
	"unsafe"
)

// Peer is what is known of the other side of a handshake.
type Peer struct {
	Host         string // the name or address that the connection is for: ASCII, so A-labels
	Port         uint16
	TLSVersion   uint16   // as crypto/tls writes it; 0 if unknown
	Certificates [][]byte // DER, as they were sent, the peer's own first
	IsClient     bool     // Host is then the manifest's entry for clients
	// ValidationStands means that the caller validates certificates too; else asking takes the place of that.
	ValidationStands bool
	At               time.Time // zero: now
}

// Match is a key of the manifest in the validated chain, and the place of its certificate, from the leaf (0).
type Match struct {
	Key         string
	Certificate int
}

// Failure is what trust evaluation found wrong; Certificate is -1 if it isn't about one certificate.
type Failure struct {
	Code, Message string
	Certificate   int
}

// Key is a key of a chain, or of an entry's key set.
type Key struct {
	Name, Pin   string // the name is empty if the status is "unknown", and the pin if the certificate's key can't be read
	Certificate int    // presented: the place of its certificate, from the leaf (0); required: -1
	Position    string // presented: where it is; required: where it must be; "any", "leaf", "intermediate", "root"
	Status      string // "unknown", "active", "backup", "denied"
}

// Decision is an answer, and how it came about; pintle_decision in pintle.h has the fields' meanings.
type Decision struct {
	Verdict, Disposition, Reason, Message string
	Entry, Clock                          string // empty if there is none
	Step                                  int
	At, Serial                            int64
	Events                                []string
	Matches                               []Match
	Failures                              []Failure
	// Of a refusal because of keys or certificates, and of a mismatch that is only reported: any of the required keys, or
	// one at the leaf and one above it. Message has them too.
	Required, Presented []Key
	RequiresLeafAndCA   bool
	UseCredential       bool // go on: trust was evaluated, and nothing objects
}

var (
	verdicts     = []string{"block", "allow", "notPinned"}
	dispositions = []string{"cancel", "useCredential", "performDefaultHandling"}
	positions    = []string{"any", "leaf", "intermediate", "root"}
	keyStatuses  = []string{"unknown", "active", "backup", "denied"}
)

// readKeys reads the keys of a decision. Older libraries' decisions end before them.
func readKeys(made *C.pintle_decision) (required, presented []Key, requiresLeafAndCA bool) {
	if made.size < C.sizeof_pintle_decision {
		return nil, nil, false
	}
	return keys(made.required, made.required_count), keys(made.presented, made.presented_count),
		made.requires_leaf_and_ca != 0
}

func keys(first *C.pintle_key, count C.size_t) (found []Key) {
	for _, key := range unsafe.Slice(first, count) {
		found = append(found, Key{
			C.GoString(key.name), C.GoString(key.pin), int(key.certificate),
			name(positions, int64(key.position)), name(keyStatuses, int64(key.status))})
	}
	return found
}

// Evaluate asks about a peer. It uses the processor only.
func (s *Store) Evaluate(peer Peer) Decision {
	s.calls.RLock()
	defer s.calls.RUnlock()
	var m memory
	defer m.free()
	given := C.pintle_peer{
		size:              C.sizeof_pintle_peer,
		role:              flag(peer.IsClient),
		validation:        flag(peer.ValidationStands),
		host:              m.text(peer.Host),
		port:              C.uint16_t(peer.Port),
		tls_version:       C.uint16_t(peer.TLSVersion),
		certificates:      m.list(peer.Certificates),
		certificate_count: C.size_t(len(peer.Certificates)),
		at:                C.PINTLE_NOW,
	}
	if !peer.At.IsZero() {
		given.at = C.int64_t(peer.At.Unix())
	}
	var made *C.pintle_decision
	disposition := C.pintle_store_evaluate(s.pointer, &given, &made)
	defer C.pintle_decision_free(made)
	decision := Decision{
		Verdict: name(verdicts, int64(made.verdict)), Disposition: name(dispositions, int64(made.disposition)),
		Reason: C.GoString(made.reason), Message: C.GoString(made.message),
		Entry: C.GoString(made.entry), Clock: C.GoString(made.clock), // empty of a null pointer
		Step: int(made.step), At: int64(made.at), Serial: int64(made.serial),
		UseCredential: disposition == C.PINTLE_USE_CREDENTIAL,
	}
	decision.Required, decision.Presented, decision.RequiresLeafAndCA = readKeys(made)
	for _, event := range unsafe.Slice(made.event_names, made.event_count) {
		decision.Events = append(decision.Events, C.GoString(event))
	}
	for _, match := range unsafe.Slice(made.matches, made.match_count) {
		decision.Matches = append(decision.Matches, Match{C.GoString(match.key), int(match.certificate)})
	}
	for _, found := range unsafe.Slice(made.failures, made.failure_count) {
		decision.Failures = append(
			decision.Failures, Failure{C.GoString(found.code), C.GoString(found.message), int(found.certificate)})
	}
	return decision
}
