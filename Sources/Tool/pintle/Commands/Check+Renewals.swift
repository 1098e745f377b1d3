import ArgumentParser
import Diagnostics
import PinExchange
import PinFormat
import PinPolicy
import PinRules

/// What the tools that renew certificates do with the keys that the policy pins.
extension Check {
  func validateRenewals() throws {
    guard !renewals.isEmpty else {
      if record != nil { throw ValidationError("--record requires --renewals.") }
      return
    }
    if fix { throw ValidationError("--fix can't be combined with --renewals.") }
    if paths.count != 1 { throw ValidationError("--renewals needs the whole policy: name its directory.") }
    if let record, record == (report.output ?? "-") {
      throw ValidationError("--record and the report can't be written to the same place.")
    }
  }

  /// Adds to what is found in the policy whether the next renewals keep its keys.
  func checkRenewals(_ library: AuthorityLibrary, at instant: Instant) throws {
    let source = try LoadedPolicy.load(
      wholeOf: paths[0], audience: audience, for: "This check needs the whole policy: name its directory.")
    let policy = source.policy
    guard policy.problems.isEmpty else {
      throw CommandFailure(
        .findings, "the policy can't be read as a whole, so it isn't known which hosts it pins",
        help: "Fix what 'pintle check' reports, and run the command again.")
    }
    let found = try RenewalFiles(
      below: renewals, except: policy.sources.files.map(\.path), firstFile: policy.sources.files.count)
    if found.files.isEmpty {
      Console.warn(
        "no settings of \(RenewalFiles.tools) were found in \(renewals.map { "'\(VisibleText.of($0))'" }.listed())",
        help: "Pass the folder of the tool, such as /etc/letsencrypt.")
    }
    let check = RenewalCheck(policy, found.settings, in: found.files, search: found.search, at: instant)
    let ofPolicy = try result(of: [source], library, at: instant).report(of: source, at: instant)
    var all = check.report()
    all.diagnostics += ofPolicy.diagnostics
    all.diagnostics = all.gravestFirst
    all.suppressed = ofPolicy.suppressed
    let known = Set(all.rules.map(\.code))
    all.rules += ofPolicy.rules.filter { !known.contains($0.code) }
    let isText = report.format == .text || report.format == .concise
    var text = isText ? check.text : ""
    if !isText || !all.diagnostics.isEmpty { text += (isText ? "\n" : "") + report.rendered(all) }
    try Output.write(Array(text.utf8), to: report.output ?? "-")
    report.sayRemarks(all)
    if let record { try Output.write(Array(check.record.json.utf8), to: record) }
    try report.status(of: all).exit()
  }
}
