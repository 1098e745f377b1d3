/// Findings that have one cause: alike in every word but the host that they are about.
///
/// For people only. Formats for programs keep an entry for each place.
package struct FindingGroup: Sendable {
  package let first: Diagnostic
  /// The others, in the order of the report.
  package private(set) var others: [Diagnostic] = []

  /// A finding alone.
  package init(_ diagnostic: Diagnostic) {
    first = diagnostic
  }

  /// The findings of a report, grouped: each group is where its first finding is.
  package static func all(in report: Report) -> [FindingGroup] {
    guard report.diagnostics.count > 1 else { return report.diagnostics.map { FindingGroup($0) } }
    let names = FindingHosts(report.hosts)
    var groups: [FindingGroup] = []
    var numbers: [FindingLikeness: Int] = [:]
    for diagnostic in report.diagnostics {
      let likeness = FindingLikeness(diagnostic, names)
      if let number = numbers[likeness] {
        groups[number].others.append(diagnostic)
      } else {
        numbers[likeness] = groups.count
        groups.append(FindingGroup(diagnostic))
      }
    }
    return groups
  }
}

/// What has to be equal for two findings to have one cause.
private struct FindingLikeness: Hashable {
  private let code: String
  private let severity: Severity
  private let message: String
  private let help: String
  private let related: [Diagnostic.Related]
  private let fixes: [String]
  private let hasWitness: Bool

  init(_ diagnostic: Diagnostic, _ names: FindingHosts) {
    code = diagnostic.code
    severity = diagnostic.severity
    message = names.masked(diagnostic.message)
    help = names.masked(diagnostic.help)
    related = diagnostic.related.map { Diagnostic.Related(names.masked($0.message), at: $0.place) }
    fixes = diagnostic.fixes.map { names.masked($0.title) }
    hasWitness = diagnostic.witness != nil
  }
}

/// The names of hosts, as messages quote them: `'api.example.com'`, `'api.example.com:443'`.
struct FindingHosts {
  private let hosts: Set<String>

  init(_ hosts: Set<String>) {
    self.hosts = hosts
  }

  /// The text with the same words in the place of every host.
  func masked(_ text: String) -> String {
    guard !hosts.isEmpty else { return text }
    return parts(of: text).map { $0.isHost ? "host" : $0.text }.joined(separator: "'")
  }

  /// The first host that the text names.
  func first(in text: String) -> String? {
    hosts.isEmpty ? nil : parts(of: text).first(where: \.isHost).map { String($0.text) }
  }

  /// The hosts that the text names, without ports.
  fileprivate func all(in text: String) -> [String] {
    hosts.isEmpty ? [] : text.split(separator: "'").compactMap(host)
  }

  /// What is between the quotation marks, and outside of them, in turn.
  private func parts(of text: String) -> [(text: Substring, isHost: Bool)] {
    text.split(separator: "'", omittingEmptySubsequences: false).map { ($0, host($0) != nil) }
  }

  private func host(_ word: Substring) -> String? {
    if hosts.contains(String(word)) { return String(word) }
    guard let colon = word.lastIndex(of: ":"), word[word.index(after: colon)...].allSatisfy(\.isNumber) else {
      return nil
    }
    let host = String(word[..<colon])
    return hosts.contains(host) ? host : nil
  }
}

extension Diagnostic {
  /// Those of some hosts that a reader sees named in it.
  package func named(among hosts: Set<String>) -> [String] {
    let names = FindingHosts(hosts)
    return ([message, help] + related.map(\.message) + fixes.map(\.title)).flatMap(names.all)
  }
}
