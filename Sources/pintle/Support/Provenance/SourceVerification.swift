import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinRules
import PinValidator

/// Whether a manifest is what its sources compile to.
struct SourceVerification {
  let path: String
  let manifest: Manifest
  private let signedBytes: [UInt8]

  /// - Parameters:
  ///   - file: The manifest's file, verified.
  ///   - path: What messages call it.
  init(of file: VerifiedFile, at path: String) {
    self.path = path
    manifest = file.manifest.manifest
    // The very bytes that came; no policy compiles to none.
    let envelope = try? SignatureEnvelope(scanning: file.bytes)
    signedBytes = envelope.map { Array(file.bytes[$0.signed]) } ?? []
  }

  /// A draft, which nobody has signed: for those who ask before they do.
  ///
  /// - Parameters:
  ///   - file: The whole file.
  ///   - path: What messages call it.
  /// - Throws: ``CommandFailure`` where it isn't a draft of a manifest; what is signed is verified first.
  init(ofDraft file: [UInt8], at path: String) throws(CommandFailure) {
    self.path = path
    do {
      manifest = try SignedManifest.unverifiedContent(of: file)
    } catch {
      throw WrongFile.failure(path, file, needed: .manifest)
        ?? CommandFailure(.failed, "'\(path)' can't be compared: \(error.message)")
    }
    guard let envelope = try? SignatureEnvelope(draft: file, as: .manifest), envelope.signatures.isEmpty else {
      throw Trust.missing(for: path)
    }
    signedBytes = Array(file[envelope.signed])
  }

  /// Compiles the sources again and compares the bytes.
  ///
  /// - Parameter source: Where they are said to be.
  /// - Returns: What messages call them.
  /// - Throws: ``CommandFailure`` with exit status 6 where the bytes differ; what differs is shown before.
  func verify(from source: PolicySource) throws(CommandFailure) -> String {
    let (policy, name, commit) = try source.load(for: manifest.provenance)
    mentionOrigin(of: name, commit)
    // As when it was built: that something has run out since doesn't mean that it can't have been.
    let outcome = CheckedPolicy.check(CheckInput(policy: policy.policy, at: manifest.issued))
    guard let checked = outcome.checked else {
      var errors = outcome.result
      errors.diagnostics.removeAll { $0.severity != .error }
      Console.say(ReportOptions.text(errors, of: policy, at: manifest.issued))
      throw CommandFailure(
        .refused, code: "invalid-sources", "'\(path)' is rejected: '\(name)' has errors, so it wasn't built from that",
        help: "Name the sources as they were when it was built, such as git:COMMIT.")
    }
    let again: Recompilation
    do {
      again = try checked.recompiled(as: manifest, signedBytes)
    } catch {
      throw CommandFailure(
        .refused, code: "invalid-sources", "'\(path)' is rejected: '\(name)' makes no manifest: \(error.message)")
    }
    guard let difference = again.firstDifference else { return name }
    show(again, difference, name)
    throw refusal(again, name)
  }

  /// Says what doesn't make a difference by itself: another commit, another compiler.
  private func mentionOrigin(of name: String, _ commit: String?) {
    if let commit, let named = manifest.provenance.commit, commit != named {
      Console.say("'\(name)' is the commit \(commit); the manifest names \(named)")
    }
    if manifest.provenance.compiler != Version.compiler {
      Console.say(
        "the manifest was built by '\(VisibleText.of(manifest.provenance.compiler))'; compiled again by "
          + "'\(Version.compiler)'")
    }
  }

  private func show(_ again: Recompilation, _ difference: Recompilation.Difference, _ name: String) {
    let changes = ManifestChanges(from: again.manifest, to: manifest)
    let groups = ChangeGroup.all(of: changes, from: again.manifest, to: manifest, detail: .whole)
    if !groups.isEmpty {
      Console.say("from what '\(VisibleText.of(name))' compiles to, to what '\(VisibleText.of(path))' says:\n")
      Console.say(ChangeText(groups: groups).text())
    }
    Console.say("the signed bytes differ from byte \(difference.offset) on:")
    Console.say("  manifest  \(VisibleText.of(difference.released))")
    Console.say("  compiled  \(VisibleText.of(difference.compiled))")
  }

  private func refusal(_ again: Recompilation, _ name: String) -> CommandFailure {
    let fields = again.fields.isEmpty ? "" : ": \(again.fields.joined(separator: ", "))"
    if again.sources != manifest.provenance.sources {
      let content =
        again.fields.isEmpty ? "they say the same, but aren't the same files" : "what they say differs\(fields)"
      return CommandFailure(
        .refused, code: "other-sources",
        "'\(path)' is rejected: '\(name)' holds sources of the digest \(again.sources.hex), the manifest names "
          + "\(manifest.provenance.sources.hex); \(content)",
        help: "Name the sources as they were when it was built, such as git:COMMIT.")
    }
    let other = manifest.provenance.compiler != Version.compiler
    return CommandFailure(
      .refused, code: "other-bytes",
      "'\(path)' is rejected: its sources are '\(name)', and it isn't what they compile to\(fields)",
      help: other
        ? "Ask the version of pintle that built it as well; if that finds a difference too, don't release it."
        : "It was changed after it was compiled, or compiled by another program: don't release it.")
  }
}
