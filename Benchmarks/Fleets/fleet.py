"""A fleet with a history: twenty releases of its policy over eighteen months, and what its servers present now.

Seven hosts of ten share key sets of authorities' keys, as an organisation's web hosts do. The others are pinned to keys
of their own, each with a spare; most of these were changed once, in safe steps. Each release adds some hosts and some
keys. Every host presents a leaf of its own, below one of nine intermediates under three roots. Seeded: the same number
of hosts gives the same fleet, except for the keys, which aren't kept.
"""

import base64
import datetime
import hashlib
import json
import random
import subprocess

RELEASES = 20
FIRST = datetime.date(2025, 5, 22)
# Twenty releases in eighteen months.
PERIOD = datetime.timedelta(days=28)
NOW = FIRST + RELEASES * PERIOD
EXPIRES = datetime.date(2027, 10, 1)
# A key is served more than a window of 90 days after its publication; then the previous key is removed.
SERVED_AFTER = 4
DROPPED_AFTER = 5
ROOTS = 3
ISSUERS = 9
SHARED_SETS = 40
PROFILES = """
[ca]
default_ca = it
[it]
database = index
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
organizationName = optional
commonName = supplied
[root]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[intermediate]
basicConstraints = critical, CA:true, pathlen:0
keyUsage = critical, digitalSignature, keyCertSign, cRLSign
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid:always
"""


def digest_text(data):
    return base64.b64encode(hashlib.sha256(data).digest()).decode()


class Authorities:
    """Three roots with three intermediates each, half of them RSA."""

    def __init__(self, work):
        self.work = work
        (work / "openssl.cnf").write_text(PROFILES)
        (work / "index").write_text("")
        for number in range(ROOTS):
            self.issue(f"root-{number}", f"root-{number}", "root", number % 2 == 0)
        for number in range(ISSUERS):
            self.issue(f"issuer-{number}", f"root-{number % ROOTS}", "intermediate", number % 2 == 0)

    def openssl(self, *arguments):
        return subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=self.work).stdout

    def issue(self, name, issuer, profile, is_rsa):
        kind = ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"] if is_rsa else ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
        self.openssl("genpkey", "-algorithm", *kind, "-out", f"{name}.key")
        organisation = int(issuer[-1])
        self.openssl("req", "-new", "-key", f"{name}.key", "-subj", f"/O=Trust {organisation}/CN={name}", "-out", "csr")
        signer = ["-selfsign"] if issuer == name else ["-cert", f"{issuer}.pem"]
        self.openssl(
            "ca", "-batch", "-notext", "-config", "openssl.cnf", "-extensions", profile, "-in", "csr", "-out",
            f"{name}.pem", *signer, "-keyfile", f"{issuer}.key", "-startdate", "20200101000000Z", "-enddate",
            "20350101000000Z")

    def der(self, name):
        return self.openssl("x509", "-in", f"{name}.pem", "-outform", "DER")

    def pin(self, name):
        public = self.openssl("x509", "-in", f"{name}.pem", "-noout", "-pubkey")
        body = b"".join(line for line in public.splitlines() if not line.startswith(b"-"))
        return digest_text(base64.b64decode(body))

    def leaves(self, program, hosts):
        """For each host the digest of its certificate, the certificate in Base64, and its pin."""
        issuers = [part for number in range(ISSUERS) for part in (f"issuer-{number}.pem", f"issuer-{number}.key")]
        listing = subprocess.run(
            [program, "20261001000000Z", "20270101000000Z", *issuers], check=True, capture_output=True, text=True,
            cwd=self.work, input="".join(f"{host.name} {host.issuer}\n" for host in hosts)).stdout
        lines = (line.split() for line in listing.splitlines())
        return {name: (digest, der, pin) for name, digest, der, pin in lines}


