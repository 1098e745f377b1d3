import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRotation
import PinRules
import PinValidator

/// Why clients reject the certificate in a key's file at servers that will present the key.
///
/// Keys are planned, not certificates: a server can get another one for the same key. Until then, it can't use this one.
struct KeyFileObjection {
  let path: String
  /// As messages name them.
  let servers: [String]
  /// What is wrong, in a clause.
  let clause: String
}

/// Asks what clients make of the certificates in key files: once for all keys of a scenario.
final class KeyFiles {
  private let played: Scenario
  private let keys: KnownKeys
  private let known: KnownCertificates
  private let certificates: [SHA256Digest: [UInt8]]
  /// What servers may send beside a key's certificate.
  private let sent: [SHA256Digest]
  private var validators: [Instant: DeclaredTrust] = [:]

  /// - Parameters:
  ///   - study: Of the policy that has the keys.
  ///   - played: The scenario with what is planned; its servers are those of the study.
  init(_ study: RotationStudy, in played: Scenario) {
    let policy = study.policy
    self.played = played
    keys = KnownKeys(policy)
    known = study.world.certificates
    let seen = study.question.evidence?.certificates ?? []
    var certificates = policy.keyCertificates
    sent = (Array(certificates.keys) + seen.map(\.fingerprint)).sorted()
    let carried = played.releases.flatMap(\.manifest.tables.certificates)
    for known in seen + policy.certificates + carried { certificates[known.fingerprint] = known.der }
    self.certificates = certificates
  }

  /// - Parameters:
  ///   - key: A key of the policy.
  ///   - servers: Those that will present it, by index in the scenario.
  ///   - instant: From when on.
  /// - Returns: For each reason, the servers whose clients reject the certificate; empty where the key has none.
  func objections(to key: Policy.Key, at servers: [Int], from instant: Instant) -> [KeyFileObjection] {
    guard let file = key.material, file.certificate != nil, var declared = key.declared(keys) else { return [] }
    declared.isForHost = true
    let running = played.releases.indices.filter { number in
      played.run(ofRelease: number).end.map { instant < $0 } ?? true
    }.map { played.releases[$0].manifest }
    let validator = validator(at: instant)
    var found: [(clause: String, servers: [String])] = []
    for number in servers {
      let place = HostPort(played.servers[number].host, played.servers[number].port)
      let pinning = running.filter { $0.entry(at: place) != nil }
      let faults = pinning.flatMap { validator.faults(of: declared, in: $0.trust(at: place), of: place.host) }
      let above = issuerObjection(to: key, file, at: played.servers[number], from: instant)
      for clause in faults.compactMap({ self.clause($0, of: key, file) }) + (above.map { [$0] } ?? []) {
        let label = played.servers[number].label
        guard let group = found.firstIndex(where: { $0.clause == clause }) else {
          found.append((clause, [label]))
          continue
        }
        if !found[group].servers.contains(label) { found[group].servers.append(label) }
      }
    }
    return found.map { KeyFileObjection(path: file.path, servers: $0.servers, clause: $0.clause) }
  }

  private func validator(at instant: Instant) -> DeclaredTrust {
    if let known = validators[instant] { return known }
    let validator =
      validators.values.first.map { DeclaredTrust($0, at: instant) }
      ?? DeclaredTrust(at: instant, alsoSent: sent) { [certificates] in certificates[$0] }
    validators[instant] = validator
    return validator
  }

  /// What clients block of the chain that the certificate has, if they accept the planned one.
  private func issuerObjection(
    to key: Policy.Key, _ file: KeyMaterial, at server: Server, from instant: Instant
  ) -> String? {
    guard let certificate = file.certificate, !certificate.isSelfIssued else { return nil }
    let ways =
      certificate.isCA ? known.issuers(of: file.pin) : known.issuers(ofLeaf: file.pin)
    guard !ways.isEmpty else { return nil }
    let phase = server.phases.last { $0.begin <= instant } ?? server.phases[0]
    for (number, release) in played.releases.enumerated()
    where played.run(ofRelease: number).end.map({ instant < $0 }) ?? true {
      let manifest = release.manifest
      let governance = release.governance(of: server, at: instant, .pins)
      for chain in phase.views(ofRelease: number).flatMap(\.landings).map(\.trust.chain) {
        guard let place = chain.pins.firstIndex(of: file.pin), manifest.passes(chain, governance) else { continue }
        let clauses = ways.map { way in
          manifest.objection(
            to: PresentedChain(chain.pins[...place] + way), governance,
            issuer: Wording.quoted(certificate.issuer, most: 120))
        }
        if clauses.allSatisfy({ $0 != nil }), let clause = clauses[0] { return clause }
      }
    }
    return nil
  }

  /// Where a key can't be at all, the judge of chains says.
  private func clause(_ fault: DeclaredTrust.Fault, of key: Policy.Key, _ file: KeyMaterial) -> String? {
    switch fault.kind {
    case .rejected(let failure):
      let described = TrustFault(fault.kind, ofKey: file, at: key.sourcePlace)
      return described.isUnexamined(failure) ? nil : described.clause(failure)
    case .leadsNowhere:
      let issuer = Wording.quoted(file.certificate?.issuer ?? "", most: 120)
      return "no known certificate leads from its issuer \(issuer) to an anchor of the entry"
    case .isRoot, .isBelowNoAnchor, .isNotAnAnchor: return nil
    }
  }
}

extension LoadedManifest {
  /// Why clients block a chain with a certificate; nil if they don't, or if it isn't known enough of the chain.
  fileprivate func objection(to chain: PresentedChain, _ governance: Governance, issuer: String) -> String? {
    guard case .pinned(let entry) = governance, case .block(let reason, _) = decide(chain, for: entry) else {
      return nil
    }
    switch reason {
    case .deniedKey(let match):
      return "it was issued by \(issuer), and the key '\(tables.name(ofKey: match.key))' above it is denied"
    case .mismatch where chain.pins.last != .some(nil):
      return "it was issued by \(issuer), and no key above it is pinned"
    default: return nil
    }
  }
}
