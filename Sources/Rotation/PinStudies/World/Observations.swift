import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRotation
import PinRules
import PinValidator

/// What the servers of the evidence present, to clients of each release.
struct Observations {
  /// The evidence, judged by the candidate.
  let assessment: Assessment
  /// The servers that answered, and that some release has a say about.
  private(set) var servers: [HostPort: ServerPhase] = [:]

  /// Nil where there is no evidence.
  ///
  /// - Throws: ``RotationWorldError/judging(_:)``.
  init?(_ question: RotationQuestion, _ plan: RotationReleases) throws(RotationWorldError) {
    guard let evidence = question.evidence else { return nil }
    let candidate = plan.releases[plan.candidateNumber].manifest
    assessment = try Self.judge(evidence, by: candidate, question)
    let customisations = Customisations(plan.releases, base: plan.candidateNumber, at: question.now)
    var others: [Int: [Int]] = [:]
    var shares: [Int: [Customisations.Share]] = [:]
    for (number, target) in assessment.targets.enumerated() {
      guard target.hasAnswered, customisations.concern(target.place) else { continue }
      servers[target.place] = ServerPhase(
        begin: question.now, source: .observed,
        views: ObservedViews.views(of: target, in: assessment, CarriedCertificates(candidate, target, assessment, plan))
      )
      for share in customisations.shares(target.place) {
        others[share.judge, default: []].append(number)
        shares[number, default: []].append(share)
      }
    }
    for (release, targets) in others.sorted(by: { $0.key < $1.key }) {
      let excerpt = Self.excerpt(of: evidence, targets: targets.map { evidence.targets[$0] })
      let judged = try Self.judge(
        excerpt, by: try Self.lasting(plan.releases[release].manifest, at: question.now), question)
      for (number, target) in zip(targets, judged.targets) {
        let carried = CarriedCertificates(plan.releases[release].manifest, target, judged, plan)
        let views = ObservedViews.views(of: target, in: judged, carried)
        // Mostly other trust settings give the same result.
        guard views != servers[target.place]?.views else { continue }
        for share in shares[number] ?? [] where share.judge == release {
          for sharer in share.releases { servers[target.place]?.otherViews[sharer] = views }
        }
      }
    }
  }

  /// The same manifest without ends, so that its entries' `trust` counts also where they have run out.
  private static func lasting(
    _ manifest: LoadedManifest, at instant: Instant
  ) throws(RotationWorldError) -> LoadedManifest {
    let tables = manifest.tables
    let isOver =
      manifest.expires <= instant || tables.hosts.contains { tables.expiry(of: $0).map { $0 <= instant } ?? false }
    guard isOver else { return manifest }
    var lasting = manifest.manifest
    lasting.expires = .latest
    for number in lasting.hosts.indices {
      lasting.hosts[number].expires = nil
      lasting.hosts[number].onExpiry = nil
    }
    do throws(RehearsalError) { return try Rehearsal().load(lasting) } catch { throw .rehearsal(error) }
  }

  private static func judge(
    _ evidence: Evidence, by manifest: LoadedManifest, _ question: RotationQuestion
  ) throws(RotationWorldError) -> Assessment {
    do {
      return try Judge(manifest: manifest, stores: question.stores, limits: question.limits).assess(
        evidence, at: question.now)
    } catch {
      throw .judging(error)
    }
  }

  /// Some targets of the evidence, with the certificates that they and the trust stores need.
  private static func excerpt(of evidence: Evidence, targets: [Evidence.Target]) -> Evidence {
    var needed = Set(evidence.stores.flatMap(\.anchors))
    for visit in targets.lazy.flatMap(\.addresses).flatMap(\.visits) { needed.formUnion(visit.served?.chain ?? []) }
    var excerpt = evidence
    excerpt.targets = targets
    excerpt.certificates = evidence.certificates.filter { needed.contains($0.fingerprint) }
    return excerpt
  }
}

extension RotationQuestion {
  fileprivate var limits: ClientLimits { ClientLimits(policy.policy.verifiers) }
}

extension AssessedTarget {
  var place: HostPort { HostPort(host, port) }
}
