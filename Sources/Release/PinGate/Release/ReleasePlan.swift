package import PinFormat
import PinPolicy
package import PinRelease
import PinRules

/// What the caller says of serial and issue time, which are never taken from the clock or counted in secret.
package struct ReleasePlan: Sendable {
  package var serial: Int64?
  package var issued: Instant?
  package var baseline: Baseline?
  /// The commit of the sources.
  package var commit: String?
  /// Why clients are to activate the release even where it takes many pins away; nil for a plain one.
  package var drasticChange: String?

  package init(
    serial: Int64?, issued: Instant?, baseline: Baseline?, commit: String?, drasticChange: String? = nil
  ) {
    self.serial = serial
    self.issued = issued
    self.baseline = baseline
    self.commit = commit
    self.drasticChange = drasticChange
  }
}

/// What a build comes to.
package enum BuildOutcome: Sendable {
  /// A manifest to sign and release.
  case release(Manifest)
  /// The policy says what the baseline says: the released manifest goes on, byte for byte.
  case unchanged(Baseline)
}

/// Why no release can be made of a policy and a plan.
package enum ReleaseError: Error, Hashable, Sendable {
  case lowering(LoweringError)
  /// Without a baseline both are needed.
  case missingSerialOrTime
  /// The policy differs from the baseline, so there is a new release, whose time nobody gave.
  case missingTime
  /// The serial would not grow.
  case serialNotAbove(baseline: Int64, given: Int64)
  /// The release would be older than the one before it.
  case timeBeforeBaseline(baseline: Instant, given: Instant)
  /// The baseline is meant for another environment.
  case otherAudience(baseline: String, policy: String)

  /// What is wrong and what to do.
  package var message: String {
    switch self {
    case .lowering(let error): error.message
    case .missingSerialOrTime:
      "a first release needs its serial and its time; give --serial 1 --issued-at now, or --against for a later one"
    case .missingTime:
      "the policy differs from the baseline, so this is a new release; give its time with --issued-at"
    case .serialNotAbove(let baseline, let given):
      "serial \(given) does not follow the baseline's \(baseline); clients accept only a higher one"
    case .timeBeforeBaseline(let baseline, let given):
      "\(given) is before the baseline was issued, \(baseline)"
    case .otherAudience(let baseline, let policy):
      "the policy's audience is '\(policy)', but the baseline's is '\(baseline)'; clients of one audience never accept the other's"
    }
  }
}

extension CheckedPolicy {
  /// Makes the manifest that a plan asks for.
  ///
  /// Without an issue time, a plan with a baseline asks whether there is anything to release at all: provenance aside,
  /// an equal manifest is not released again, because one serial must always stand for the same bytes.
  ///
  /// - Parameters:
  ///   - plan: What the caller says of the release.
  ///   - compiler: The compiler and its version.
  /// - Returns: The manifest to sign, or the baseline where nothing changed.
  /// - Throws: ``ReleaseError`` where the plan is incomplete or contradicts the baseline.
  package func build(_ plan: ReleasePlan, compiler: String) throws(ReleaseError) -> BuildOutcome {
    guard let baseline = plan.baseline else {
      guard let serial = plan.serial, let issued = plan.issued else { throw .missingSerialOrTime }
      return .release(
        try lower(
          Release(
            serial: serial, issued: issued, previous: nil, commit: plan.commit, compiler: compiler,
            drasticChange: plan.drasticChange)))
    }
    let before = baseline.manifest
    if let issued = plan.issued {
      guard issued >= before.issued else {
        throw .timeBeforeBaseline(baseline: before.issued, given: issued)
      }
      let serial = plan.serial ?? baseline.nextSerial
      guard serial > before.serial else { throw .serialNotAbove(baseline: before.serial, given: serial) }
      let manifest = try lower(
        Release(
          serial: serial, issued: issued, previous: baseline.digest, commit: plan.commit, compiler: compiler,
          drasticChange: plan.drasticChange))
      guard manifest.audience.utf8.elementsEqual(before.audience.utf8) else {
        throw .otherAudience(baseline: before.audience, policy: manifest.audience)
      }
      return .release(manifest)
    }
    var again = try lower(
      Release(
        serial: before.serial, issued: before.issued, previous: before.previous, commit: plan.commit,
        compiler: compiler, drasticChange: plan.drasticChange ?? before.drasticChange))
    again.provenance = before.provenance
    guard again == before, plan.serial ?? before.serial == before.serial else { throw .missingTime }
    return .unchanged(baseline)
  }

  /// Whether the policy differs from the plan's baseline, or that expires within so many days of the issue time.
  package func isDue(_ plan: ReleasePlan, within days: Int64, compiler: String) -> Bool {
    var again = plan
    (again.serial, again.issued) = (nil, nil)
    // If it can't be said, the build says why.
    guard let issued = plan.issued, case .unchanged(let last)? = try? build(again, compiler: compiler)
    else { return true }
    return last.manifest.expires <= issued.adding(seconds: days * 86_400)
  }

  private func lower(_ release: Release) throws(ReleaseError) -> Manifest {
    do {
      return try lowered(as: release)
    } catch {
      throw .lowering(error)
    }
  }
}

/// A released manifest that was verified before it was read.
package struct Baseline: Sendable {
  /// The file as it was released.
  package var bytes: [UInt8]
  package var manifest: Manifest
  /// SHA-256 over the signed bytes: what the next release names as its predecessor.
  package var digest: SHA256Digest
  /// All that is released, which clients may still have, in order.
  package var releases: [ReleasedManifest] = []
  /// The serial that the next release gets unless one is given.
  package var nextSerial: Int64

  package init(bytes: [UInt8], manifest: Manifest, digest: SHA256Digest) {
    nextSerial = manifest.serial &+ 1
    self.bytes = bytes
    self.manifest = manifest
    self.digest = digest
  }
}
