import PinPolicy
import Testing

@Suite("What a single value may be")
struct ScalarProblemTests {
  @Test(
    "A key's status is a word, its steps are dates, and a share is a percentage",
    arguments: [
      (
        "version: 1\nkeys: { a: { file: f, status: denied }, b: { file: f, status: Active } }\n",
        [
          #"2:31-37 badScalar(field: "status", text: "denied", expected: "planned, published, active, retiring or retired")"#,
          #"2:63-69 badScalar(field: "status", text: "Active", expected: "planned, published, active, retiring or retired")"#,
        ]
      ),
      (
        "version: 1\nkeys: { a: { file: f, steps: { active: soon, retired: 2027-02-30, denied: 2027-03-01 } } }\n",
        [
          #"2:40-44 badScalar(field: "active", text: "soon", expected: "a date (2027-06-01) or an instant in UTC (2027-06-01T12:00:00Z)")"#,
          #"2:55-65 badScalar(field: "retired", text: "2027-02-30", expected: "a date (2027-06-01) or an instant in UTC (2027-06-01T12:00:00Z)")"#,
          #"2:67-73 unknownField(name: "denied", within: "steps")"#,
        ]
      ),
      (
        "version: 1\nkeys: { a: { file: f, steps: 2027-01-01 } }\n",
        [
          #"2:30-40 wrongShape(field: "steps", expected: "a mapping", found: "a single value")"#
        ]
      ),
      (
        "version: 1\nkeys: { a: { file: f, steps: { active: 2027-01-01, active: 2027-01-02 } } }\n",
        [
          #"2:52-58 duplicateField(name: "active") <- 2:32-38"#
        ]
      ),
      (
        "version: 1\nmanifest: { limits: { max-blast-radius: 20 } }\n",
        [
          #"2:41-43 badScalar(field: "max-blast-radius", text: "20", expected: "a share from 0% to 100%")"#
        ]
      ),
      (
        "version: 1\nmanifest: { limits: { max-blast-radius: 101% } }\n",
        [
          #"2:41-45 badScalar(field: "max-blast-radius", text: "101%", expected: "a share from 0% to 100%")"#
        ]
      ),
      (
        "version: 1\nmanifest: { limits: { max-blast-radius: 07% } }\n",
        [
          #"2:41-44 badScalar(field: "max-blast-radius", text: "07%", expected: "a share from 0% to 100%")"#
        ]
      ),
    ] as [ProblemCase])
  func lives(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "Numbers are decimal digits without quotes",
    arguments: [
      (
        """
        version: 1
        hosts: [{ host: a, port: 0 }, { host: a, port: 65536 }, { host: a, port: -1 }, { host: a, port: 0x1BB }]

        """,
        [
          #"2:26-27 badScalar(field: "port", text: "0", expected: "a port from 1 to 65535")"#,
          #"2:48-53 badScalar(field: "port", text: "65536", expected: "a port from 1 to 65535")"#,
          #"2:74-76 badScalar(field: "port", text: "-1", expected: "a port from 1 to 65535")"#,
          #"2:97-102 badScalar(field: "port", text: "0x1BB", expected: "a port from 1 to 65535")"#,
        ]
      ),
      (
        "version: 1\nhosts: [{ host: a, port: 0443 }, { host: a, port: \"443\" }, { host: a, port: 4_43 }, { host: a, port: 99999999999999999999 }]\n",
        [
          #"2:26-30 badScalar(field: "port", text: "0443", expected: "a port from 1 to 65535")"#,
          #"2:51-56 badScalar(field: "port", text: "443", expected: "a port from 1 to 65535")"#,
          #"2:77-81 badScalar(field: "port", text: "4_43", expected: "a port from 1 to 65535")"#,
          #"2:102-122 badScalar(field: "port", text: "99999999999999999999", expected: "a port from 1 to 65535")"#,
        ]
      ),
      (
        "version: 1\nmanifest: { limits: { max-hosts: 1000001 } }\n",
        [#"2:34-41 badScalar(field: "max-hosts", text: "1000001", expected: "a number from 1 to 1000000")"#]
      ),
      (
        """
        version: 1
        hosts: [{ host: a, trust: { minimum-rsa-bits: 2047, minimum-ec-bits: 522 } }]

        """,
        [
          #"2:47-51 badScalar(field: "minimum-rsa-bits", text: "2047", expected: "a number from 2048 to 16384")"#,
          #"2:70-73 badScalar(field: "minimum-ec-bits", text: "522", expected: "a number from 256 to 521")"#,
        ]
      ),
    ] as [ProblemCase])
  func numbers(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "true and false, nothing else",
    arguments: [
      (
        """
        version: 1
        hosts: [{ host: a, include-subdomains: yes }, { host: a, include-subdomains: True }, { host: a, include-subdomains: 'true' }, { host: a, include-subdomains: 1 }]

        """,
        [
          #"2:40-43 badScalar(field: "include-subdomains", text: "yes", expected: "true or false")"#,
          #"2:78-82 badScalar(field: "include-subdomains", text: "True", expected: "true or false")"#,
          #"2:117-123 badScalar(field: "include-subdomains", text: "true", expected: "true or false")"#,
          #"2:158-159 badScalar(field: "include-subdomains", text: "1", expected: "true or false")"#,
        ]
      )
    ] as [ProblemCase])
  func booleans(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "Dates and instants",
    arguments: [
      (
        "version: 1\ndefaults: { expires: 2027-02-29 }\n",
        [
          #"2:22-32 badScalar(field: "expires", text: "2027-02-29", expected: "a date (2027-06-01) or an instant in UTC (2027-06-01T12:00:00Z)")"#
        ]
      ),
      (
        "version: 1\ndefaults: { expires: 2027-6-1 }\n",
        [
          #"2:22-30 badScalar(field: "expires", text: "2027-6-1", expected: "a date (2027-06-01) or an instant in UTC (2027-06-01T12:00:00Z)")"#
        ]
      ),
      (
        "version: 1\ndefaults: { expires: 2027-06-01T00:00:00 }\n",
        [
          #"2:22-41 badScalar(field: "expires", text: "2027-06-01T00:00:00", expected: "a date (2027-06-01) or an instant in UTC (2027-06-01T12:00:00Z)")"#
        ]
      ),
      (
        "version: 1\ndefaults: { expires: 2027-06-01 00:00:00Z }\n",
        [
          #"2:22-42 badScalar(field: "expires", text: "2027-06-01 00:00:00Z", expected: "a date (2027-06-01) or an instant in UTC (2027-06-01T12:00:00Z)")"#
        ]
      ),
      ("version: 1\ndefaults: { expires: \"2027-06-01\" }\n", []),
      (
        "version: 1\ndefaults: { expires: tomorrow }\n",
        [
          #"2:22-30 badScalar(field: "expires", text: "tomorrow", expected: "a date (2027-06-01) or an instant in UTC (2027-06-01T12:00:00Z)")"#
        ]
      ),
    ] as [ProblemCase])
  func instants(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "Durations",
    arguments: [
      (
        """
        version: 1
        manifest: { refresh-after: 30, expires-after: 0d, client-max-age: 1000000d }

        """,
        [
          #"2:28-30 badScalar(field: "refresh-after", text: "30", expected: "a duration in days, hours or minutes (90d, 12h, 30m)")"#,
          #"2:47-49 badScalar(field: "expires-after", text: "0d", expected: "a duration in days, hours or minutes (90d, 12h, 30m)")"#,
          #"2:67-75 badScalar(field: "client-max-age", text: "1000000d", expected: "a duration in days, hours or minutes (90d, 12h, 30m)")"#,
        ]
      ),
      (
        "version: 1\nmanifest: { refresh-after: 1.5d, expires-after: 1w, client-max-age: d }\n",
        [
          #"2:28-32 badScalar(field: "refresh-after", text: "1.5d", expected: "a duration in days, hours or minutes (90d, 12h, 30m)")"#,
          #"2:49-51 badScalar(field: "expires-after", text: "1w", expected: "a duration in days, hours or minutes (90d, 12h, 30m)")"#,
          #"2:69-70 badScalar(field: "client-max-age", text: "d", expected: "a duration in days, hours or minutes (90d, 12h, 30m)")"#,
        ]
      ),
    ] as [ProblemCase])
  func durations(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "Words of a list",
    arguments: [
      (
        """
        version: 1
        defaults: { mode: Enforce, on-expiry: ignore, require: all }
        manifest: { on-stale: off, unpinned-hosts: block, clients: [leaf] }

        """,
        [
          #"2:19-26 badScalar(field: "mode", text: "Enforce", expected: "enforce, report-only or off")"#,
          #"2:39-45 badScalar(field: "on-expiry", text: "ignore", expected: "enforce, report-only, unpinned or block")"#,
          #"2:56-59 badScalar(field: "require", text: "all", expected: "any or leaf-and-ca")"#,
          #"3:23-26 badScalar(field: "on-stale", text: "off", expected: "enforce, report-only, unpinned or block")"#,
          #"3:44-49 badScalar(field: "unpinned-hosts", text: "block", expected: "allow or deny")"#,
          #"3:61-65 badScalar(field: "item of clients", text: "leaf", expected: "full-chain, leaf-only, openssl-3.0, openssl-3.5, java-17, android or apple")"#,
        ]
      ),
      (
        """
        version: 1
        keys: { a: { file: x, position: up } }
        hosts: [{ host: a, trust: { signatures: [rsa], minimum-tls: TLSv1.3, exceptions: [{ failure: untrusted, certificate: x, until: 2027-01-01, reason: r }] } }]

        """,
        [
          #"2:33-35 badScalar(field: "position", text: "up", expected: "leaf, intermediate, root or ca")"#,
          #"3:42-45 badScalar(field: "item of signatures", text: "rsa", expected: "rsa-pkcs1, rsa-pss, ecdsa or eddsa")"#,
          #"3:61-68 badScalar(field: "minimum-tls", text: "TLSv1.3", expected: "1.2 or 1.3")"#,
          #"3:94-103 badScalar(field: "failure", text: "untrusted", expected: "expired, not-yet-valid, name-mismatch, wrong-usage, weak-key or weak-signature")"#,
        ]
      ),
    ] as [ProblemCase])
  func words(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "Names of keys and key sets",
    arguments: [
      (
        "version: 1\nkeys: { Web: { file: x }, _a: { file: x }, a b: { file: x }, \"\": { file: x }, true: { file: x } }\n",
        [
          #"2:9-12 badScalar(field: "keys", text: "Web", expected: "a name of at most 64 lower-case letters, digits, \'.\', \'_\' and \'-\' that begins with a letter or digit")"#,
          #"2:27-29 badScalar(field: "keys", text: "_a", expected: "a name of at most 64 lower-case letters, digits, \'.\', \'_\' and \'-\' that begins with a letter or digit")"#,
          #"2:44-47 badScalar(field: "keys", text: "a b", expected: "a name of at most 64 lower-case letters, digits, \'.\', \'_\' and \'-\' that begins with a letter or digit")"#,
          #"2:62-64 badScalar(field: "keys", text: "", expected: "a name of at most 64 lower-case letters, digits, \'.\', \'_\' and \'-\' that begins with a letter or digit")"#,
          #"2:79-83 badScalar(field: "keys", text: "true", expected: "a name of at most 64 lower-case letters, digits, \'.\', \'_\' and \'-\' that begins with a letter or digit")"#,
        ]
      ),
      (
        "version: 1\nkey-sets: { a: { active: [B, ü, 'null'], backup: [-c] } }\n",
        [
          #"2:27-28 badScalar(field: "item of active", text: "B", expected: "a name of at most 64 lower-case letters, digits, \'.\', \'_\' and \'-\' that begins with a letter or digit")"#,
          #"2:30-31 badScalar(field: "item of active", text: "ü", expected: "a name of at most 64 lower-case letters, digits, \'.\', \'_\' and \'-\' that begins with a letter or digit")"#,
          #"2:33-39 badScalar(field: "item of active", text: "null", expected: "a name of at most 64 lower-case letters, digits, \'.\', \'_\' and \'-\' that begins with a letter or digit")"#,
          #"2:51-53 badScalar(field: "item of backup", text: "-c", expected: "a name of at most 64 lower-case letters, digits, \'.\', \'_\' and \'-\' that begins with a letter or digit")"#,
        ]
      ),
      (
        "version: 1\nhosts: [{ host: a, keys: A }, { host: a, keys: \"\" }]\n",
        [
          #"2:26-27 badScalar(field: "keys", text: "A", expected: "a name of at most 64 lower-case letters, digits, \'.\', \'_\' and \'-\' that begins with a letter or digit")"#,
          #"2:48-50 badScalar(field: "keys", text: "", expected: "a name of at most 64 lower-case letters, digits, \'.\', \'_\' and \'-\' that begins with a letter or digit")"#,
        ]
      ),
    ] as [ProblemCase])
  func names(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "Words for people",
    arguments: [
      ("version: 1\nowner: ''\n", [#"2:8-10 badScalar(field: "owner", text: "", expected: "a text")"#]),
      ("version: 1\nowner: ~\n", [#"2:8-9 badScalar(field: "owner", text: "~", expected: "a text")"#]),
      ("version: 1\nowner: null\n", [#"2:8-12 badScalar(field: "owner", text: "null", expected: "a text")"#]),
      ("version: 1\nowner: True\n", [#"2:8-12 badScalar(field: "owner", text: "True", expected: "a text")"#]),
      ("version: 1\nowner: \"true\"\n", []),
      ("version: 1\nowner: 1e3\n", []),
      (
        "version: 1\nkeys:\n  a: { file: x, denied: no }\n  b: { file: x, denied: \"Yes\" }\n  c: { file: x, denied: false }\n",
        [
          #"3:25-27 badScalar(field: "denied", text: "no", expected: "a text that says why the key is denied")"#,
          #"4:25-30 badScalar(field: "denied", text: "Yes", expected: "a text that says why the key is denied")"#,
          #"5:25-30 badScalar(field: "denied", text: "false", expected: "a text that says why the key is denied")"#,
        ]
      ),
    ] as [ProblemCase])
  func texts(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "Paths and URIs",
    arguments: [
      (
        "version: 1\nkeys: { a: { file: /etc/a.pem }, b: { file: '' } }\n",
        [
          #"2:20-30 badScalar(field: "file", text: "/etc/a.pem", expected: "a path relative to this file")"#,
          #"2:45-47 badScalar(field: "file", text: "", expected: "a path relative to this file")"#,
        ]
      ),
      (
        """
        version: 1
        defaults: { report-uris: [pins.example.org, 'https:', 'https://a b', https://例え.テスト, HTTPS://pins.example.org] }

        """,
        [
          #"2:27-43 badScalar(field: "item of report-uris", text: "pins.example.org", expected: "a URI")"#,
          #"2:45-53 badScalar(field: "item of report-uris", text: "https:", expected: "a URI")"#,
          #"2:55-68 badScalar(field: "item of report-uris", text: "https://a b", expected: "a URI")"#,
          #"2:70-84 badScalar(field: "item of report-uris", text: "https://例え.テスト", expected: "a URI")"#,
        ]
      ),
    ] as [ProblemCase])
  func paths(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }

  @Test(
    "Pins, and what people take for them",
    arguments: [
      (
        """
        version: 1
        keys:
          a: { pin: x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4= }
          b: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4 }
          c: { pin: sha256/AAAA }
          d: { pin: sha1/2jmj7l5rSw0yVb/vlWAYkK/YBwk= }
          e: { pin: SHA256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4= }

        """,
        [
          #"3:13-57 badPin(text: "x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=", reason: "it doesn\'t begin with \'sha256/\'")"#,
          #"4:13-63 badPin(text: "sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4", reason: "what follows \'sha256/\' isn\'t Base64 with padding")"#,
          #"5:13-24 badPin(text: "sha256/AAAA", reason: "it has 3 bytes where SHA-256 has 32")"#,
          #"6:13-46 badPin(text: "sha1/2jmj7l5rSw0yVb/vlWAYkK/YBwk=", reason: "it doesn\'t begin with \'sha256/\'")"#,
          #"7:13-64 badPin(text: "SHA256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=", reason: "it doesn\'t begin with \'sha256/\'")"#,
        ]
      ),
      (
        "version: 1\nkeys:\n  a: { pin: \"AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB\" }\n  b: { pin: abababababababababababababababababababababababababababababababab }\n  c: { pin: aBaBaBaBaBaBaBaBaBaBaBaBaBaBaBaBaBaBaBaB }\n  d: { pin: \"SHA256 Fingerprint=0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F\" }\n  e: { pin: ababababababababababababababababababababababababababababababab }\n  f: { pin: sha256/abababababababababababababababababababababababababababababababab }\n",
        [
          #"3:13-110 certificateFingerprint(text: "AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB", pin: nil, file: nil)"#,
          #"4:13-77 certificateFingerprint(text: "abababababababababababababababababababababababababababababababab", pin: nil, file: nil)"#,
          #"5:13-53 certificateFingerprint(text: "aBaBaBaBaBaBaBaBaBaBaBaBaBaBaBaBaBaBaBaB", pin: nil, file: nil)"#,
          #"6:13-129 certificateFingerprint(text: "SHA256 Fingerprint=0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F", pin: nil, file: nil)"#,
          #"7:13-75 badPin(text: "ababababababababababababababababababababababababababababababab", reason: "it doesn\'t begin with \'sha256/\'")"#,
          #"8:13-84 certificateFingerprint(text: "sha256/abababababababababababababababababababababababababababababababab", pin: nil, file: nil)"#,
        ]
      ),
    ] as [ProblemCase])
  func pins(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }
}
