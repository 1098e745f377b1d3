/// The text of `schemas/policy.schema.json`, made of it by `PINTLE_RECORD=1 swift test --filter PolicySchemaTests`.
package enum PolicySchemaText {
  package static let json = #"""
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "Pintle policy file, format version 1",
      "description": "Which public keys each TLS server may present. All policy files of a directory make one policy; docs/policy.md describes every field.",
      "type": "object",
      "required": ["version"],
      "additionalProperties": false,
      "properties": {
        "version": {
          "title": "Format version",
          "description": "The version of the policy format.",
          "const": 1,
          "examples": [1]
        },
        "owner": {
          "$ref": "#/$defs/text",
          "title": "Owner",
          "description": "Who is responsible for the entries of this file.",
          "examples": ["payments-security@example.com"]
        },
        "defaults": { "$ref": "#/$defs/defaults" },
        "manifest": { "$ref": "#/$defs/manifest" },
        "keys": {
          "title": "Keys",
          "description": "Named keys; all files of the directory can use them.",
          "type": "object",
          "propertyNames": { "$ref": "#/$defs/name" },
          "additionalProperties": { "$ref": "#/$defs/key" }
        },
        "key-sets": {
          "title": "Key sets",
          "description": "Named sets of keys; host entries of all files can use them.",
          "type": "object",
          "propertyNames": { "$ref": "#/$defs/name" },
          "additionalProperties": { "$ref": "#/$defs/keySet" }
        },
        "hosts": {
          "title": "Host entries",
          "description": "One entry for each host, with or without a port.",
          "type": "array",
          "items": { "$ref": "#/$defs/host" }
        }
      },
      "$defs": {
        "text": {
          "title": "Text",
          "description": "Text for people. An editor reads 2026 as a number; here it is text.",
          "type": ["string", "number"],
          "minLength": 1,
          "pattern": "^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]*$"
        },
        "name": {
          "title": "Name of a key or key set",
          "description": "Lower-case letters, digits, '.', '_' and '-', beginning with a letter or digit; at most 64 characters.",
          "type": ["string", "number"],
          "pattern": "^[a-z0-9][a-z0-9._-]{0,63}$",
          "not": { "enum": ["true", "false", "null"] },
          "examples": ["isrg-root-x1"]
        },
        "path": {
          "title": "File",
          "description": "A path inside the policy directory, relative to this file.",
          "type": ["string", "number"],
          "pattern": "^[^/]",
          "examples": ["keys/isrg-root-x1.pem"]
        },
        "instant": {
          "title": "Instant",
          "description": "A date, which means 00:00:00Z of that day, or an instant in UTC.",
          "type": "string",
          "pattern": "^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?$",
          "examples": ["2027-06-01", "2027-06-01T12:00:00Z"]
        },
        "duration": {
          "title": "Duration",
          "description": "Days, hours or minutes.",
          "type": "string",
          "pattern": "^[1-9][0-9]{0,5}[dhm]$",
          "examples": ["90d", "12h", "30m"]
        },
        "mode": {
          "title": "Mode",
          "description": "What a mismatch does: it blocks and is reported, it is only reported, or the name is excluded from all entries above it.",
          "enum": ["enforce", "report-only", "off"]
        },
        "expiryAction": {
          "enum": ["enforce", "report-only", "unpinned", "block"]
        },
        "onExpiry": {
          "$ref": "#/$defs/expiryAction",
          "title": "On expiry",
          "description": "What happens after 'expires'. 'unpinned' fails open."
        },
        "expires": {
          "$ref": "#/$defs/instant",
          "title": "Expires",
          "description": "When the entry expires; 'on-expiry' says what happens then."
        },
        "includeSubdomains": {
          "title": "Include subdomains",
          "description": "Whether names below the host are covered too, at any depth.",
          "type": "boolean"
        },
        "requirement": {
          "title": "Requirement",
          "description": "Any key of the set at its position, or one at the leaf and one above it.",
          "enum": ["any", "leaf-and-ca"]
        },
        "reportURIs": {
          "title": "Report URIs",
          "description": "Where mismatches are reported, https, in order of preference.",
          "type": "array",
          "items": {
            "type": "string",
            "maxLength": 2048,
            "pattern": "^[A-Za-z][A-Za-z0-9+.-]*:[!#-\\[\\]-~]+$"
          },
          "maxItems": 16,
          "examples": [["https://pins.example.org/reports"]]
        },
        "names": {
          "type": "array",
          "items": { "$ref": "#/$defs/name" },
          "maxItems": 1024
        },
        "defaults": {
          "title": "Defaults",
          "description": "Defaults for the host entries of this file.",
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "mode": { "$ref": "#/$defs/mode" },
            "include-subdomains": { "$ref": "#/$defs/includeSubdomains" },
            "expires": { "$ref": "#/$defs/expires" },
            "on-expiry": { "$ref": "#/$defs/onExpiry" },
            "report-uris": { "$ref": "#/$defs/reportURIs" },
            "require": { "$ref": "#/$defs/requirement" },
            "trust": { "$ref": "#/$defs/trust" }
          }
        },
        "manifest": {
          "title": "Manifest settings",
          "description": "Settings of the whole manifest, in one file of the directory.",
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "audience": {
              "$ref": "#/$defs/name",
              "title": "Audience",
              "description": "The environment that the manifest is for; a client rejects any other. Needed to build. Lower-case letters, digits, '.', '_' and '-', beginning with a letter or digit; at most 64 characters.",
              "examples": ["production"]
            },
            "refresh-after": {
              "$ref": "#/$defs/duration",
              "title": "Refresh after",
              "description": "How long after its release a client should look for a newer manifest. 1d by default."
            },
            "expires-after": {
              "$ref": "#/$defs/duration",
              "title": "Expires after",
              "description": "How long after its release the manifest is stale. 30d by default."
            },
            "on-stale": {
              "$ref": "#/$defs/expiryAction",
              "title": "On stale",
              "description": "What happens when the manifest is stale; 'enforce' by default. 'unpinned' fails open."
            },
            "client-max-age": {
              "$ref": "#/$defs/duration",
              "title": "Adoption window",
              "description": "How long after a release some clients may still run an older manifest. 90d by default."
            },
            "clients": {
              "title": "Kinds of clients",
              "description": "What the clients see of a server's validated chain: all of it ('full-chain'), or only the leaf ('leaf-only', such as AsyncHTTPClient). 'check' and 'diff' then say what leaf-only clients can't enforce. Not part of the manifest.",
              "type": "array",
              "items": {
                "title": "Kind of client",
                "description": "'full-chain' sees the whole validated chain, 'leaf-only' only the leaf.",
                "enum": ["full-chain", "leaf-only"]
              },
              "minItems": 1
            },
            "unpinned-hosts": {
              "title": "Unpinned hosts",
              "description": "The answer for a host that isn't pinned: it has no entry, one with 'mode: off', or one that has become 'unpinned'. 'allow' by default.",
              "enum": ["allow", "deny"]
            },
            "limits": {
              "title": "Limits",
              "description": "Limits that the rules check.",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "max-lifetime": {
                  "$ref": "#/$defs/duration",
                  "title": "Longest lifetime",
                  "description": "The longest that an entry's 'expires', and the 'until' of an exception or a suppression, may be in the future; 400d by default."
                },
                "expiry-warning": {
                  "$ref": "#/$defs/duration",
                  "title": "Expiry warning",
                  "description": "How long in advance an expiry is reported; 30d by default."
                },
                "max-hosts": {
                  "title": "Most hosts",
                  "description": "The most host entries that a policy may have. 100000 by default.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000
                },
                "max-blast-radius": {
                  "title": "Largest blast radius",
                  "description": "The share of servers that the loss of one key may cut off from clients. 20% by default.",
                  "type": "string",
                  "pattern": "^(0|[1-9][0-9]?|100)%$",
                  "examples": ["20%"]
                }
              }
            }
          }
        },
        "key": {
          "title": "Key",
          "description": "A public key, by its file or by its pin, and what is known about it.",
          "type": "object",
          "additionalProperties": false,
          "oneOf": [
            { "title": "A key by its file", "required": ["file"] },
            { "title": "A key by its pin", "required": ["pin"] }
          ],
          "properties": {
            "file": {
              "$ref": "#/$defs/path",
              "title": "Key file",
              "description": "A certificate, certificate request or public key (PEM or DER) from which the pin is computed. Never a private key."
            },
            "pin": {
              "title": "Pin",
              "description": "SHA-256 over the key's SubjectPublicKeyInfo, in Base64. A certificate's fingerprint is something else; 'pintle pin FILE' prints pins.",
              "type": "string",
              "pattern": "^sha256/[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$",
              "examples": ["sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4="]
            },
            "position": {
              "title": "Position",
              "description": "Where in the validated chain the key must be; 'ca' is anywhere above the leaf. Without it, anywhere.",
              "enum": ["leaf", "intermediate", "root", "ca"]
            },
            "denied": {
              "$ref": "#/$defs/text",
              "title": "Denied",
              "maxLength": 4096,
              "description": "Why the key is denied. A denied key blocks every pinned host, whether or not a set names it.",
              "not": {
                "pattern": "^([Yy][Ee][Ss]|[Nn][Oo]|[Oo][Nn]|[Oo][Ff][Ff]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Nn][Uu][Ll][Ll]|~)$",
                "type": "string"
              },
              "examples": ["found in a public bucket on 2025-11-03"]
            },
            "custody": {
              "$ref": "#/$defs/text",
              "title": "Custody",
              "description": "Who holds the private key, and where.",
              "examples": ["HSM A, slot 3"]
            },
            "created": {
              "$ref": "#/$defs/instant",
              "title": "Created",
              "description": "When the key was made."
            },
            "status": {
              "title": "Status",
              "description": "The state of the key, as its owners see it. Only the key sets decide what is in a manifest.",
              "enum": ["planned", "published", "active", "retiring", "retired"]
            },
            "steps": {
              "title": "Steps",
              "description": "When the steps of the key's life are planned, in their order.",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "published": {
                  "$ref": "#/$defs/instant",
                  "title": "Published",
                  "description": "When the first manifest with the key will be released."
                },
                "active": {
                  "$ref": "#/$defs/instant",
                  "title": "Active",
                  "description": "When the servers whose entries have the key will change to it."
                },
                "retiring": {
                  "$ref": "#/$defs/instant",
                  "title": "Retiring",
                  "description": "When no server will present the key any more."
                },
                "retired": {
                  "$ref": "#/$defs/instant",
                  "title": "Retired",
                  "description": "When the first manifest without the key will be released."
                }
              },
              "examples": [{ "active": "2027-03-01", "retired": "2028-03-01" }]
            },
            "reason": {
              "$ref": "#/$defs/text",
              "title": "Reason",
              "description": "Whatever a reviewer should know."
            }
          },
          "examples": [
            { "file": "keys/isrg-root-x1.pem", "position": "root" },
            { "pin": "sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=", "custody": "HSM A, slot 3" },
            { "file": "keys/payments-2027.csr", "status": "published", "steps": { "active": "2027-03-01" } }
          ]
        },
        "keySet": {
          "title": "Key set",
          "description": "Keys that servers may present now, and keys that they could change to.",
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "active": {
              "$ref": "#/$defs/names",
              "title": "Active keys",
              "description": "Names of keys that servers may present now."
            },
            "backup": {
              "$ref": "#/$defs/names",
              "title": "Backup keys",
              "description": "Names of keys that no server presents yet."
            },
            "reason": {
              "$ref": "#/$defs/text",
              "title": "Reason",
              "description": "Whatever a reviewer should know."
            }
          },
          "examples": [{ "active": ["isrg-root-x1"], "backup": ["gts-root-r1", "payments-spare-2026"] }]
        },
        "hostName": {
          "title": "Host",
          "description": "A host name, as A-labels or U-labels, or an IPv4 or IPv6 address. No port, no wildcard, no URL.",
          "type": "string",
          "pattern": "^(?![^:]*:[^:]*$)[^\\u0000-,/;-@\\\\^_`{-\\u007F]+$",
          "examples": ["api.example.com", "bücher.example", "10.0.0.5", "2001:db8::1"]
        },
        "host": {
          "title": "Host entry",
          "description": "One host, with or without a port, with or without its subdomains.",
          "type": "object",
          "required": ["host"],
          "additionalProperties": false,
          "properties": {
            "host": { "$ref": "#/$defs/hostName" },
            "port": {
              "title": "Port",
              "description": "The one port that the entry covers; all by default.",
              "type": "integer",
              "minimum": 1,
              "maximum": 65535,
              "examples": [8443]
            },
            "include-subdomains": { "$ref": "#/$defs/includeSubdomains" },
            "mode": { "$ref": "#/$defs/mode" },
            "keys": {
              "title": "Keys",
              "description": "The name of a key set, or a set defined here.",
              "if": { "type": "object" },
              "then": { "$ref": "#/$defs/keySet" },
              "else": { "$ref": "#/$defs/name" },
              "examples": ["public-web", { "active": ["appliance"], "backup": ["appliance-next"] }]
            },
            "require": { "$ref": "#/$defs/requirement" },
            "expires": { "$ref": "#/$defs/expires" },
            "on-expiry": { "$ref": "#/$defs/onExpiry" },
            "report-uris": { "$ref": "#/$defs/reportURIs" },
            "trust": { "$ref": "#/$defs/trust" },
            "owner": {
              "$ref": "#/$defs/text",
              "title": "Owner",
              "description": "Who is responsible for the entry; the file's owner by default."
            },
            "reason": {
              "$ref": "#/$defs/text",
              "title": "Reason",
              "description": "Why the entry is as it is. Required with 'mode: off'."
            },
            "probe": {
              "title": "Names to probe",
              "description": "Names below the host that live checks try.",
              "type": "array",
              "items": { "$ref": "#/$defs/hostName" },
              "examples": [["www.example.com"]]
            }
          }
        },
        "trust": {
          "title": "Trust",
          "description": "How trust evaluation differs from the system's (Apple TN2232, as data).",
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "anchors": {
              "title": "Anchors",
              "description": "Files of the certificates that a chain may end in, and 'system' for the system's. Without 'system', only these.",
              "type": "array",
              "minItems": 1,
              "maxItems": 1024,
              "items": { "$ref": "#/$defs/path" },
              "examples": [["keys/internal-root.pem"], ["system", "keys/internal-root.pem"]]
            },
            "intermediates": {
              "title": "Intermediates",
              "description": "Certificates that the server should send but doesn't; they are part of the manifest.",
              "type": "array",
              "items": { "$ref": "#/$defs/path" },
              "maxItems": 1024
            },
            "certificate": {
              "$ref": "#/$defs/path",
              "title": "The one certificate",
              "description": "The served leaf must be this certificate, byte for byte. Path, name and usage are then not validated."
            },
            "server-name": {
              "$ref": "#/$defs/hostName",
              "title": "Server name",
              "description": "The name to verify in place of the host."
            },
            "exceptions": {
              "title": "Exceptions",
              "description": "Named failures that are excused for one certificate until an instant.",
              "type": "array",
              "items": { "$ref": "#/$defs/exception" },
              "maxItems": 1024
            },
            "minimum-rsa-bits": {
              "title": "Least RSA modulus",
              "description": "In bits.",
              "type": "integer",
              "minimum": 2048,
              "maximum": 16384,
              "examples": [3072]
            },
            "minimum-ec-bits": {
              "title": "Least elliptic-curve field",
              "description": "In bits.",
              "type": "integer",
              "minimum": 256,
              "maximum": 521,
              "examples": [384]
            },
            "signatures": {
              "title": "Signatures",
              "description": "The signatures that certificates of the chain may have.",
              "type": "array",
              "minItems": 1,
              "items": { "enum": ["rsa-pkcs1", "rsa-pss", "ecdsa", "eddsa"] }
            },
            "minimum-tls": {
              "title": "Least TLS version",
              "description": "A connection whose version is unknown is blocked. An editor reads 1.3 as a number; here it is the same as \"1.3\".",
              "enum": ["1.2", "1.3", 1.2, 1.3]
            },
            "reason": {
              "$ref": "#/$defs/text",
              "title": "Reason",
              "description": "Why trust evaluation differs."
            }
          }
        },
        "exception": {
          "title": "Exception",
          "description": "One failure that is excused for one certificate until an instant.",
          "type": "object",
          "required": ["failure", "certificate", "until", "reason"],
          "additionalProperties": false,
          "properties": {
            "failure": {
              "title": "Failure",
              "description": "What is excused.",
              "enum": ["expired", "not-yet-valid", "name-mismatch", "wrong-usage", "weak-key", "weak-signature"]
            },
            "certificate": {
              "$ref": "#/$defs/path",
              "title": "Certificate",
              "description": "The certificate that it is excused for, and no other."
            },
            "until": {
              "$ref": "#/$defs/instant",
              "title": "Until",
              "description": "From this time on it is no longer excused."
            },
            "reason": {
              "$ref": "#/$defs/text",
              "title": "Reason",
              "maxLength": 4096,
              "description": "Why it is excused."
            }
          }
        }
      }
    }
    """#
}
