import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease

/// What `pintle publish` wrote, or would write.
struct PublicationFacts {
  let target: String
  let instant: Instant
  let isDryRun: Bool
  var plan: Publication.Plan?
  /// Why nothing is published.
  var rejection: CommandFailure?

  func text() -> String {
    guard let plan else { return "" }
    let name = VisibleText.of(target)
    guard !plan.missing.isEmpty else {
      return "\(name) is up to date: \(counted(plan.files.count, "file")) compared, none written\n"
    }
    var table = Table()
    for file in plan.missing {
      let serial = file.kind == .pointer ? "serial \(file.number)" : ""
      table.add(verb(file.action), file.path, serial + (file.replacedSerial.map { " in place of \($0)" } ?? ""))
    }
    let kept = plan.files.count - plan.missing.count
    return (isDryRun ? "would publish" : "published") + " to \(name)"
      + (kept > 0 ? ", which has \(counted(kept, "file")) already" : "") + ":\n" + table.text(indent: 2)
  }

  private func verb(_ action: PublishedFile.Action) -> String {
    isDryRun ? action.rawValue : action == .create ? "created" : "replaced"
  }

  func json() -> String {
    Facts.text("publish") { writer in
      writer.member("at", instant)
      writer.member("target", target)
      writer.member("isDryRun", isDryRun)
      writer.member("verdict", rejection != nil ? "rejected" : isDryRun ? "planned" : "published")
      if let rejection { writer.rejection(rejection) }
      writer.objects("files", plan?.files ?? []) { file, writer in
        writer.member("path", file.path)
        writer.member("kind", file.kind.rawValue)
        writer.member("audience", file.audience)
        writer.member(file.kind == .keyset ? "version" : "serial", file.number)
        writer.member("action", file.action.rawValue)
        writer.member("bytes", Int64(file.bytes.count))
        if let digest = try? SHA256.digest(of: file.bytes) { writer.digest("digest", SHA256Digest(digest)) }
      }
    }
  }
}
