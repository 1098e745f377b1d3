import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// An entry must change an answer.
  static let entryWithoutEffect = Rule(
    code: "P206",
    name: "entry-without-effect",
    severity: .warning,
    title: "Every answer of an entry would be the same without it.",
    rationale: """
      An entry that repeats the one above it looks as if it protected something more. In the next rotation one of the two
      is changed and the other forgotten, and because the more specific one applies, that may be the forgotten one.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: example.com
          include-subdomains: true
          keys: public-web
        - host: api.example.com
          keys: public-web
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: example.com
          include-subdomains: true
          keys: public-web
      """),
    citation: "docs/policy.md#which-entry-applies",
    check: .policy { input in
      let hosts = input.policy.hosts
      var answers = HostAnswers(input)
      // Without another entry for the same names, removing an entry always changes the answer, so those are skipped.
      return hosts.indices.lazy.filter(input.hostIndex.hasOthersAround).compactMap { index in
        guard !input.hostIndex.hasDuplicate(index), !isPartlyUnread(hosts[index], in: input),
          let parts = input.hostIndex.fallbacks(without: index),
          isWithoutEffect(index, parts, &answers), let other = parts.compactMap(\.entry).first
        else { return nil }
        return Finding(
          at: hosts[index].written.place,
          "this entry changes nothing: '\(hosts[other].label)' already says the same for '\(hosts[index].label)'",
          related: [Diagnostic.Related("covered by this entry", at: hosts[other].written.place)],
          help:
            "Delete the entry, or add what should differ. Put names for live checks into 'probe:' of the other entry.",
          fixes: input.deletingItem("the entry", at: hosts[index].written.place, .suggested))
      }
    })

  /// True where what makes the entry different may be what could not be read.
  private static func isPartlyUnread(_ entry: Policy.HostEntry, in input: CheckInput) -> Bool {
    input.written(entry).map { input.unread.containsAny(of: $0) || input.isCutOff($0) } ?? false
  }

  /// True where whatever would answer in an entry's place gives the same answers.
  ///
  /// An entry that nothing is behind has an effect, or is an exclusion without a parent: another rule's finding.
  static func isWithoutEffect(_ index: Int, _ parts: [HostIndex.Fallback], _ answers: inout HostAnswers) -> Bool {
    let entry = answers.input.policy.hosts[index]
    let others = Set(parts.map(\.entry))
    guard others != [nil] else { return false }
    let answer = HostAnswer(entry, answers.input.keySetContents)
    for other in others {
      guard let other else {
        if entry.mode.value == .off { continue }
        return false
      }
      if answers[other] != answer { return false }
    }
    return true
  }
}
