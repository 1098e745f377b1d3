import PinFormat
import PinValidator

/// What is behind a block: which certificate, and what of it the gate could know.
struct Fault {
  /// The certificate that trust evaluation rejects.
  private enum Culprit { case leaf, intermediate, root }

  private let culprit: Culprit?
  private let flaw: ClientWorld.Flaw
  /// Whether a certificate that nobody knows yet is at fault, so that only evidence would show it.
  private let isUnknown: Bool
  private let block: Clients.Block
  /// Whether the entry needs the leaf and its CA, and the leaf's file shows the CA.
  private let isOfPair: Bool
  /// Whether a plan is about a leaf of which the policy has a certificate.
  private let isOfFile: Bool
  /// Whether only the policy denies an authority.
  private let isNewDenial: Bool
  private let exceptionEnd: Int?

  init(_ failure: Play.Failure, _ world: ClientWorld) {
    block = failure.block
    isOfFile = failure.phase.origin == .plan && world.new.place == .leaf && world.new.form == .certificate
    let last = world.releases[world.releases.count - 1].layer
    isNewDenial =
      !world.policy.deniedRoots.isSubset(of: last.deniedRoots)
      || !world.policy.deniedFiles.isSubset(of: last.deniedFiles)
    isOfPair = world.policy.requiresBoth && world.hasPairOfFiles
    exceptionEnd = world.policy.trust.exceptionUntil
    let chain = failure.phase.chain
    guard case .untrusted(let first) = block.reason, let place = first.certificate else {
      (culprit, flaw) = (nil, .none)
      if case .untrusted(let first) = block.reason {
        isUnknown = !world.hasEvidence && first.code == .oldTLSVersion
      } else {
        isUnknown = false
      }
      return
    }
    culprit = place == 0 ? .leaf : place == 1 && chain.isByIntermediate ? .intermediate : .root
    flaw =
      switch culprit {
      case .leaf: world.leaf(chain).flaw
      case .intermediate: world.authorities[chain.authority].intermediate.flaw
      case .root, nil: world.authorities[world.root(of: chain)].root.flaw
      }
    // A signature is as its issuer's key makes it, so it is known where that key's file is.
    let issuer: Culprit? =
      first.code == .weakSignature ? (place == 0 && chain.isByIntermediate ? .intermediate : .root) : culprit
    switch first.code {
    case .weakKey, .weakSignature:
      isUnknown =
        !world.hasEvidence && !world.isShown(chain, leaf: issuer == .leaf, intermediate: issuer == .intermediate)
    // Who issued the leaf, and what the server sends.
    case .unknownIssuer, .missingIntermediate: isUnknown = !world.hasEvidence && world.tightensPaths
    // Which way up is left without a certificate that was removed.
    case .expired: isUnknown = culprit == .root && !world.hasEvidence && world.takesOutCrossSigned
    case .wrongCertificate:
      isUnknown = !world.hasEvidence && world.releases[world.releases.count - 1].layer.trust.certificate == nil
    default: isUnknown = false
    }
  }

  /// Whether a warning is enough, and there is one.
  ///
  /// What a renewal of the same key can cure is warned of, and so is what only evidence would show, and that an entry
  /// blocks after a plan's last step.
  func isAnswered(by warnings: [String]) -> Bool {
    // The leaf's file is by another CA than the one that the entry needs with it.
    if case .mismatch = block.reason, isOfPair {
      return warnings.contains {
        $0.contains("lients reject the certificate in") && $0.contains("no key above it is pinned")
      }
    }
    if isUnknown { return warnings.contains { $0.hasPrefix("P627") } }
    if case .deniedKey = block.reason {
      return warnings.contains {
        // The new leaf's file is by another authority than the old one's.
        isOfFile && $0.hasPrefix("P324") || !isNewDenial && $0.hasPrefix("P324 the anchor")
          || $0.hasPrefix("P627 ") && $0.contains("' of a CA is ")
          || $0.contains("is assumed not to come from 'denied")
          || $0.contains("lients reject the certificate in") && $0.contains("is denied")
      }
    }
    if culprit == .leaf, flaw.excusable != nil,
      warnings.contains(where: { $0.hasPrefix("P627") && $0.contains("'exceptions'") })
    {
      return true
    }
    if block.isExpired {
      return warnings.contains { $0.hasPrefix("Clients are locked out of 'api.example.com:443' from") }
    }
    if let day = knownEnd, warnings.contains(where: { $0.names(end: day) }) { return true }
    if isUnanchored, warnings.contains(where: { $0.hasPrefix("P336 key 'new' counts only as the root") }) {
      return true
    }
    guard flaw != .none, culprit != nil else { return false }
    // A plan names the key anyway.
    return warnings.filter { $0.hasPrefix("P") || $0.hasPrefix("Clients reject") }.contains { warning in
      // A warning about another flaw doesn't say when clients begin to block.
      if case .ends(let day) = flaw, !warning.contains("\(instant(day))") { return false }
      return
        ["'new'", "new.pem", "'old'", "old.pem", "CN=Intermediate", "intermediate"].contains { warning.contains($0) }
    }
  }

