// The cost of the same work as Pintle's with Go's libraries, on one list of hosts with their pins (Fleets/flat.py).
//
//	peer-go load JSON           verify, decode and index, with encoding/json
//	peer-go compile YAML OUT    read, check, write and sign, with yaml.v3 and encoding/json
package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"sort"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

type host struct {
	Host       string   `json:"host" yaml:"host"`
	Subdomains bool     `json:"include-subdomains" yaml:"include-subdomains"`
	Mode       string   `json:"mode" yaml:"mode"`
	Expires    string   `json:"expires" yaml:"expires"`
	OnExpiry   string   `json:"on-expiry" yaml:"on-expiry"`
	Pins       []string `json:"pins" yaml:"pins"`
	ReportURIs []string `json:"report-uris" yaml:"report-uris"`
}

type fleet struct {
	Version int    `json:"version" yaml:"version"`
	Issued  string `json:"issued" yaml:"issued"`
	Hosts   []host `json:"hosts" yaml:"hosts"`
}

type entry struct {
	subdomains bool
	expires    time.Time
	pins       [][32]byte
}

// A key of no secrecy: it signs what is measured.
var private = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func readPin(text string) (pin [32]byte) {
	decoded := must(base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "sha256/")))
	if len(decoded) != len(pin) {
		log.Fatal("a pin isn't 32 bytes")
	}
	copy(pin[:], decoded)
	return pin
}

func load(file string) {
	content := must(os.ReadFile(file))
	signature := ed25519.Sign(private, content)
	public := private.Public().(ed25519.PublicKey)
	begun := time.Now()
	if !ed25519.Verify(public, content, signature) {
		log.Fatal("the signature isn't valid")
	}
	var read fleet
	if err := json.Unmarshal(content, &read); err != nil {
		log.Fatal(err)
	}
	index := make(map[string]entry, len(read.Hosts))
	for _, one := range read.Hosts {
		pinned := entry{subdomains: one.Subdomains, expires: must(time.Parse(time.RFC3339, one.Expires))}
		for _, pin := range one.Pins {
			pinned.pins = append(pinned.pins, readPin(pin))
		}
		index[one.Host] = pinned
	}
	fmt.Printf("load %d ns\n", time.Since(begun).Nanoseconds())
	if len(index) == 0 {
		log.Fatal("nothing was loaded")
	}
}

func compile(file, out string) {
	var read fleet
	if err := yaml.Unmarshal(must(os.ReadFile(file)), &read); err != nil {
		log.Fatal(err)
	}
	sort.Slice(read.Hosts, func(left, right int) bool { return read.Hosts[left].Host < read.Hosts[right].Host })
	for number, one := range read.Hosts {
		if number > 0 && read.Hosts[number-1].Host == one.Host {
			log.Fatalf("%s stands twice", one.Host)
		}
		must(time.Parse(time.RFC3339, one.Expires))
		if len(one.Pins) < 2 {
			log.Fatalf("%s has no backup", one.Host)
		}
		for _, pin := range one.Pins {
			readPin(pin)
		}
	}
	content := must(json.Marshal(read))
	signature := base64.StdEncoding.EncodeToString(ed25519.Sign(private, content))
	signed := must(json.Marshal(map[string]any{"sig": signature, "signed": json.RawMessage(content)}))
	if err := os.WriteFile(out, signed, 0o644); err != nil {
		log.Fatal(err)
	}
}

func main() {
	log.SetFlags(0)
	switch {
	case len(os.Args) == 3 && os.Args[1] == "load":
		load(os.Args[2])
	case len(os.Args) == 4 && os.Args[1] == "compile":
		compile(os.Args[2], os.Args[3])
	default:
		log.Fatal("usage: peer-go load JSON | peer-go compile YAML OUT")
	}
}
