import Diagnostics
import OpenSSLKit
import PinFormat

/// What a command found out or did, for programs, as `schemas/facts.schema.json` describes it.
///
/// Members may be added; none is removed, renamed or given another meaning without another `version`.
enum Facts {
  /// One object, which says first what kind it is.
  static func text(_ kind: String, _ body: (inout JSONWriter) -> Void) -> String {
    JSONWriter.document("pintle-" + kind, by: .pintle, body)
  }
}

extension JSONWriter {
  /// A signing key and the name that people know it by, where they have one; in an object.
  mutating func signer(_ keyID: SHA256Digest, name: String?) {
    member("keyID", keyID.hex)
    member("name", name)
  }

  mutating func signers(_ name: String, _ signers: [(keyID: SHA256Digest, name: String?)]) {
    objects(name, signers) { $1.signer($0.keyID, name: $0.name) }
  }

  /// Why something is rejected.
  mutating func rejection(_ failure: CommandFailure) {
    object("rejection") { $0.failure(failure) }
  }

  /// The same; in an object.
  mutating func failure(_ failure: CommandFailure) {
    member("code", failure.code ?? "other")
    member("message", failure.message)
    member("help", failure.help)
  }
}
