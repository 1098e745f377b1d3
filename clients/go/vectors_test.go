package pintle

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"testing"
	"time"
)

// The conformance vectors (docs/vectors.md). A vector is a store that is opened with the manifest as the one that was
// shipped, and asked. The C library doesn't say who signed a manifest; everything else is compared unchanged.

const vectors = "../../Tests/Vectors"

type object = map[string]any

// A field that isn't in these types is an error, so that none goes unnoticed.
type vectorFile struct {
	Format             int
	Theme, Kind, About string
	Vectors            []vector
	Manifests, Keysets map[string]vectorContent
}

// The bytes of a manifest or keyset; Base64 is for those that aren't valid UTF-8.
type vectorContent struct {
	Text   *string
	Base64 []byte
}

type vector struct {
	ID, Comment, Section, Manifest, Instant, Transport, WithoutManifest string
	Client                                                              vectorClient
	Anchors                                                             []string
	Handshake                                                           *vectorHandshake
	MaximumBytes                                                        *uint64
	Directory                                                           bool
	MaximumLossPercent                                                  *int
	Steps                                                               []vectorStep
	Expected                                                            object
	ExpectedBy                                                          map[string]object
}

type vectorClient struct {
	Audience, Keyset string
	Signers          []string
	Threshold        int
}

type vectorHandshake struct {
	Peer, Host   string
	Port         uint16
	Certificates []string
	TLSVersion   *string
}

type vectorStep struct {
	Action, At, Manifest, Keyset, Transport string
	Embedded                                *string
	Handshake                               *vectorHandshake
	Expected                                object
}

type vectorInputs struct {
	certificates, signers, manifests, keysets map[string][]byte
}

func strictly(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.DisallowUnknownFields()
	if err := reader.Decode(into); err != nil {
		t.Fatal(path, ": ", err)
	}
}

func readVectors(t *testing.T, path string) vectorFile {
	t.Helper()
	var file vectorFile
	strictly(t, path, &file)
	if file.Format != 1 {
		t.Fatal(path, ": another format")
	}
	return file
}

// contents are the manifests or keysets of files.
func contents(files ...map[string]vectorContent) map[string][]byte {
	found := map[string][]byte{}
	for _, file := range files {
		for name, content := range file {
			found[name] = content.Base64
			if content.Text != nil {
				found[name] = []byte(*content.Text)
			}
		}
	}
	return found
}

func instant(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at
}

func choose[T any](options map[string]T, name string) T {
	found, isKnown := options[name]
	if !isKnown {
		panic("this runner doesn't know " + name)
	}
	return found
}

func (i *vectorInputs) list(from map[string][]byte, names []string) [][]byte {
	var list [][]byte
	for _, name := range names {
		list = append(list, choose(from, name))
	}
	return list
}

func (i *vectorInputs) settings(client vectorClient, anchors []string) Settings {
	settings := Settings{
		Audience: client.Audience, Signers: i.list(i.signers, client.Signers), Threshold: client.Threshold,
		Anchors: i.list(i.certificates, anchors),
	}
	if client.Keyset != "" {
		settings.Keyset = choose(i.keysets, client.Keyset)
	}
	return settings
}

func (i *vectorInputs) ask(store *Store, handshake *vectorHandshake, transport string, at time.Time) object {
	version := uint16(0)
	if handshake.TLSVersion != nil {
		version = choose(map[string]uint16{"1.2": 0x0303, "1.3": 0x0304}, *handshake.TLSVersion)
	}
	return answer(store.Evaluate(Peer{
		Host: handshake.Host, Port: handshake.Port, TLSVersion: version, At: at,
		Certificates:     i.list(i.certificates, handshake.Certificates),
		IsClient:         choose(map[string]bool{"server": false, "client": true}, handshake.Peer),
		ValidationStands: choose(map[string]bool{"replaced": false, "stands": true}, transport),
	}))
}

