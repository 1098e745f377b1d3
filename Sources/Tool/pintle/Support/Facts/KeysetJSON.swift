import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease

extension JSONWriter {
  /// What a keyset says.
  mutating func keyset(_ name: String, _ file: KeysetFile) {
    let keyset = file.keyset
    object(name) { writer in
      writer.member("audience", keyset.audience)
      writer.member("version", keyset.version)
      writer.member("issued", keyset.issued)
      writer.member("expires", keyset.expires)
      writer.member("serialEpoch", keyset.serialEpoch)
      writer.member("minimumSerial", keyset.minimumSerial)
      writer.array("critical", keyset.critical)
      for (name, role) in [("roots", keyset.roots), ("signers", keyset.signers)] {
        writer.object(name) { writer in
          writer.member("threshold", role.threshold)
          writer.array("keys", role.keys)
        }
      }
      writer.objects("keys", file.keyring.members) { member, writer in
        writer.signer(member.keyID, name: member.name)
        writer.member("algorithm", member.algorithm.name)
      }
    }
  }

  /// The signatures of a keyset, and which of them count for a threshold.
  mutating func signatures(of file: KeysetFile, after previous: KeysetFile?, _ signatures: KeysetSignatures) {
    let versions = [file, previous].compactMap(\.self)
    objects("signatures", file.signatures) { signature, writer in
      let roots = versions.compactMap { version in
        version.keyring[signature.keyID].flatMap { $0.isRoot ? (name: $0.name, version: version.keyset.version) : nil }
      }
      writer.signer(signature.keyID, name: roots.first?.name)
      guard let root = roots.first else { return }
      writer.member("isValid", !signatures.invalid.contains(root.name))
      writer.array("rootOf") { writer in roots.forEach { writer.member(nil, $0.version) } }
    }
    objects("thresholds", signatures.tallies) { tally, writer in
      writer.member("version", tally.version)
      writer.member("threshold", tally.threshold)
      writer.array("signed", tally.signed)
      writer.array("open", tally.open)
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
