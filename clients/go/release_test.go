package pintle

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"
)

// authority is a root that certifies keys of 127.0.0.1, to be the anchor of a store.
type authority struct {
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (a *authority) certify(t testing.TB, template x509.Certificate, key *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	template.NotBefore = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	template.NotAfter = time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
	if a.certificate == nil {
		a.certificate = &template
	}
	made, err := x509.CreateCertificate(rand.Reader, &template, a.certificate, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(made)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

func newAuthority(t testing.TB) *authority {
	a := &authority{key: newKey(t)}
	a.certificate = a.certify(t, x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "root"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign}, a.key)
	return a
}

// server is a certificate for 127.0.0.1 with a new key, and the pin of that.
func (a *authority) server(t testing.TB) (pair tls.Certificate, pin string) {
	key := newKey(t)
	certificate := a.certify(t, x509.Certificate{
		SerialNumber: big.NewInt(2), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, key)
	digest := sha256.Sum256(certificate.RawSubjectPublicKeyInfo)
	return tls.Certificate{Certificate: [][]byte{certificate.Raw}, PrivateKey: key},
		base64.StdEncoding.EncodeToString(digest[:])
}

func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// releaseOf is manifest.json with another serial and other content, signed again: pairs of what is replaced, and by
// what.
func releaseOf(t testing.TB, serial int, replaced ...string) []byte {
	t.Helper()
	text := string(read(t, "manifest.json"))
	signed := text[strings.Index(text, `"signed":`)+len(`"signed":`) : len(text)-1]
	replaced = append(replaced, `"serial":1,`, fmt.Sprintf(`"serial":%d,`, serial))
	for index := 0; index < len(replaced); index += 2 {
		if strings.Count(signed, replaced[index]) != 1 {
			t.Fatal("not once in manifest.json: ", replaced[index])
		}
		signed = strings.Replace(signed, replaced[index], replaced[index+1], 1)
	}
	block, _ := pem.Decode(read(t, "release.key"))
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	kind := "application/vnd.pintle.manifest.v1+json"
	message := fmt.Sprintf("DSSEv1 %d %s %d %s", len(kind), kind, len(signed), signed)
	signature := base64.StdEncoding.EncodeToString(ed25519.Sign(key.(ed25519.PrivateKey), []byte(message)))
	keyid := strings.SplitN(strings.SplitN(text, `"keyid":"`, 2)[1], `"`, 2)[0]
	return []byte(fmt.Sprintf(`{"signatures":[{"keyid":"%s","sig":"%s"}],"signed":%s}`, keyid, signature, signed))
}

// pinned pins 127.0.0.1, and what else has the key set `issued`, by this pin.
func pinned(t testing.TB, serial int, pin string) []byte {
	return releaseOf(t, serial,
		`"issuing":{"pin":"Sfebm2vfpF3jwBU2/5cOBuROGifmFI7nHyaCCzuZ4eU=","position":"intermediate"}`,
		`"issuing":{"pin":"`+pin+`"}`)
}