func empty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// answer is a decision as vectors write it.
func answer(decision Decision) object {
	events := decision.Events
	if events == nil {
		events = []string{}
	}
	result := object{
		"verdict": decision.Verdict, "reason": decision.Reason, "step": decision.Step, "entry": empty(decision.Entry),
		"events": events, "disposition": decision.Disposition,
	}
	if decision.Clock != "" {
		result["clock"] = decision.Clock
	}
	var matches []object
	for _, match := range decision.Matches {
		matches = append(matches, object{"key": match.Key, "certificate": match.Certificate})
	}
	switch decision.Reason {
	case "matched", "denied-key":
		result["match"] = matches[0]
	case "matched-both":
		result["leaf"], result["authority"] = matches[0], matches[1]
	case "mismatch", "mismatch-reported":
		switch {
		case len(matches) == 0:
			result["mismatch"] = "no-key"
		case decision.Matches[0].Certificate == 0:
			result["leaf"], result["mismatch"] = matches[0], "authority-missing"
		default:
			result["authority"], result["mismatch"] = matches[0], "leaf-missing"
		}
	case "unpinned-host":
		result["notPinned"] = "no-entry"
		for _, event := range decision.Events {
			if event == "excluded" {
				result["notPinned"] = "off"
			}
		}
		if decision.Clock != "" {
			result["notPinned"] = "expired"
		}
	default:
		if len(matches) > 0 {
			panic("matches beside " + decision.Reason)
		}
	}
	if len(decision.Failures) > 0 {
		first := decision.Failures[0]
		place := any(first.Certificate)
		if first.Certificate < 0 {
			place = nil
		}
		result["failure"] = object{"code": first.Code, "certificate": place}
	}
	return result
}

func code(err error) string {
	var failed *Error
	if !errors.As(err, &failed) {
		panic(err)
	}
	return failed.Code
}

func (i *vectorInputs) decision(row vector) object {
	settings := i.settings(row.Client, row.Anchors)
	settings.Embedded = choose(i.manifests, row.Manifest)
	store, err := Open(settings)
	if err != nil {
		panic(err)
	}
	defer store.Close()
	if problems := store.Problems(); len(problems) > 0 {
		panic(problems)
	}
	return i.ask(store, row.Handshake, row.Transport, instant(row.Instant))
}

func (i *vectorInputs) load(row vector) object {
	delete(row.Expected, "signedBy")
	settings := i.settings(row.Client, nil)
	settings.Embedded = choose(i.manifests, row.Manifest)
	if row.MaximumBytes != nil {
		settings.MaximumBytes = *row.MaximumBytes
	}
	store, err := Open(settings)
	if err != nil {
		return object{"result": "refused", "error": code(err)}
	}
	defer store.Close()
	if problems := store.Problems(); len(problems) > 0 {
		return object{"result": "refused", "error": problems[0].Code}
	}
	// A store treats an empty embedded manifest like a missing one.
	if store.Status().Source == "none" {
		return object{"result": "refused", "error": "malformed-file"}
	}
	return object{"result": "loaded", "serial": store.Status().Serial}
}

func updated(isNew bool, err error) object {
	if err != nil {
		return object{"result": "refused", "error": code(err)}
	}
	return object{"result": map[bool]string{true: "activated", false: "unchanged"}[isNew]}
}

