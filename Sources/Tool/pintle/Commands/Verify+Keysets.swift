import ArgumentParser
import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinValidator

extension Verify {
  /// Walks from the first version, which is trusted as shipped, to the last, as clients do.
  func verifyKeysets() throws {
    var found = KeysetWalkFacts(instant: time.instant)
    let isFine: Bool
    do throws(CommandFailure) {
      isFine = try verifyKeysets(&found)
    } catch {
      if facts.format == .json, error.status == .refused {
        found.rejection = error
        try Console.write(found.json())
      }
      throw error
    }
    if !isFine { try ExitStatus.findings.exit() }
  }

  /// Walks from version to version, and says what was found; false if the rules have errors.
  private func verifyKeysets(_ found: inout KeysetWalkFacts) throws(CommandFailure) -> Bool {
    let walk = try KeysetFiles.walk(files, audience: verification.audience)
    let newest = walk.newest
    found.newest = newest
    var before: KeysetFile?
    for step in walk.steps {
      let file = try KeysetFiles.read(step.path)
      found.versions.append(
        KeysetWalkFacts.Version(
          number: step.trusted.version, file: step.path, signers: try Self.signers(of: file, after: before)))
      before = file
    }
    if facts.format == .text { try Console.write(found.table()) }
    guard time.instant < newest.expires else {
      throw CommandFailure(
        .refused, code: "keyset-expired",
        "'\(walk.steps[walk.steps.count - 1].path)' is rejected: it expired \(newest.expires); clients accept no "
          + "further manifest with it [keyset-expired]",
        help: "Make and release the next version (pintle keyset next), or give --at for another instant.")
    }
    let last = walk.steps.dropLast().last?.trusted.keyset
    let isFine = KeysetFindings.say(of: newest.keyset, after: last, at: time.instant)
    try facts.write(
      text: "verified: version \(newest.version) for '\(VisibleText.of(newest.audience))' holds until "
        + "\(newest.expires)\n",
      json: found.json())
    return isFine
  }

  private static func signers(of file: KeysetFile, after previous: KeysetFile?) throws(CommandFailure) -> [String] {
    let signatures: KeysetSignatures
    do {
      signatures = try KeysetSignatures(of: file, after: previous)
    } catch {
      throw CommandFailure(.failed, error.message)
    }
    let names = signatures.tallies.flatMap(\.signed)
    return names.enumerated().filter { names.firstIndex(of: $0.element) == $0.offset }.map(\.element)
  }
}
