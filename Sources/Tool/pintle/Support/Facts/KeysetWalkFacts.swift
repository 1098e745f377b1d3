import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinValidator

/// What `pintle verify` found out, as far as it came.
struct KeysetWalkFacts {
  /// One version on the way, with the names of the roots who signed it.
  struct Version {
    var number: Int64
    var file: String
    var signers: [String]
  }

  let instant: Instant
  /// The one that was shipped first.
  var versions: [Version] = []
  var newest: TrustedKeyset?
  /// Why the newest, or one on the way, is rejected.
  var rejection: CommandFailure?

  /// A line for each version.
  func table() -> String {
    var table = Table()
    for (index, version) in versions.enumerated() {
      table.add(
        "version \(version.number)", VisibleText.of(version.file),
        "\(index == 0 ? "trusted as shipped, " : "")signed by \(KeysetDraft.list(version.signers))")
    }
    return table.text()
  }

  func json() -> String {
    Facts.text("keyset-verify") { writer in
      writer.member("at", instant)
      writer.member("verdict", rejection == nil ? "verified" : "rejected")
      if let rejection { writer.rejection(rejection) }
      if let newest {
        writer.object("newest") { writer in
          writer.member("audience", newest.audience)
          writer.member("version", newest.version)
          writer.member("expires", newest.expires)
        }
      }
      writer.objects("versions", versions) { version, writer in
        writer.member("version", version.number)
        writer.member("file", version.file)
        writer.array("signedBy", version.signers)
      }
    }
  }
}
