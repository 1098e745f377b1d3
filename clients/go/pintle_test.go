package pintle

import (
	"crypto/tls"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestHandshakes(t *testing.T) {
	store := openStore(t, Settings{Embedded: read(t, "manifest.json")})
	for _, row := range cases(t) {
		to := serve(t, row.Host)
		wanted, brought := row.Reason, ""
		if row.Disposition == "useCredential" {
			wanted, brought = "", "abc\n"
		}
		if reason, _ := try(t, store, &tls.Config{}, row.Host, to); reason != wanted {
			t.Errorf("%s: %q, not %q", row.Host, reason, wanted)
		}
		if received := <-to.received; received != brought {
			t.Errorf("%s received %q, not %q", row.Host, received, brought)
		}
	}
}

func TestResumedSessionsAreDecidedOnAgain(t *testing.T) {
	store := openStore(t, Settings{Embedded: read(t, "manifest.json")})
	to, base := serve(t, "allowed.test"), &tls.Config{ClientSessionCache: tls.NewLRUClientSessionCache(8)}
	for _, wanted := range []bool{false, true} {
		if reason, resumed := try(t, store, base, "allowed.test", to); reason != "" || resumed != wanted {
			t.Fatalf("%q, resumed: %v", reason, resumed)
		}
	}
	if isNew, err := store.Update(read(t, "denial.json")); err != nil || !isNew {
		t.Fatal(err)
	}
	if reason, _ := try(t, store, base, "allowed.test", to); reason != "denied-key" {
		t.Fatalf("after the update: %q", reason)
	}
}

func TestAlsoTheProgramsOwnCheck(t *testing.T) {
	store := openStore(t, Settings{Embedded: read(t, "manifest.json")})
	to, mine := serve(t, "allowed.test"), errors.New("mine")
	base := &tls.Config{VerifyConnection: func(tls.ConnectionState) error { return mine }}
	if _, err := connect(store, base, "allowed.test", to); !errors.Is(err, mine) {
		t.Fatal(err)
	}
	if received := <-to.received; received != "" {
		t.Fatal(received)
	}
}

func TestClosedAndWrongUse(t *testing.T) {
	store := openStore(t, Settings{Embedded: []byte("damaged")})
	if problems := store.Problems(); len(problems) != 1 || problems[0].Code != "malformed-file" {
		t.Fatal(problems)
	}
	var failed *Error
	if _, err := store.Update(nil); !errors.As(err, &failed) || failed.Code != "malformed-file" {
		t.Fatal(err)
	}
	if _, err := store.UpdateKeysetFolder(""); !errors.As(err, &failed) || failed.Code != "argument" {
		t.Fatal(err)
	}
	_, err := Open(Settings{Keyset: []byte{}, Audience: "test"})
	if !errors.As(err, &failed) || failed.Code != "malformed-file" {
		t.Fatal(err)
	}
	for _, name := range []string{"example-root-rejected.pem", "api-public.pem"} {
		anchor, err := os.ReadFile(filepath.Join("..", "..", "Tests", "Fixtures", "examples", "keys", name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(Settings{Signers: [][]byte{read(t, "release.pub")}, Threshold: 1, Audience: "test", Anchors: [][]byte{anchor}}); !errors.As(err, &failed) || failed.Code != "unusable-anchor" {
			t.Fatal(name, err)
		}
	}
	store.Close()
	store.Close()
	decision := store.Evaluate(Peer{Host: "off.test", Port: 443})
	if decision.UseCredential || decision.Reason != "argument" {
		t.Fatal(decision)
	}
	if _, err := store.Update(read(t, "manifest.json")); !errors.As(err, &failed) || failed.Code != "argument" {
		t.Fatal(err)
	}
}

// For the race detector: questions, updates and the end of a store side by side.
func TestManyGoroutines(t *testing.T) {
	folder := t.TempDir()
	store := openStore(t, Settings{Embedded: read(t, "manifest.json"), Directory: folder, SkipRecentChains: true})
	to, base := serve(t, "allowed.test"), &tls.Config{}
	var group sync.WaitGroup
	for range [4]int{} {
		group.Add(1)
		go func() {
			defer group.Done()
			for range [8]int{} {
				if reason, _ := try(t, store, base, "allowed.test", to); reason != "" && reason != "denied-key" {
					t.Error(reason)
				}
				<-to.received
				store.Status()
			}
		}()
	}
	if _, err := store.Update(read(t, "denial.json")); err != nil {
		t.Error(err)
	}
	if err := store.Maintain(); err != nil {
		t.Error(err)
	}
	group.Wait()
	for range [4]int{} {
		group.Add(1)
		go func() {
			defer group.Done()
			store.Evaluate(Peer{Host: "allowed.test", Port: 443})
			store.Close()
		}()
	}
	group.Wait()
	stored, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if err != nil || string(stored) != string(read(t, "denial.json")) {
		t.Error("what is stored: ", err)
	}
}

func TestNameWithAZeroByte(t *testing.T) {
	store := openStore(t, Settings{Embedded: read(t, "manifest.json")})
	for _, host := range []string{"off.test\x00.evil.test", "\x00off.test"} {
		if decision := store.Evaluate(Peer{Host: host, Port: 443}); decision.Reason != "invalid-host" {
			t.Fatal(host, decision)
		}
	}
}
