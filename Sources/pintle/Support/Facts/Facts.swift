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
  /// A digest as all JSON of the tool has it.
  mutating func digest(_ name: String?, _ digest: SHA256Digest) {
    member(name, "sha256:" + digest.hex)
  }

  mutating func digests(_ name: String, _ digests: [SHA256Digest]) {
    array(name) { writer in
      for digest in digests { writer.digest(nil, digest) }
    }
  }

  /// A signing key and the name that people know it by, where they have one; in an object.
  mutating func signer(_ keyID: SHA256Digest, name: String?) {
    member("keyID", keyID.hex)
    if let name { member("name", name) }
  }

  /// Why something is rejected.
  mutating func rejection(_ failure: CommandFailure) {
    object("rejection") { writer in
      writer.member("code", failure.code ?? "other")
      writer.member("message", failure.message)
      if let help = failure.help { writer.member("help", help) }
    }
  }
}
