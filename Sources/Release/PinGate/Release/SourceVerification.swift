package import Diagnostics
package import PinFormat
package import PinPolicy
package import PinRelease
import PinRotation
import PinRules
import PinStudies
import PinValidator

/// Whether a manifest is what its sources compile to.
package struct SourceVerification {
  package let path: String
  package let manifest: Manifest
  private let signedBytes: [UInt8]

  /// - Parameters:
  ///   - file: The manifest's file, verified.
  ///   - path: What messages call it.
  package init(of file: VerifiedFile, at path: String) {
    self.init(of: file.manifest.manifest, in: file.bytes, at: path)
  }

  /// A manifest as its file's bytes say it.
  init(of manifest: Manifest, in file: [UInt8], at path: String) {
    (self.path, self.manifest) = (path, manifest)
    // The received bytes; if they can't be read, they are empty and equal no compiled policy.
    let envelope = try? SignatureEnvelope(scanning: file)
    signedBytes = envelope.map { Array(file[$0.signed]) } ?? []
  }

  /// A draft, which nobody has signed: for those who ask before they do.
  ///
  /// - Parameters:
  ///   - file: The whole file.
  ///   - path: What messages call it.
  /// - Throws: ``WorkFailure`` where it isn't a draft of a manifest; what is signed is verified first.
  package init(ofDraft file: [UInt8], at path: String) throws(WorkFailure) {
    self.path = path
    do {
      manifest = try SignedManifest.unverifiedContent(of: file)
    } catch {
      throw WrongFile.failure(path, file, needed: .manifest)
        ?? WorkFailure(.failed, "'\(path)' can't be compared: \(error.message)")
    }
    guard let envelope = try? SignatureEnvelope(draft: file, as: .manifest), envelope.signatures.isEmpty else {
      throw Trust.missing(for: path)
    }
    signedBytes = Array(file[envelope.signed])
  }

  /// A file that somebody is asked to sign, however many have.
  package init(of file: SignableManifest, at path: String) {
    self.path = path
    (manifest, signedBytes) = (file.manifest, file.signedBytes)
  }

  /// Compiles the sources again and compares the bytes.
  ///
  /// - Parameter source: Where the sources should be.
  /// - Returns: What messages call them, and what doesn't make a difference by itself: another commit, another compiler.
  /// - Throws: ``WorkFailure`` where the bytes differ, with what differs.
  package func verify(from source: PolicySource) throws(WorkFailure) -> (name: String, remarks: [String]) {
    let (policy, name, commit) = try source.load(for: manifest.provenance, audience: manifest.audience)
    let remarks = remarks(on: name, commit)
    do throws(WorkFailure) {
      try compare(with: policy, name)
      return (name, remarks)
    } catch {
      throw error.shown(after: remarks)
    }
  }

  /// The policy that it was compiled from, for those who ask more of it.
  ///
  /// - Throws: ``WorkFailure`` where the bytes differ.
  package func policy(from source: PolicySource) throws(WorkFailure) -> LoadedPolicy {
    let (policy, name, _) = try source.load(for: manifest.provenance, audience: manifest.audience)
    try compare(with: policy, name)
    return policy
  }

  func compare(with policy: LoadedPolicy, _ name: String) throws(WorkFailure) {
    // As of the build: something may have expired since.
    let checked = try policy.checked(
      at: manifest.issued,
      orFail: WorkFailure(
        .refused, code: "invalid-sources", "'\(path)' is rejected: '\(name)' has errors, so it wasn't built from that",
        help: "Name the sources as they were when it was built, such as git:COMMIT."),
      showsErrorsAlone: true)
    let again: Recompilation
    do {
      again = try checked.recompiled(as: manifest, signedBytes)
    } catch {
      throw WorkFailure(
        .refused, code: "invalid-sources", "'\(path)' is rejected: '\(name)' makes no manifest: \(error.message)")
    }
    guard let difference = again.firstDifference else { return }
    throw refusal(again, name).shown(after: lines(again, difference, name))
  }

  private func remarks(on name: String, _ commit: String?) -> [String] {
    var remarks: [String] = []
    if let commit, let named = manifest.provenance.commit, commit != named {
      remarks.append("'\(name)' is the commit \(commit); the manifest names \(named)")
    }
    if manifest.provenance.compiler != Version.compiler {
      remarks.append(
        "the manifest was built by '\(VisibleText.of(manifest.provenance.compiler))'; compiled again by "
          + "'\(Version.compiler)'")
    }
    return remarks
  }

  private func lines(_ again: Recompilation, _ difference: Recompilation.Difference, _ name: String) -> [String] {
    let changes = ManifestChanges(from: again.manifest, to: manifest)
    let groups = ChangeGroup.all(of: changes, from: again.manifest, to: manifest, detail: .whole)
    let head = "from what '\(VisibleText.of(name))' compiles to, to what '\(VisibleText.of(path))' says:\n"
    return (groups.isEmpty ? [] : [head, ChangeText(groups: groups).text()]) + [
      "the signed bytes differ from byte \(difference.offset) on:",
      "  manifest  \(VisibleText.of(difference.released))",
      "  compiled  \(VisibleText.of(difference.compiled))",
    ]
  }

  private func refusal(_ again: Recompilation, _ name: String) -> WorkFailure {
    let fields = again.fields.isEmpty ? "" : ": \(again.fields.joined(separator: ", "))"
    if again.sources != manifest.provenance.sources {
      let content =
        again.fields.isEmpty ? "they say the same, but aren't the same files" : "what they say differs\(fields)"
      return WorkFailure(
        .refused, code: "other-sources",
        "'\(path)' is rejected: '\(name)' holds sources of the digest \(again.sources.hex), the manifest names "
          + "\(manifest.provenance.sources.hex); \(content)",
        help: "Name the sources as they were when it was built, such as git:COMMIT.")
    }
    let other = manifest.provenance.compiler != Version.compiler
    return WorkFailure(
      .refused, code: "other-bytes",
      "'\(path)' is rejected: its sources are '\(name)', and it isn't what they compile to\(fields)",
      help: other
        ? "Ask the version of pintle that built it as well; if that finds a difference too, don't release it."
        : "It was changed after it was compiled, or compiled by another program: don't release it.")
  }
}
