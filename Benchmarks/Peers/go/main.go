// The cost of a build with Go's libraries, on one list of hosts with their pins (Fleets/flat.py): reads, checks, writes
// and signs, with yaml.v3 and encoding/json.
//
//	peer-go YAML OUT
package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
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

// A key of no secrecy: it signs what is measured.
var private = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func checkPin(text string) {
	decoded := must(base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "sha256/")))
	if len(decoded) != 32 {
		log.Fatal("a pin isn't 32 bytes")
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
			checkPin(pin)
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
	if len(os.Args) != 3 {
		log.Fatal("usage: peer-go YAML OUT")
	}
	compile(os.Args[1], os.Args[2])
}
