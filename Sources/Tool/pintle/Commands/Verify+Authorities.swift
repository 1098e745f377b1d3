import ArgumentParser
import Diagnostics
import PinExchange
import PinPolicy
import PinRelease
import PinRules

extension Verify {
  /// Checks authorities files: YAML ones by themselves, signed ones by their signers first.
  func verifyAuthorities() throws {
    let latest = try AuthorityOptions.latestReview(at: time.instant)
    let checked =
      if let keyset = authoritiesKeyset {
        try AuthorityFiles(SourceSet(signedTexts(keyset)), until: latest)
      } else {
        try AuthorityFiles(unsignedPaths(), until: latest)
      }
    let report = try checked.report(at: time.instant)
    let signers = authoritiesKeyset == nil ? "" : "verified: enough signers of the keyset have signed\n"
    try facts.write(text: signers + TextRenderer().render(report), json: JSONRenderer().render(report))
    if report.diagnostics.contains(where: { $0.severity == .error }) { try ExitStatus.findings.exit() }
  }

  private func unsignedPaths() throws(CommandFailure) -> [String] {
    for path in files where AuthorityOptions.isSigned(path) {
      throw CommandFailure(
        .refused, "'\(VisibleText.of(path))' is signed, but no keyset is given to verify it",
        help: "Pass the keyset of its signers, for example --authorities-keyset 1.keyset.json.")
    }
    return files
  }

  private func signedTexts(_ keyset: String) throws(CommandFailure) -> [SourceSet.File] {
    let walk = try KeysetFiles.walk([keyset], audience: nil)
    return try files.map { path throws(CommandFailure) in
      let bytes = try InputFile.read(path, limit: SignedAuthorities.sizeLimit)
      let text = try SignedAuthorities.text(bytes, of: path, by: walk, at: time.instant)
      return SourceSet.File(path: path, bytes: text)
    }
  }
}
