import Diagnostics
import PinFormat
import PinPolicy
import PinRules

/// Proposes values for a field or an item.
struct ValueProposals {
  let meaning: Meaning?
  let now: Instant

  func proposals(at path: [Outline.Step], files: () -> [Proposal]) -> [Proposal] {
    switch FieldRole.ofValue(at: path) {
    case .keyReference: return keys
    case .setReference: return sets
    case .path:
      return
        (path.contains(.field("anchors"))
        ? [Proposal(label: "system", kind: .keyword, detail: "The system's anchors")] : []) + files()
    case .instant: return instants
    default: break
    }
    guard let field = FieldSchema.at(path) else { return [] }
    if field.isBoolean { return ["true", "false"].map { Proposal(label: $0, kind: .enumMember) } }
    if path == [.field("version")] { return [Proposal(label: "1", kind: .value)] }
    return field.words.map { word in
      // Quoted, because editors read the plain form as a number.
      let isNumber = word.first?.isNumber == true
      return Proposal(label: word, kind: .enumMember, detail: field.title, text: isNumber ? "\"\(word)\"" : word)
    }
  }

  private var keys: [Proposal] {
    guard let meaning else { return [] }
    return meaning.policy.keys.map { key in
      var detail = key.denied == nil ? key.material?.commonName ?? key.material?.kind.rawValue : "denied"
      if let position = key.position {
        detail = [detail, position.value.rawValue].compactMap { $0 }.joined(separator: ", ")
      }
      return Proposal(
        label: key.name.value, kind: .reference, detail: detail,
        documentation: KeyHover(meaning: meaning, sightings: nil, now: now).text(key.name.value))
    }
  }

  private var sets: [Proposal] {
    guard let meaning else { return [] }
    return meaning.policy.keySets.filter { !$0.isInline }.map { set in
      Proposal(
        label: set.name, kind: .reference, detail: "\(set.active.count) active, \(set.backup.count) backup",
        documentation: SetHover(meaning: meaning).text(set.name))
    }
  }

  /// Days that people choose.
  private var instants: [Proposal] {
    [("in 90 days", 90), ("in half a year", 182), ("in a year", 365)].map { title, days in
      let date = String("\(now.adding(seconds: Int64(days) * 86_400))".prefix(10))
      return Proposal(label: date, kind: .value, detail: title)
    }
  }

  /// The codes that a suppression may name.
  static var ruleCodes: [Proposal] {
    Rule.catalogue.filter(isOfLines).map { rule in
      Proposal(
        label: rule.code, kind: .enumMember, detail: rule.name, documentation: FieldHover.text(ofRule: rule.code))
    }
  }

  /// True for rules whose findings are in policy files and can be accepted there.
  private static func isOfLines(_ rule: Rule) -> Bool {
    switch rule.check {
    case .keyset, .elsewhere: false
    case .policy, .suppressions, .live, .rotation: rule.isSuppressible
    }
  }
}
