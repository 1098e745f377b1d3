#!/bin/sh
# A hook of acme.sh: '--renew-hook /etc/pintle/deploy/acme.sh' when the certificate is issued. The first time, run it by
# hand with these variables. Don't use --install-cert: it copies the files before it runs anything.
set -eu
exec "$(dirname "$(readlink -f "$0")")/gate" "${Le_Domain:?not started by acme.sh}" "$CERT_FULLCHAIN_PATH" "$CERT_KEY_PATH"
