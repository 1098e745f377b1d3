import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

extension Rule {
  /// A key with which clients accept no chain, as its own file shows.
  package static let rejectedKey = Rule(
    code: "P336",
    name: "rejected-key",
    severity: .error,
    title: "Clients reject every chain with a pinned key, as far as the policy shows.",
    rationale: """
      A client first evaluates the chain and then compares the pins. So a pin is useless if clients reject every chain
      with its key. `check` finds this out with the validator that clients run:

      - **The certificate in the key's file**: clients must accept it as the server's own, or accept what it issues.
      - **A key without a certificate**: `check` makes one up below each of the entry's anchors. Clients must accept one.
      - **The key's place**: without `system` in `anchors:`, a root must be one of the anchors. An anchor is always the
        root of its chains.

      It is a warning if clients may accept another certificate for the same key: ask the CA to reissue it; the pin stays
      the same. If another active key works, it is a warning if only the anchors are the reason, and `check` leaves out
      dates, unknown issuers, and name constraints for other hosts of the key set.
      """,
    failing: Example(example("example-intermediate, other-root")),
    passing: Example(example("example-intermediate, example-root")),
    citation: "docs/validation.md#keys-given-as-files",
    check: .policy { input in input.keyFaults.compactMap { finding($0, input) } })

  private static func example(_ keys: String) -> String {
    let names = keys.split(separator: ", ")
    return """
      version: 1
      keys:
        \(names[0]): { file: keys/\(names[0]).pem }
        \(names[1]): { file: keys/\(names[1]).pem, position: root }
      hosts:
        - host: api.example.com
          keys: { active: [\(names[0])], backup: [\(names[1])] }
          trust: { anchors: [keys/example-root.pem], reason: issued by our own CA }
      """
  }
}

private func finding(_ fault: TrustFault, _ input: CheckInput) -> Finding? {
  let policy = input.policy
  guard let index = fault.key else { return nil }
  let key = policy.keys[index]
  let name = "key '\(key.name.value)'"
  let isUnverified = input.knownKeys.unverified(key) != nil
  let entry = policy.hosts[fault.host]
  let hosts = fault.hosts(in: policy)
  // A wrong place blocks where the entry enforces; trust evaluation blocks in every mode.
  let ofPlace: Severity? = entry.mode.value == .enforce ? nil : .warning
  let related = [
    Diagnostic.Related("used by '\(entry.label)' here", at: entry.keySet?.place ?? entry.written.place)
  ]
  switch fault.kind {
  case .rejected(let failure):
    // P321 reports these for every key, whether or not an entry uses it.
    if failure.code == .weakKey || fault.hasOldDigest(failure) { return nil }
    // So does P337 these.
    if [.malformed, .weakSignature, .other].contains(failure.code), isUnverified { return nil }
    if fault.isUnexamined(failure) { return fault.unexamined(name, failure) }
    let isOfDates = [.expired, .notYetValid].contains(failure.code)
    if isOfDates, input.isServed(key, for: entry) || input.reportsExpiry(of: key, for: entry, failure) { return nil }
    // Of a key that may get another certificate, only the chains that are known are rejected.
    let rejected =
      !fault.isCurable
      ? "every chain with \(name)" : (key.material?.certificate == nil ? "" : "the certificate of ") + name
    return Finding(
      at: fault.place, "clients reject \(rejected) for \(hosts): \(fault.clause(failure))",
      related: related, help: fault.help(failure), severity: fault.isCurable ? .warning : nil)
  case .leadsNowhere:
    guard !isUnverified, !input.isServed(key, for: entry), input.hasUsableAnchors(entry) else { return nil }
    let issuer = Wording.quoted(key.material?.certificate?.issuer ?? "", most: 120)
    return Finding(
      at: fault.place,
      "\(name) leads to no anchor of \(hosts): its certificate was issued by \(issuer), which is neither an anchor nor "
        + "an intermediate of the policy",
      related: related,
      help:
        "Add the issuer's certificate to 'anchors:' or 'intermediates:', or name the certificate that the host's own CA "
        + "issued for this key.",
      severity: .warning)
  case .isRoot:
    return Finding(
      at: key.position?.place ?? fault.place,
      "\(name) counts only as an intermediate, but \(hosts) has it as an anchor, which is the root of each chain",
      related: related, help: "Set 'position: root' or 'position: ca', or remove its certificate from 'anchors:'.",
      severity: ofPlace)
  case .isNotAnAnchor:
    guard input.hasUsableAnchors(entry) else { return nil }
    let isOnlyRoot = key.position?.value == .root
    if !isOnlyRoot, input.isServed(key, for: entry) { return nil }
    return Finding(
      at: isOnlyRoot ? key.position?.place ?? fault.place : fault.place,
      "\(name) \(isOnlyRoot ? "counts only as the root" : "is a root's"), but it is not among the trust anchors of \(hosts)",
      related: (entry.trust?.anchorFiles.first).map {
        [Diagnostic.Related("chains end in these anchors only", at: $0.place)]
      } ?? related,
      help:
        "Add its certificate to 'anchors:', and release that before servers change to it; or remove it from the key set."
        + (isOnlyRoot
          ? ""
          : " If one of these anchors issued another certificate for the key (a cross-signed one), and servers send that, set "
            + "'position: intermediate'."),
      severity: fault.isCurable ? .warning : nil)
  case .isBelowNoAnchor:
    guard !input.isServed(key, for: entry) else { return nil }
    return Finding(
      at: fault.place,
      "no anchor of \(hosts) can issue a certificate for \(name): each of them is a server's own certificate",
      related: related,
      help: "Add the certificate that servers present for this key, or its CA's certificate, to 'anchors:'.",
      severity: ofPlace)
  }
}

extension TrustFault {
  /// MD5 or SHA-1 on the certificate itself.
  fileprivate func hasOldDigest(_ failure: TrustFailure) -> Bool {
    guard failure.code == .weakSignature, let certificate = certificate?.certificate, !certificate.isSelfIssued else {
      return false
    }
    return ["MD5", "SHA1"].contains(certificate.signatureDigest?.uppercased().filter { $0 != "-" } ?? "")
      && failure.fingerprint == certificate.fingerprint
  }
}

extension CheckInput {
  /// False where P329 or P311 reports what is wrong with the entry's anchors.
  fileprivate func hasUsableAnchors(_ entry: Policy.HostEntry) -> Bool {
    guard !hasUnreadAnchors(entry), let trust = entry.trust else { return false }
    return trust.anchorFiles.contains { $0.value.contains(where: canEndAPath) }
  }

  /// P322 says that a CA's certificate has ended before the entry.
  fileprivate func reportsExpiry(of key: Policy.Key, for entry: Policy.HostEntry, _ failure: TrustFailure) -> Bool {
    guard failure.code == .expired, let certificate = key.material?.certificate, let expires = entry.expires else {
      return false
    }
    return certificate.isCA && certificate.notAfter < expires.value
  }

  /// Whether the evidence has a valid chain for the host with this key, so servers have another certificate for it.
  func isServed(_ key: Policy.Key, for entry: Policy.HostEntry) -> Bool {
    guard let live else { return false }
    let names = key.manifestKeys.map(\.name)
    return live.assessment.targets.contains { target in
      target.host == entry.host
        && target.visits.contains { visit in
          visit.served?.judgements.contains { judgement in
            judgement.paths.first?.matches.contains { $0.counts && names.contains($0.key) } ?? false
          } ?? false
        }
    }
  }
}
