import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinStudies

/// `pintle simulate --shares`: which releases senders run.
struct AdoptionShares {
  /// The counts of a collector.
  var file: String
  /// Only this audience; all where nil.
  var audience: String?
  /// The policy directory, whose `client-max-age` is shown.
  var directory: String
  var baseline: AgainstOptions
  var instant: Instant

  /// Writes the shares of each audience, with `client-max-age` where the policy is there.
  func write(as format: Simulate.Format, to output: String?) throws {
    let record = try AdoptionRecord.read(path: file)
    try record.require(notAfter: instant, path: file)
    if let age = record.age(at: instant) {
      Console.warn(
        "'\(VisibleText.of(file))' is old: \(age)", help: "Fetch it again from the collector: /v1/adoption.")
    }
    let names = try audiences(of: record)
    let known = try windows()
    let reports = try names.map { name in
      AdoptionReport(
        name, record.adoption(of: name), released: try name.map { try released($0) } ?? [],
        window: name.flatMap { known[$0] })
    }
    let text =
      format == .json
      ? AdoptionReport.json(reports, measured: record.measured) : AdoptionReport.text(reports)
    try Output.write(Array(text.utf8), to: output ?? "-")
  }

  /// How many audiences are shown unless one is asked for: anybody can send any name.
  private static let most = 20

  private func audiences(of record: AdoptionRecord) throws(CommandFailure) -> [String?] {
    let known = record.audiences
    if let audience {
      guard known.contains(audience) else {
        throw CommandFailure(
          .failed, "'\(VisibleText.of(file))' has no senders of the audience '\(VisibleText.of(audience))'",
          help: Suggestion.help(
            audience, among: known, else: "Ask the collector for more days, or for another audience."))
      }
      return [audience]
    }
    guard !record.rows.isEmpty else {
      throw CommandFailure(
        .failed, "'\(VisibleText.of(file))' has no senders",
        help: "Ask the collector for more days. Services send counts once a day, if 'report-uris' are set.")
    }
    if known.count > Self.most {
      Console.warn(
        "\(known.count - Self.most) audiences with few senders aren't shown", help: "Pass --audience to see one.")
    }
    let unnamed: [String?] = record.rows.contains { $0.audience == nil } ? [nil] : []
    return known.prefix(Self.most).map { $0 } + unnamed
  }

  /// The releases of an audience.
  ///
  /// Its name may be anybody's, so it never becomes part of a path unless it is one name.
  private func released(_ audience: String) throws(CommandFailure) -> [ReleasedManifest] {
    guard !audience.contains("/"), !audience.hasPrefix(".") else { return [] }
    return try baseline.released(policy: "", for: audience)
  }

  private func windows() throws -> [String: Int64] {
    guard directory != "policies" || InputFile.isFolder(directory) else { return [:] }
    let policies = try LoadedPolicy.loadEach(
      wholeOf: directory, audience: nil, for: "The policy says 'client-max-age': name its directory.")
    var windows: [String: Int64] = [:]
    for policy in policies {
      windows[policy.policy.settings?.audience?.value ?? ""] = policy.policy.effectiveSettings.clientMaxAge
    }
    return windows
  }
}
