import PinFormat
import PinValidator

/// Why clients are locked out, and what to do about it, in words.
package struct CauseText {
  private let scenario: Scenario
  private let names: KeyNames

  package init(_ scenario: Scenario, _ names: KeyNames) {
    self.scenario = scenario
    self.names = names
  }

  /// A clause that follows on who is locked out.
  package func reason(_ cause: LockoutCause) -> String {
    switch cause {
    case .notYetPublished(nil): "their manifest doesn't have the key that is presented, and no later release does"
    case .notYetPublished(let first?):
      "their manifest doesn't have the key that is presented, which \(scenario.releases[first].name) is the first to accept"
    case .pinRemoved: "their manifest drops the key that is presented"
    case .removedTooEarly(let successor, let published):
      "their manifest drops the key that is presented, but clients have had its successor '\(names.label(successor))' only "
        + "since \(published)"
    case .disjoint: "their manifest drops every key of the release before it"
    case .denied: Cause.deniedKey.clause
    case .newlyEnforced: "their manifest enforces pins where the release before it did not"
    case .expired(let clock): Cause(.expired(clock)).clause
    case .untrusted(let reason): Cause.untrusted(reason).clause
    case .exceptionEnded: Cause.exceptionEnded.clause
    case .unpinnedDenied: Cause.unpinnedHost.clause
    case .other: "their manifest requires more than what the server presents"
    }
  }

  /// What the maker of the release can do, in one sentence.
  package func advice(_ judged: JudgedLockout) -> String {
    switch judged.cause {
    case .notYetPublished(nil):
      "First release a policy that has the key; change the server an adoption window later."
    case .notYetPublished(let first?):
      "Change the server no earlier than \(lastGone(before: first)), when no client without the key is left."
    case .pinRemoved, .disjoint: "Keep the key in the policy until no server presents it any more."
    case .removedTooEarly(_, let published):
      "Keep the key in the policy until \(published.adding(seconds: scenario.window)), when every client has its "
        + "successor, and change the server before the key is dropped."
    case .denied:
      "Change the server to another key before the denial is released; --lose with the key's name shows which one."
    case .newlyEnforced: "Add the key that is presented to the entry, or begin with 'mode: report-only'."
    case .expired(.entry):
      Cause.entryExpired.remedy
        + ", and release that \(deadline(before: judged.lockout.begin)), or use an 'on-expiry' that doesn't "
        + "block."
    case .expired(.manifest):
      Cause.manifestExpired.remedy
        + " \(deadline(before: judged.lockout.begin)), or use an 'on-stale' that doesn't block."
    case .untrusted(let reason): Cause.untrusted(reason).remedy + "."
    case .exceptionEnded: Cause.exceptionEnded.remedy + "."
    case .unpinnedDenied: Cause.unpinnedHost.remedy + "."
    case .other: Cause(.noKey).remedy + "."
    }
  }

  /// By when to release, so that every client has that before an instant.
  private func deadline(before end: Instant) -> String {
    let last = end.adding(seconds: -scenario.window)
    return last > scenario.now
      ? "by \(last), an adoption window before" : "at once, since some clients would get it too late"
  }

  /// When nobody runs any release before this one.
  private func lastGone(before release: Int) -> Instant {
    (0..<release).compactMap { scenario.run(ofRelease: $0).end }.max() ?? scenario.releases[release].issued
  }
}
