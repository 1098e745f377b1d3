// Real TLS connections from Go's crypto/tls, decided by libpintle through cgo. Run by Scripts/check-libpintle.
package main

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"

	"example.org/pintle/pintle"
)

type row struct {
	Host, Verdict, Reason, Disposition, Address string
	Port                                        uint16
}

var fixtures = os.Args[1]

func read(name string) []byte {
	data, err := os.ReadFile(filepath.Join(fixtures, name))
	if err != nil {
		log.Fatal(err)
	}
	return data
}

// try connects, sends a line and reads the answer, where the store lets it.
func try(store *pintle.Store, row row, base *tls.Config) (resumed bool, err error) {
	address := net.JoinHostPort(row.Address, fmt.Sprint(row.Port))
	connection, err := tls.Dial("tcp", address, store.Config(base, row.Host, row.Port))
	if err != nil {
		return false, err
	}
	defer connection.Close()
	if _, err := connection.Write([]byte("abc\n")); err != nil {
		return false, err
	}
	answer, err := bufio.NewReader(connection).ReadString('\n')
	if err == nil && strings.TrimSpace(answer) != "cba" {
		err = fmt.Errorf("the server answered %q", answer)
	}
	return connection.ConnectionState().DidResume, err
}

var keysets = os.Getenv("PINTLE_KEYSETS")

func readKeyset(version int) []byte {
	data, err := os.ReadFile(filepath.Join(keysets, fmt.Sprintf("%d.keyset.json", version)))
	if err != nil {
		log.Fatal(err)
	}
	return data
}

// checkKeysets hands them over in each way.
func checkKeysets() {
	expect := func(what string, isNew bool, err error, wanted bool, code string) {
		var refused *pintle.Error
		if isNew != wanted || (code == "") != (err == nil) || (errors.As(err, &refused) && refused.Code != code) {
			log.Fatal(what, ": ", isNew, " ", err)
		}
	}
	settings := pintle.Settings{Keyset: readKeyset(1), Audience: "test"}
	store, err := pintle.Open(settings)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	isNew, err := store.UpdateKeyset(readKeyset(3))
	expect("the third", isNew, err, false, "skipped-version")
	isNew, err = store.UpdateKeyset(nil)
	expect("nothing", isNew, err, false, "malformed-file")
	isNew, err = store.UpdateKeyset(readKeyset(2))
	expect("the second", isNew, err, true, "")
	isNew, err = store.UpdateKeysetFolder(keysets)
	expect("the folder", isNew, err, true, "")
	isNew, err = store.UpdateKeysetFolder(keysets)
	expect("the folder again", isNew, err, false, "")
	isNew, err = store.UpdateKeysetFolder("")
	expect("no folder", isNew, err, false, "argument")
	expect("maintaining", false, store.Maintain(), false, "")
	status := store.Status()
	if status.KeysetVersion != 3 || status.KeysetExpires != 4070908800 || status.IsKeysetExpired || !status.IsEndorsed {
		log.Fatalf("the state of the store: %+v", status)
	}
	settings.Keyset = []byte{}
	_, err = pintle.Open(settings)
	expect("an empty file", false, err, false, "malformed-file")
	settings.Keyset, settings.Signers = readKeyset(1), [][]byte{read("release.pub")}
	_, err = pintle.Open(settings)
	expect("signers besides", false, err, false, "argument")
	fixed, err := pintle.Open(pintle.Settings{Signers: [][]byte{read("release.pub")}, Threshold: 1, Audience: "test"})
	if err != nil {
		log.Fatal(err)
	}
	defer fixed.Close()
	isNew, err = fixed.UpdateKeyset(readKeyset(2))
	expect("fixed signers", isNew, err, false, "no-keyset")
}

func main() {
	log.SetFlags(0)
	var rows []row
	if err := json.Unmarshal([]byte(os.Getenv("PINTLE_SERVERS")), &rows); err != nil || len(rows) < 10 {
		log.Fatalf("where are the rows? %v", err)
	}
	checkKeysets()
	store, err := pintle.Open(pintle.Settings{
		Keyset: readKeyset(1), Audience: "test", Embedded: []byte("damaged"), Anchors: [][]byte{read("root.pem")},
		SkipRecentChains: true})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	if problems := store.Problems(); len(problems) != 1 || problems[0].Code != "malformed-file" {
		log.Fatal("the embedded manifest: ", problems)
	}
	if isNew, err := store.Update(read("manifest.json")); err != nil || !isNew {
		log.Fatal("the manifest: ", err)
	}
	var failure *pintle.Error
	if _, err := store.Update([]byte("{}")); !errors.As(err, &failure) || failure.Code != "malformed-file" {
		log.Fatal("an update that is no manifest: ", err)
	}
	failures := 0
	complain := func(words ...any) { failures++; log.Println(words...) }
	for _, row := range rows {
		_, err := try(store, row, &tls.Config{})
		var refused *pintle.Refused
		switch {
		case errors.As(err, &refused):
			if row.Disposition != "cancel" || refused.Verdict != row.Verdict || refused.Reason != row.Reason {
				complain(row.Host, refused.Verdict, refused.Reason, err)
			}
		case err != nil || row.Disposition != "useCredential":
			complain(row.Host, "is to be", row.Disposition, err)
		}
	}

	// A session of an allowed host is resumed, and asked about again: after an update it is refused.
	base := &tls.Config{ClientSessionCache: tls.NewLRUClientSessionCache(8)}
	if _, err := try(store, rows[0], base); err != nil {
		complain("first", err)
	}
	if resumed, err := try(store, rows[0], base); err != nil || !resumed {
		complain("again", resumed, err)
	}
	if _, err := store.Update(read("newer.json")); err != nil {
		complain("the newer manifest", err)
	}
	if status := store.Status(); status.Serial != 2 || status.EntryCount < 8 || status.IsStale || !status.IsEndorsed {
		complain("the state of the store", status)
	}
	var refused *pintle.Refused
	if _, err := try(store, rows[0], base); !errors.As(err, &refused) || refused.Reason != "mismatch" {
		complain("after the update", err)
	}
	if failures > 0 {
		os.Exit(1)
	}
	fmt.Printf("Go: %d servers, each answer as it should be; a resumed session is judged again\n", len(rows))
}
