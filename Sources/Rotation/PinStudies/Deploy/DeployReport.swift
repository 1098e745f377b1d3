import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRules
import PinValidator

/// The answer, for people and for programs.
package struct DeployReport {
  let deploy: Deploy
  /// Why the lockout is accepted; nil where it isn't.
  let acceptance: String?

  package init(_ deploy: Deploy, acceptedBecause acceptance: String? = nil) {
    self.deploy = deploy
    self.acceptance = deploy.verdict == .locksOut ? acceptance : nil
  }

  /// Whether the certificate may be installed.
  package var mayInstall: Bool { deploy.verdict != .locksOut || acceptance != nil }

  // MARK: Text

  /// Of many lockouts, so many are shown.
  private static let mostShown = 12

  package func text() -> String {
    var table = Table()
    let heading =
      switch deploy.verdict {
      case .accepted: "ACCEPTED"
      case .locksOut: "LOCKS OUT"
      case .notPinned: "NOT PINNED"
      }
    table.add(heading, VisibleText.of(deploy.question.label))
    table.add("because", VisibleText.of(reason))
    if let certificate = deploy.certificate { table.add("certificate", description(of: certificate)) }
    table.add("releases", inUse)
    table.add("clients", deploy.question.kindNames.listed())
    if let served = servedText { table.add("served now", served) }
    if let acceptance { table.add("accepted", VisibleText.of(acceptance)) }
    table.add("at", deploy.question.instant.description)
    return table.text() + lockoutText + notes.map { "note: \(VisibleText.of($0))\n" }.joined()
      + (help.map { "help: \(VisibleText.of($0))\n" } ?? "")
  }

  private var counting: [Deploy.Lockout] { deploy.lockouts.filter(\.counts) }

  private var reason: String {
    switch deploy.verdict {
    case .accepted:
      let others = deploy.lockouts.isEmpty ? "" : ", apart from what is noted below"
      return "clients of \(counted(deploy.releases.count, "release")) in use accept it until it ends\(others)"
    case .notPinned: return "no release in use pins the host"
    case .locksOut:
      guard let first = counting.min(by: { $0.begin < $1.begin }) else { return "" }
      let releases = Set(counting.map { "\($0.audience) \($0.release)" }).count
      return
        "clients of \(releases) of \(counted(deploy.releases.count, "release")) in use block it from \(first.begin): "
        + first.reason
    }
  }

  private func description(of certificate: CertificateRecord) -> String {
    let end = certificate.notAfter.map { ", ends at \($0)" } ?? ""
    return "\(CertificateText.name(certificate)), \(certificate.pin?.description ?? "no readable key")\(end)"
  }

  /// `production serial 2 to serial 4, staging serial 1`, by the window.
  private var inUse: String {
    let names = deploy.question.audiences.compactMap { audience -> String? in
      let own = deploy.releases.filter { $0.audience == audience.name }
      guard let first = own.first, let last = own.last else { return nil }
      let range = own.count == 1 ? first.name : "\(first.name) to \(last.name)"
      return VisibleText.of("\(audience.name) \(range)")
    }
    let window = Wording.duration(deploy.question.window)
    return (names.isEmpty ? "none" : names.joined(separator: ", ")) + "; client-max-age \(window)"
  }

  private var servedText: String? {
    guard let served = deploy.served else { return nil }
    let name = CertificateText.name(served)
    let end = served.notAfter.map { $0 <= deploy.question.instant ? ", ended at \($0)" : ", ends at \($0)" } ?? ""
    guard let first = deploy.servedLockouts.filter(\.counts).min(by: { $0.begin < $1.begin }) else {
      return "\(name)\(end): all clients accept it until then"
    }
    return "\(name)\(end): \(VisibleText.of("\(first.audience) \(first.release)")) blocks it from \(first.begin)"
  }

  private var lockoutText: String {
    guard !counting.isEmpty else { return "" }
    var table = Table()
    for lockout in counting.prefix(Self.mostShown) {
      table.add(
        VisibleText.of("\(lockout.audience) \(lockout.release)"), lockout.client ?? "all clients",
        "from \(lockout.begin)", lockout.end.map { "until \($0)" } ?? "until it ends", VisibleText.of(lockout.reason))
    }
    let more = counting.count - Self.mostShown
    return "LOCKED OUT\n" + table.text(indent: 2) + (more > 0 ? "  and \(more) more\n" : "")
  }

  /// What a reader of the answer has to know besides.
  package var notes: [String] {
    var notes = deploy.expiries.map { expiry in
      let tense = expiry.instant <= deploy.question.instant ? "expired" : "expires"
      return "the entry \(expiry.entry) of \(expiry.audience) \(expiry.release) \(tense) at \(expiry.instant): "
        + Self.consequence(of: expiry.action)
    }
    if let meant { notes.append("no entry covers '\(deploy.question.host)'; did you mean '\(meant)'?") }
    let uncounted = deploy.lockouts.filter { !$0.counts && !$0.isByAnyExpiry }
    if let first = uncounted.first {
      notes.append(
        "from \(first.begin) on, clients of \(first.audience) \(first.release) block it and the certificate that is served "
          + "now alike: \(first.reason)")
    }
    for newest in deploy.question.audiences.compactMap(\.releases.last)
    where newest.loaded.expires <= deploy.question.instant {
      notes.append(
        "the newest release, \(newest.loaded.audience) \(newest.name), is stale since \(newest.loaded.expires): is the folder "
          + "up to date?")
    }
    if let last = deploy.outdated.last, let end = last.runEnd {
      let others = Set(deploy.outdated.map { "\($0.audience) \($0.release)" }).count - 1
      notes.append(
        "not counted: \(last.audience) \(last.release)\(others > 0 ? " and \(counted(others, "earlier release"))" : ""), "
          + "which no client should run since \(end), would block it; if some do, raise --client-max-age")
    }
    return notes
  }

  /// The host that may be meant where nothing pins the one that was asked about.
  private var meant: String? {
    guard deploy.verdict == .notPinned else { return nil }
    let asked = deploy.question.host
    let hosts = deploy.question.audiences.compactMap(\.releases.last).flatMap { $0.manifest.hosts.map(\.host.text) }
    return Suggestion.nearest(to: asked, among: hosts).flatMap {
      Suggestion.isOneSlip(from: asked, to: $0, among: hosts) ? $0 : nil
    }
  }

  private static func consequence(of action: ExpiryAction) -> String {
    switch action {
    case .enforce: "clients go on as before"
    case .reportOnly: "mismatches are only reported from then on"
    case .unpinned: "clients don't pin the host from then on"
    case .block: "clients block every certificate from then on; release a later 'expires:' before"
    }
  }

  /// What to do about a lockout.
  package var help: String? {
    guard deploy.verdict == .locksOut else { return nil }
    var parts: [String] = []
    let isServedEnded = deploy.served?.notAfter.map { $0 <= deploy.question.instant } ?? false
    if acceptance == nil {
      parts.append(
        isServedEnded
          ? "The certificate that is served now has ended, so keeping it helps nobody. To install this one nevertheless, "
            + "and leave a record, add --accept-lockout REASON and --record FILE."
          : deploy.servedLockouts.contains(where: \.counts)
            ? "Don't install it before you know why the certificate that is served now locks clients out too."
            : "Don't install it: keep the certificate that is served now.")
    }
    let ends = counting.compactMap(\.runEnd)
    let isOfPins = counting.allSatisfy(\.isOfPins)
    if isOfPins, ends.count == counting.count, let last = ends.max(),
      last < deploy.certificate?.notAfter ?? .earliest
    {
      parts.append("From \(last) on, no client runs a release that blocks it.")
    } else if isOfPins {
      let keys = deploy.acceptedKeys.prefix(3).joined(separator: " or ")
      if !keys.isEmpty { parts.append("Every release in use accepts a certificate with the key \(keys).") }
      if let pin = deploy.certificate?.pin {
        parts.append(
          "Or add the new key (\(pin)) to the policy as a backup, release that, and install the certificate when every "
            + "release in use has it.")
      }
    } else {
      parts += Set(counting.filter { !$0.isOfPins }.compactMap { $0.remedy }).sorted().map { $0 + "." }
    }
    return parts.joined(separator: " ")
  }
}

extension Deploy.Lockout {
  /// Whether other pins would let it through.
  fileprivate var isOfPins: Bool { if case .mismatch = obstacle { true } else { false } }

  /// Whether the entry's expiry blocks every certificate, which is noted with the entry.
  fileprivate var isByAnyExpiry: Bool {
    if case .expired = obstacle { return true }
    if case .unpinnedHost(.expired) = obstacle { return true }
    return false
  }

  fileprivate var remedy: String? {
    switch obstacle {
    case .untrusted(let failure)? where failure.actor == .policyAuthor:
      "Correct the policy, or use a certificate that all kinds of clients can judge"
    case .untrusted?, nil: "Correct the certificate or the chain; the pins aren't the cause"
    case .deniedKey?: "Make a new key for the certificate, and keep the denial"
    case .some(let other): Cause(other).remedy
    }
  }
}

extension DeployQuestion {
  var kindNames: [String] {
    verifiers.map(\.rawValue) + (seesLeafOnly ? [Policy.ClientKind.leafOnly.rawValue] : [])
  }
}
