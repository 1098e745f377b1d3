import Diagnostics
import PinFormat
import PinRotation
import PinValidator

/// A bar of a host's drawing.
struct TimelineRow {
  enum Kind: String {
    case release
    case server
    /// What a server was not observed to present.
    case assumed
    case entry
    case certificate
    case exception
    /// What nobody plans and clients would block.
    case future
    /// Clients are blocked already, or in part.
    case blocked
    case lockedOut = "locked-out"
  }

  var kind: Kind
  /// As the table says it.
  var title: String
  /// As the drawing says it, shorter.
  var label: String
  /// Nil for a bar that begins before anything that is known.
  var begin: Instant?
  /// Nil for a bar that doesn't end.
  var end: Instant?
  /// Where something happens within the bar, such as a manifest that becomes stale.
  var mark: Instant?
  /// What is true from its end on, if that is drawn.
  var then: String?
}

extension RotationModel {
  /// So many releases are drawn, the newest; a window seldom holds more.
  private static let mostReleases = 12

  /// The bars of a group, from the client to the result.
  func rows(of group: HostGroup) -> [TimelineRow] {
    let host = group.timeline
    var rows = host.blocked.map(row)
    rows += releases.suffix(Self.mostReleases).map(row(ofRelease:))
    rows += host.shown.map(row)
    rows += host.entries.map { entry in
      let names = entry.releases.map(name).joined(separator: ", ")
      return TimelineRow(
        kind: .entry, title: "Entry of the host (\(names)); then \(EventText.text(entry.action))",
        label: "entry", begin: entry.begin, end: entry.end, then: Self.short(entry.action))
    }
    rows += host.exceptions.map {
      TimelineRow(kind: .exception, title: "Trust exception", label: "trust exception", begin: nil, end: $0)
    }
    rows += host.certificates.map { certificate in
      let role = EventText.text(certificate.role)
      return TimelineRow(
        kind: .certificate, title: "Certificate of the \(role)", label: "\(role) certificate", begin: certificate.begin,
        end: certificate.end)
    }
    rows += host.futures.lazy.map { page.futures[$0] }.filter(isDrawn).map { future in
      TimelineRow(
        kind: .future, title: "Not planned: " + future.sentence(of: "the host", at: scenario.now),
        label: "future, \(future.short)" + (future.onlyReports ? " (reported)" : ""),
        begin: max(future.instant ?? scenario.now, scenario.now), end: nil)
    }
    return rows
  }

  /// Whether a future begins within the simulated time; the table of futures has the others.
  private func isDrawn(_ future: Future) -> Bool { future.instant.map { $0 < scenario.end } ?? true }

  private func row(_ blocked: HostTimeline.Blocked) -> TimelineRow {
    let name = name(blocked.release)
    let reason = cause.reason(blocked.cause)
    let how =
      switch (blocked.extent, blocked.isStanding) {
      case (.every, false): "locked out"
      case (.every, true): "locked out for another reason"
      case (.some, _): "partly blocked"
      }
    let client = scenario.releases[blocked.release].origin == .planned ? "planned" : name
    return TimelineRow(
      kind: blocked.isCaused ? .lockedOut : .blocked, title: "Clients with \(name) are \(how): \(reason)",
      label: client + (blocked.extent == .every ? ": locked out" : ": partly blocked"), begin: blocked.begin,
      end: blocked.end ?? scenario.end)
  }

  private func row(ofRelease number: Int) -> TimelineRow {
    let run = scenario.run(ofRelease: number)
    let release = scenario.releases[number]
    let expires = release.manifest.expires
    let isStale = expires < (run.end ?? scenario.end) && expires > run.begin
    let stale = isStale ? "; stale from \(expires): \(EventText.text(release.manifest.tables.header.onStale))" : ""
    return TimelineRow(
      kind: .release, title: "Clients run \(name(number))\(stale)",
      label: release.origin == .planned ? "run the planned release" : "run \(name(number))",
      begin: run.begin, end: run.end, mark: isStale ? expires : nil)
  }

  private func row(_ shown: HostTimeline.Shown) -> TimelineRow {
    let keys = shown.keys.isEmpty ? "no known key" : shown.keys.map { ShownText.name($0) }.joined(separator: ", ")
    let how =
      switch shown.source {
      case .observed: "as observed"
      case .assumed: "assumed: any of these"
      case .planned: "as planned"
      case .afterLoss: "after the loss of a key"
      }
    let begin = shown.source == .observed || shown.source == .assumed ? nil : shown.begin
    return TimelineRow(
      kind: shown.source == .assumed ? .assumed : .server, title: "The server presents \(keys) (\(how))",
      label: shown.source == .assumed ? "assumed to present \(keys)" : "presents \(keys)", begin: begin, end: shown.end)
  }

  private static func short(_ action: ExpiryAction) -> String {
    switch action {
    case .enforce: "enforced on"
    case .reportOnly: "only reports"
    case .unpinned: "not pinned"
    case .block: "blocks"
    }
  }
}