class Host:
    """One host: when its entry appeared, who certifies it, and how it is pinned."""

    def __init__(self, number, dice):
        self.name = f"h{number:05d}.team{number % 97}.fleet.test"
        self.issuer = dice.randrange(ISSUERS)
        self.born = 0 if dice.random() < 0.85 else dice.randrange(1, RELEASES + 1)
        self.is_shared = dice.random() < 0.7
        # The set's number determines the issuer.
        self.set = self.issuer + ISSUERS * dice.randrange(SHARED_SETS // ISSUERS)
        self.former = digest_text(dice.randbytes(8))
        self.spare = digest_text(dice.randbytes(8))
        # The release that published the current key; none if it never changed.
        self.changed = self.born + dice.randrange(1, 30)

    def keys(self, release, leaf):
        """The keys that a release says of a host with keys of its own: names and pins, the active ones first."""
        if self.changed + SERVED_AFTER > RELEASES or self.born + SERVED_AFTER > RELEASES:
            # It didn't change within these releases.
            return [("now", leaf)], [("spare", self.spare)]
        # A key that isn't served (yet) is a backup.
        spare, before, now = ("spare", self.spare), ("before", self.former), ("now", leaf)
        if release < self.changed:
            return [before], [spare]
        if release < self.changed + SERVED_AFTER:
            return [before], [now, spare]
        if release < self.changed + DROPPED_AFTER:
            return [now], [before, spare]
        return [now], [spare]


class Fleet:
    def __init__(self, work, program, count):
        dice = random.Random(count)
        self.authorities = Authorities(work)
        self.hosts = [Host(number, dice) for number in range(count)]
        self.leaves = self.authorities.leaves(program, self.hosts)
        self.spares = [digest_text(dice.randbytes(8)) for _ in range(SHARED_SETS)]
        self.pins = {name: self.authorities.pin(name) for name in self.names()}

    @staticmethod
    def names():
        return [f"root-{number}" for number in range(ROOTS)] + [f"issuer-{number}" for number in range(ISSUERS)]

    def write_policy(self, folder, release):
        """The policy of a release, counted from 0; the one after the last is not released yet."""
        folder.mkdir()
        (folder / "manifest.yaml").write_text(
            "version: 1\nmanifest:\n  { audience: fleet, client-max-age: 90d, expires-after: 60d, "
            "limits: { max-lifetime: 900d } }\n")
        keys, hosts = [], []
        for name in self.names():
            position = "root" if name.startswith("root") else "intermediate"
            keys.append(f"  {name}: {{ pin: sha256/{self.pins[name]}, position: {position} }}\n")
        sets = []
        for number, spare in enumerate(self.spares):
            issuer = number % ISSUERS
            keys.append(f"  spare-{number}: {{ pin: sha256/{spare}, custody: HSM {number % 3}, created: 2025-01-01 }}\n")
            above = [f"root-{issuer % ROOTS}"] if number % 2 == 0 else [f"issuer-{issuer}", f"root-{issuer % ROOTS}"]
            backups = [f"spare-{number}"]
            # In each release, one more set also has another CA's root.
            if number < 2 * release:
                backups.append(f"root-{(issuer + 1) % ROOTS}")
            sets.append(f"  set-{number}:\n    active: [{', '.join(above)}]\n    backup: [{', '.join(backups)}]\n")
        for host in self.hosts:
            if host.born > release:
                continue
            if host.is_shared:
                hosts.append(f"  - host: {host.name}\n    keys: set-{host.set}\n")
                continue
            active, backup = host.keys(release, self.leaves[host.name][2])
            label = host.name.split(".")[0]
            for name, pin in active + backup:
                custody = ", custody: vault, created: 2025-01-01" if name == "spare" else ""
                keys.append(f"  {label}-{name}: {{ pin: sha256/{pin}, position: leaf{custody} }}\n")
            named = [", ".join(f"{label}-{name}" for name, _ in part) for part in (active, backup)]
            hosts.append(f"  - host: {host.name}\n    keys: {{ active: [{named[0]}], backup: [{named[1]}] }}\n")
        (folder / "policy.yaml").write_text(
            f"version: 1\nowner: fleet@example.com\ndefaults: {{ mode: enforce, expires: {EXPIRES}, on-expiry: enforce }}\n"
            f"keys:\n{''.join(keys)}key-sets:\n{''.join(sets)}hosts:\n{''.join(hosts)}")

    def write_evidence(self, file):
        """What all servers presented yesterday, for an ECDSA and an RSA key in TLS 1.3; each has the former only."""
        certificates, roots, issuers = {}, [], []
        for name in self.names():
            der = self.authorities.der(name)
            digest = hashlib.sha256(der).hexdigest()
            certificates[digest] = base64.b64encode(der).decode()
            (roots if name.startswith("root") else issuers).append(digest)
        seen = f"{NOW - datetime.timedelta(days=1)}T09:00:00Z"
        alert = {"failure": {"alert": 40, "kind": "alert", "message": "the server sent the alert handshake_failure"},
                 "key-type": "rsa", "observed": seen, "tls-version": "1.3"}
        targets = []
        for number, host in enumerate(self.hosts):
            digest, der, _ = self.leaves[host.name]
            certificates[digest] = der
            visit = {"chain": [digest, issuers[host.issuer]], "key-type": "ecdsa", "observed": seen, "timestamps": 2,
                     "tls-version": "1.3"}
            # One host of ten is behind two addresses.
            places = [f"10.{place}.{number // 256}.{number % 256}" for place in range(2 if number % 10 == 0 else 1)]
            targets.append({
                "addresses": [{"address": place, "visits": [visit, alert]} for place in places],
                "host": host.name, "port": 443})
        evidence = {
            "begun": seen, "certificates": certificates, "ended": seen, "stores": {"system": sorted(roots)},
            "targets": targets, "tool": "Benchmarks/rotation", "type": "application/vnd.pintle.evidence+json",
            "version": 1}
        file.write_text(json.dumps(evidence, sort_keys=True, separators=(",", ":")))