// store returns the answer of each step.
func (i *vectorInputs) store(t *testing.T, row vector) []object {
	settings, now := i.settings(row.Client, row.Anchors), time.Time{}
	settings.Clock = func() time.Time { return now }
	settings.MaximumLossPercent = row.MaximumLossPercent
	settings.NotPinnedWithoutManifest = choose(map[string]bool{"block": false, "notPinned": true}, row.WithoutManifest)
	if row.Directory {
		settings.Directory = t.TempDir()
	}
	var store *Store
	defer func() { store.Close() }()
	var answers []object
	for _, step := range row.Steps {
		now = instant(step.At)
		var found object
		switch step.Action {
		case "open":
			if store != nil {
				store.Close()
			}
			if step.Keyset != "" {
				settings.Keyset, settings.Signers, settings.Threshold = choose(i.keysets, step.Keyset), nil, 0
			}
			settings.Embedded = nil
			if step.Embedded != nil {
				settings.Embedded = choose(i.manifests, *step.Embedded)
			}
			var err error
			if store, err = Open(settings); err != nil {
				panic(err)
			}
			codes, isThere := []string{}, map[string]bool{}
			for _, problem := range store.Problems() {
				if !isThere[problem.Code] {
					codes, isThere[problem.Code] = append(codes, problem.Code), true
				}
			}
			found = object{"source": store.Status().Source, "problems": codes}
		case "update":
			found = updated(store.Update(choose(i.manifests, step.Manifest)))
		case "update-keyset":
			found = updated(store.UpdateKeyset(choose(i.keysets, step.Keyset)))
		case "decide":
			found = i.ask(store, step.Handshake, step.Transport, time.Time{})
		case "status":
			status := store.Status()
			found = object{
				"source": status.Source, "serial": status.Serial, "highestSerial": status.HighestSerial,
				"freshness": status.Freshness, "now": time.Unix(status.Now, 0).UTC().Format(time.RFC3339),
			}
			if status.KeysetVersion != 0 {
				found["keyset"], found["keysetExpired"] = status.KeysetVersion, status.IsKeysetExpired
				found["endorsed"] = status.IsEndorsed
			}
		default:
			panic("this runner doesn't know the action " + step.Action)
		}
		answers = append(answers, found)
	}
	return answers
}

// same compares as JSON values.
func same(t *testing.T, one, other any) bool {
	values := make([]any, 2)
	for index, value := range []any{one, other} {
		text, err := json.Marshal(value)
		if err == nil {
			err = json.Unmarshal(text, &values[index])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

func TestVectors(t *testing.T) {
	// The system's trust store is empty, so that a vector without anchors has none.
	t.Setenv("SSL_CERT_FILE", os.DevNull)
	t.Setenv("SSL_CERT_DIR", os.DevNull)
	var certificates struct {
		Format       int
		Certificates map[string]struct{ DER, SHA256 string }
	}
	var signers struct {
		Format  int
		Signers map[string]string
	}
	strictly(t, filepath.Join(vectors, "certificates.json"), &certificates)
	strictly(t, filepath.Join(vectors, "signers.json"), &signers)
	inputs := vectorInputs{certificates: map[string][]byte{}, signers: map[string][]byte{}}
	decode := func(into map[string][]byte, name, text string) {
		decoded, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(name, ": ", err)
		}
		into[name] = decoded
	}
	for name, value := range certificates.Certificates {
		decode(inputs.certificates, name, value.DER)
	}
	for name, value := range signers.Signers {
		decode(inputs.signers, name, value)
	}
	shared := readVectors(t, filepath.Join(vectors, "shared.json"))
	paths, _ := filepath.Glob(filepath.Join(vectors, "*.json"))
	sort.Strings(paths)
	count := 0
	for _, path := range paths {
		if base := filepath.Base(path); base == "certificates.json" || base == "signers.json" || base == "shared.json" {
			continue
		}
		themes := readVectors(t, path)
		inputs.manifests = contents(shared.Manifests, themes.Manifests)
		inputs.keysets = contents(shared.Keysets, themes.Keysets)
		for _, row := range themes.Vectors {
			var found, expected any
			switch themes.Kind {
			case "decision":
				found, expected = inputs.decision(row), row.Expected
				// Go doesn't say which libcrypto libpintle uses; without the variable, it is 3.0.
				if other, differs := row.ExpectedBy[os.Getenv("PINTLE_CLIENT")]; differs {
					expected = other
				}
			case "load":
				found, expected = inputs.load(row), row.Expected
			case "store":
				steps := []object{}
				for _, step := range row.Steps {
					steps = append(steps, step.Expected)
				}
				found, expected = inputs.store(t, row), steps
			default:
				t.Fatal("this runner doesn't know the kind ", themes.Kind)
			}
			count++
			if !same(t, found, expected) {
				t.Errorf("%s/%s:\n  expected %v\n  found    %v", themes.Theme, row.ID, expected, found)
			}
		}
	}
	if count < 1500 {
		t.Error("where are the vectors? ", count)
	}
	fmt.Printf("%d vectors from Go, by the C library %s\n", count, Version())
}