  /// The day on which the certificate ends, or the exception for it.
  private var knownEnd: Int? {
    if case .ends(let day) = flaw, day >= 0 { return day }
    return exceptionEnd
  }

  private var isUnanchored: Bool {
    guard case .untrusted(let first) = block.reason else { return false }
    return [.unknownIssuer, .missingIntermediate].contains(first.code)
  }

  /// What a failure has in common with others: the command, how what is presented is known, and why clients block.
  func family(of command: String, _ failure: Play.Failure, _ world: ClientWorld) -> String {
    let state =
      switch failure.phase.origin {
      case .now: "what is presented"
      case .listed: "what the policy newly lists as active"
      case .step, .change, .plan, .loss: "a planned change"
      }
    return "\(command), \(state): \(cause(world))"
  }

  private func cause(_ world: ClientWorld) -> String {
    switch block.reason {
    case .untrusted(let first):
      if isUnknown { return "\(first.code) that only evidence shows" }
      if [.unknownIssuer, .missingIntermediate, .selfSigned].contains(first.code) {
        return world.sendsIntermediates ? "no anchor of the entry" : "no intermediate"
      }
      guard let culprit, flaw != .none else { return "\(first.code)" }
      return "the \(culprit)'s certificate"
    case .mismatch: return "pins"
    default: return block.name
    }
  }
}

extension ClientWorld {
  /// Whether the policy accepts fewer paths than a release before it.
  fileprivate var tightensPaths: Bool {
    func anchors(_ layer: Layer) -> Set<Anchor> { layer.trust.anchors.isEmpty ? [.system] : layer.trust.anchors }
    let last = releases[releases.count - 1].layer
    return !anchors(last).isSubset(of: anchors(policy))
      || !last.trust.intermediates.isSubset(of: policy.trust.intermediates) || takesOutCrossSigned
  }

  fileprivate var takesOutCrossSigned: Bool {
    !releases[releases.count - 1].layer.trust.crossSigned.isSubset(of: policy.trust.crossSigned)
  }

  /// Whether a file of the policy, or of a release, shows a certificate's key.
  func isShown(_ chain: Presented, leaf isLeaf: Bool, intermediate isIntermediate: Bool) -> Bool {
    func isFile(_ key: Key, _ place: Place) -> Bool { key.place == place && key.form != .pin }
    if isLeaf { return Holder.allCases.contains { chain.leaf == $0.leaf && isFile(key($0), .leaf) } }
    let trusts = layers.map(\.trust)
    if isIntermediate {
      let number = chain.authority
      return isFile(key(Holder.allCases[number]), .intermediate)
        || trusts.contains { $0.intermediates.contains(number) }
        || trusts.contains { $0.anchors.contains(number == 0 ? .intermediate0 : .intermediate1) }
    }
    let number = root(of: chain)
    return isFile(key(Holder.allCases[number]), .root) || trusts.contains { $0.anchors.contains(Anchor.roots[number]) }
  }
}

extension String {
  /// Whether a plan says that something ends on a day, and clients block from then on.
  func names(end day: Int) -> Bool {
    (hasPrefix("The certificate in '") || hasPrefix("Clients are locked out of 'api.example.com:443' from "))
      && (contains("from \(Instant.day(day)) on") || contains("expires at \(Instant.day(day)):"))
  }
}
