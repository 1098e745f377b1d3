#!/usr/bin/env python3
"""Keys that are made one period ahead: three renewals by examples/deploy/renew, with certbot and pebble. The pull request
with the next key is merged early, late or never, and no client is ever locked out.

    Tests/Programs/Renewals/test_current_and_next.py

Certificates are of today and last for five years; renewals and releases are on later days, which pintle gets as options.
Everything is on loopback. PINTLE is the program; the one on the path unless set.
"""

import datetime
import os
import pathlib
import re
import shutil
import unittest

import pebble

RENEW = pathlib.Path(__file__).resolve().parents[3] / "examples/deploy/renew"
HOST = "api.example.com"
WINDOW, PERIOD = 30, 60
POLICY = """version: 1
manifest: {{ audience: test, client-max-age: {window}d, refresh-after: 10d, expires-after: 300d }}
defaults: {{ expires: {expires}, on-expiry: report-only }}
keys:
  spare: {{ pin: "sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs=", position: leaf, custody: a safe, created: 2026-01-01 }}
  other: {{ pin: "sha256/JbQbUG5JMJUoI6brnx0x3vZF6jilxsapbXGVfjhN8Fg=", position: leaf, custody: a safe, created: 2026-01-01 }}
{keys}
hosts:
  - {{ host: other.example.com, keys: {{ active: [other], backup: [spare] }} }}
{host}
"""


class World:
    """A server and its releases, from day to day."""

    def __init__(self, case, name):
        self.case, self.place = case, case.base / name
        self.keys, self.releases, self.installed = [], [], []
        for folder in ("policies/keys", "released", "bin", "keys"):
            (self.place / folder).mkdir(parents=True)
        shutil.copy(case.base / "root.pem", self.place / "policies/keys")
        case.execute(pebble.PINTLE, "key", str(self.place / "release.key"))
        date = self.place / "bin/date"
        date.write_text('#!/bin/sh\necho "$TODAY"\n')
        date.chmod(0o755)
        self.release(0)

    def date(self, day):
        return (self.case.today + datetime.timedelta(days=day)).isoformat()

    def release(self, day):
        """With the keys that are merged; the first one is active."""
        names = [name for name, _ in self.keys]
        host = (f"  - host: {HOST}\n    keys: {{ active: [{names[0]}], backup: [{', '.join(['spare', *names[1:]])}] }}\n"
                "    trust: { anchors: [keys/root.pem] }" if names else "")
        (self.place / "policies/policy.yaml").write_text(POLICY.format(
            window=WINDOW, expires=self.date(390), keys="\n".join(f"  {line}" for _, line in self.keys), host=host))
        serial = len(self.releases) + 1
        against = ["--against", f"{self.place}/released", "--key", f"{self.place}/release.key.pub"] if self.releases else []
        self.case.execute(
            pebble.PINTLE, "build", f"{self.place}/policies", "-o", f"{self.place}/released/{serial}.json", "--sign-key",
            f"{self.place}/release.key", "--issued-at", self.date(day), *(against or ["--serial", "1"]),
            "--at", self.date(day))
        self.releases.append(day)

    def merge(self, day, proposal, request):
        """What a pull request with the proposed line and its file does; then it is released."""
        name, file = re.fullmatch(r"([\w-]+): \{ file: (keys/[\w.-]+), .*, created: [\d-]+ \}", proposal).groups()
        (self.place / "policies" / file).write_text(request)
        self.keys.append((name, proposal))
        self.release(day)

    def renew(self, day):
        """Renews, and keeps what is served from this day on. The line that is proposed, if there is one."""
        (self.place / "deploy.conf").write_text("\n".join([
            f"PINTLE_RELEASED={self.place}/released", f"PINTLE_INSTALLED={self.place}/installed",
            f"PINTLE_OPTIONS='--key {self.place}/release.key.pub --client-max-age {WINDOW}d --at {self.date(day)}'",
            f"PINTLE_COMMAND='{pebble.PINTLE} decide'", f"PINTLE_KEYS={self.place}/keys", "PINTLE_RENEW_DAYS=4000", ""]))
        result = self.case.execute(
            str(RENEW), HOST, HOST, PINTLE_DEPLOY=str(self.place / "deploy.conf"), TODAY=self.date(day),
            PATH=f"{self.place}/bin:{os.environ['PATH']}", CERTBOT_OPTIONS=self.case.options,
            REQUESTS_CA_BUNDLE=str(self.case.base / "pebble.pem"))
        chain = self.place / f"served-{day}.pem"
        shutil.copy(self.place / "installed" / HOST / "fullchain.pem", chain)
        self.installed.append((day, chain))
        found = re.search(r"^  (\S+: \{ file: .*)$", result.stdout, re.MULTILINE)
        return found and found[1], (self.place / "keys" / HOST / "next.csr").read_text()

    def served_keys(self):
        return [self.case.execute("openssl", "x509", "-in", str(chain), "-noout", "-pubkey").stdout
                for _, chain in self.installed]

    def expect_nobody_locked_out(self, days):
        for day in days:
            chain = [chain for since, chain in self.installed if since <= day][-1]
            for number, issued in enumerate(self.releases):
                successor = self.releases[number + 1] if number + 1 < len(self.releases) else None
                if issued > day or successor is not None and day >= successor + WINDOW:
                    continue
                self.case.execute(
                    pebble.PINTLE, "decide", HOST, "--manifest", f"{self.place}/released/{number + 1}.json", "--key",
                    f"{self.place}/release.key.pub", "--chain", str(chain), "--at", self.date(day))


class CurrentAndNextTests(pebble.PebbleCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write_root(cls.base / "root.pem")
        # Tomorrow, so that certificates of today are valid by midnight.
        cls.today = datetime.datetime.now(datetime.timezone.utc).date() + datetime.timedelta(days=1)
        cls.options = (
            f"--config-dir {cls.base}/le --work-dir {cls.base}/work --logs-dir {cls.base}/logs --server "
            f"https://127.0.0.1:{cls.port}/dir --manual --manual-auth-hook /bin/true --preferred-challenges http "
            "--agree-tos --register-unsafely-without-email")

    def renewals(self, name, merged_after):
        """The keys that are served after each of three renewals, by numbers."""
        world = World(self, name)
        # Nothing pins the host yet: the first key is in use at once.
        proposal, request = world.renew(0)
        current = (world.place / "keys" / HOST / "current.csr").read_text()
        world.merge(1, f"first: {{ file: keys/first.csr, position: leaf, custody: disk, created: {world.date(0)} }}", current)
        for number in range(1, 4):
            day = number * PERIOD
            if merged_after is not None and proposal:
                world.merge(day - PERIOD + merged_after, proposal, request)
            proposal, request = world.renew(day)
        world.expect_nobody_locked_out(sorted({*range(0, 4 * PERIOD, 10), *world.releases, *(d for d, _ in world.installed)}))
        keys = world.served_keys()
        return [keys.index(key) for key in keys]

    def test_merged_early(self):
        self.assertEqual(self.renewals("early", 2), [0, 1, 2, 3])

    def test_merged_late(self):
        """Ten days before the renewal, when clients may run the release before for thirty."""
        self.assertEqual(self.renewals("late", 50), [0, 0, 2, 2])

    def test_never_merged(self):
        self.assertEqual(self.renewals("never", None), [0, 0, 0, 0])


if __name__ == "__main__":
    unittest.main()
