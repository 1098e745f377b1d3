#!/bin/sh
# A hook of acme.sh: '--renew-hook /etc/pintle/deploy/acme.sh' when the certificate is issued. The first time, run it by
# hand with these variables. Don't use --install-cert: it copies the files before it runs anything.
#
# NAME is that of acme.sh's folder: api.example.com for an RSA key, api.example.com_ecc otherwise. A domain may have both.
set -eu
: "${Le_Domain:?not started by acme.sh}"
name=$(basename "$(dirname "$CERT_FULLCHAIN_PATH")")
exec "$(dirname "$(readlink -f "$0")")/gate" "$name" "$CERT_FULLCHAIN_PATH" "$CERT_KEY_PATH"
