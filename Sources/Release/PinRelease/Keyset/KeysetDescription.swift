package import Diagnostics
import OpenSSLKit
import PinFormat

/// A keyset as tables that people read.
package struct KeysetDescription {
  package let file: KeysetFile
  package let previous: KeysetFile?
  package let signatures: KeysetSignatures

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
}
