package import Diagnostics
import OpenSSLKit
import PinFormat

/// A keyset as tables that people read, and as JSON.
package struct KeysetDescription {
  private let file: KeysetFile
  private let previous: KeysetFile?
  private let signatures: KeysetSignatures

  package init(_ file: KeysetFile, after previous: KeysetFile?) throws(WorkFailure) {
    self.file = file
    self.previous = previous
    do throws(CryptoError) {
      signatures = try KeysetSignatures(of: file, after: previous)
    } catch {
      throw WorkFailure(.failed, error.message)
    }
  }

  package func text() -> String {
    let keyset = file.keyset
    var head = Table()
    head.add("audience", VisibleText.of(keyset.audience))
    head.add("version", "\(keyset.version)")
    head.add("issued", "\(keyset.issued)")
    head.add("expires", "\(keyset.expires)")
    head.add("serials", "from \(keyset.minimumSerial) on, epoch \(keyset.serialEpoch)")
    head.add("manifests", "need \(keyset.signers.threshold) of \(counted(keyset.signers.keys.count, "signature"))")
    head.add("keysets", "need \(keyset.roots.threshold) of \(counted(keyset.roots.keys.count, "signature"))")
    if !keyset.critical.isEmpty {
      head.add("critical", keyset.critical.map { VisibleText.of($0) }.joined(separator: ", "))
    }
    var keys = Table()
    keys.add("NAME", "SIGNS", "SIGNED THIS", "ALGORITHM", "KEY ID")
    for member in file.keyring.members {
      keys.add(member.name, Self.roles(member), state(of: member), member.algorithm.name, member.keyID.hex)
    }
    return head.text() + "\nKEYS (\(file.keyring.members.count))\n" + keys.text(indent: 2) + others()
  }

  /// Signatures that aren't its own roots', which are those of the version before.
  private func others() -> String {
    let ids = file.signatures.map(\.keyID).filter { file.keyring[$0]?.isRoot != true }
    guard !ids.isEmpty else { return "" }
    var table = Table()
    for id in ids {
      table.add(id.hex, signatures.tallies.count > 1 ? whose(id) : "")
    }
    return "\nSIGNATURES OF OTHER KEYS (\(ids.count))\n" + table.text(indent: 2)
  }

  private func whose(_ id: SHA256Digest) -> String {
    guard let previous, let root = previous.keyring[id], root.isRoot else { return "an unknown signer's" }
    let state = signatures.invalid.contains(root.name) ? ", WRONG" : ""
    return "\(root.name), a root of version \(previous.keyset.version)\(state)"
  }

  private static func roles(_ member: Keyring.Member) -> String {
    member.isRoot ? member.isSigner ? "keysets, manifests" : "keysets" : "manifests"
  }

  private func state(of member: Keyring.Member) -> String {
    guard member.isRoot else { return "-" }
    if signatures.invalid.contains(member.name) { return "WRONG" }
    return file.signatures.contains { $0.keyID == member.keyID } ? "yes" : "no"
  }

  package func json() -> String {
    let keyset = file.keyset
    return JSONWriter.text { json in
      json.member("audience", keyset.audience)
      json.member("version", keyset.version)
      json.member("issued", keyset.issued)
      json.member("expires", keyset.expires)
      json.member("serialEpoch", keyset.serialEpoch)
      json.member("minimumSerial", keyset.minimumSerial)
      json.array("critical", keyset.critical)
      for (name, role) in [("roots", keyset.roots), ("signers", keyset.signers)] {
        json.object(name) { json in
          json.member("threshold", role.threshold)
          json.array("keys", role.keys)
        }
      }
      json.objects("keys", file.keyring.members) { member, json in
        json.member("name", member.name)
        json.member("algorithm", member.algorithm.name)
        json.member("keyID", member.keyID.hex)
      }
      json.objects("signatures", file.signatures) { add($0, to: &$1) }
    }
  }

  private func add(_ signature: SignatureEnvelope.Signature, to json: inout JSONWriter) {
    let own = file.keyring[signature.keyID].flatMap { $0.isRoot ? $0 : nil }
    let before = previous?.keyring[signature.keyID].flatMap { $0.isRoot ? $0 : nil }
    json.member("keyID", signature.keyID.hex)
    if let name = (own ?? before)?.name {
      json.member("name", name)
      json.member("isValid", !signatures.invalid.contains(name))
    }
  }
}
