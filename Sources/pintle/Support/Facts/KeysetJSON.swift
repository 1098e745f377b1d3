import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy

extension JSONWriter {
  /// What a keyset says.
  mutating func keyset(_ name: String, _ file: KeysetFile) {
    let keyset = file.keyset
    object(name) { writer in
      writer.member("audience", keyset.audience)
      writer.member("version", Int(keyset.version))
      writer.member("issued", keyset.issued.description)
      writer.member("expires", keyset.expires.description)
      writer.member("serialEpoch", Int(keyset.serialEpoch))
      writer.member("minimumSerial", Int(keyset.minimumSerial))
      writer.array("critical", keyset.critical)
      for (name, role) in [("roots", keyset.roots), ("signers", keyset.signers)] {
        writer.object(name) { writer in
          writer.member("threshold", role.threshold)
          writer.array("keys", role.keys)
        }
      }
      writer.array("keys") { writer in
        for member in file.keyring.members {
          writer.object { writer in
            writer.signer(member.keyID, name: member.name)
            writer.member("algorithm", member.algorithm.name)
          }
        }
      }
    }
  }

  /// The signatures of a keyset, and which of them count for a threshold.
  mutating func signatures(of file: KeysetFile, after previous: KeysetFile?, _ signatures: KeysetSignatures) {
    array("signatures") { writer in
      for signature in file.signatures {
        let roots = [file, previous].compactMap { version in
          version?.keyring[signature.keyID].flatMap { $0.isRoot ? (name: $0.name, version: version) : nil }
        }
        writer.object { writer in
          writer.signer(signature.keyID, name: roots.first?.name)
          guard let root = roots.first else { return }
          writer.member("isValid", !signatures.invalid.contains(root.name))
          writer.array("rootOf") { writer in
            for root in roots { if let version = root.version { writer.member(nil, Int(version.keyset.version)) } }
          }
        }
      }
    }
    array("thresholds") { writer in
      for tally in signatures.tallies {
        writer.object { writer in
          writer.member("version", Int(tally.version))
          writer.member("threshold", tally.threshold)
          writer.array("signed", tally.signed)
          writer.array("open", tally.open)
        }
      }
    }
    member("isComplete", signatures.isComplete)
  }
}

extension KeysetDescription {
  func json() -> String {
    Facts.text("keyset-show") { writer in
      writer.keyset("keyset", file)
      writer.signatures(of: file, after: previous, signatures)
    }
  }
}
