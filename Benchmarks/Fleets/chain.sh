#!/usr/bin/env bash
# A chain like those of public CAs, for measurements without a server:
#
#     Benchmarks/Fleets/chain.sh FOLDER [ecdsa|rsa [LEAVES]]
#
# writes leaf.pem, intermediate.pem and root.pem (an EC leaf for api.perf.test below an RSA-2048 intermediate below an
# RSA-2048 root, or all of one kind), leaf.key, and chain.pem with the three of them, leaf first. Prints the leaf's pin.
# Further LEAVES, of the same key for *.perf.test, go into 1.perf.test.pem and so on, each with its intermediate.
set -euo pipefail
if [ $# -lt 1 ] || [ $# -gt 3 ]; then
  sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
  exit 64
fi
kind=${2-}
leaves=${3-0}
mkdir -p "$1"
cd "$1"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
days=3650

cat >"$work/extensions" <<'END'
[root]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash

[intermediate]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid:always
authorityInfoAccess = caIssuers;URI:http://ca.perf.test/root.crt
crlDistributionPoints = URI:http://ca.perf.test/root.crl
certificatePolicies = 2.23.140.1.2.1

[leaf]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth, clientAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid:always
subjectAltName = DNS:api.perf.test, DNS:www.perf.test
authorityInfoAccess = OCSP;URI:http://ocsp.perf.test, caIssuers;URI:http://ca.perf.test/intermediate.crt
certificatePolicies = 2.23.140.1.2.1
END

# name, subject, kind of key, and issuer (self-signed if left out)
certify() {
  local name=$1 subject=$2 issuer=${3:-}
  shift 3
  openssl genpkey "$@" -out "$work/$name.key" 2>/dev/null
  openssl req -new -key "$work/$name.key" -subj "$subject" -out "$work/$name.csr"
  local signer=(-signkey "$work/$name.key")
  [ -z "$issuer" ] || signer=(-CA "$issuer.pem" -CAkey "$work/$issuer.key" -set_serial "0x$(openssl rand -hex 15)")
  openssl x509 -req -in "$work/$name.csr" "${signer[@]}" -days "$days" -sha256 \
    -extfile "$work/extensions" -extensions "$name" -out "$name.pem" 2>/dev/null
}

authority=(-algorithm RSA -pkeyopt rsa_keygen_bits:2048)
server=(-algorithm EC -pkeyopt ec_paramgen_curve:P-256)
[ "$kind" != ecdsa ] || authority=("${server[@]}")
[ "$kind" != rsa ] || server=("${authority[@]}")
certify root '/C=US/O=Perf Test/CN=Perf Root' '' "${authority[@]}"
certify intermediate '/C=US/O=Perf Test/CN=Perf Intermediate' root "${authority[@]}"
certify leaf '/CN=api.perf.test' intermediate "${server[@]}"

sed 's/^subjectAltName.*/subjectAltName = DNS:*.perf.test/' "$work/extensions" >"$work/wildcard"
for ((number = 1; number <= leaves; number++)); do
  openssl x509 -req -in "$work/leaf.csr" -CA intermediate.pem -CAkey "$work/intermediate.key" -set_serial "$number" \
    -days "$days" -sha256 -extfile "$work/wildcard" -extensions leaf -out "$number.perf.test.pem" 2>/dev/null
  cat intermediate.pem >>"$number.perf.test.pem"
done

cp "$work/leaf.key" leaf.key
cat leaf.pem intermediate.pem root.pem >chain.pem
openssl x509 -in leaf.pem -pubkey -noout | openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary |
  openssl base64 -A | sed 's|^|sha256/|; s|$|\n|'
