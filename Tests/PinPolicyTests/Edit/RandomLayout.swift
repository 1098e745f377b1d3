import PinPolicy
import TestSupport

/// Writes a policy in any of the ways in which people lay YAML out.
struct RandomLayout {
  private(set) var lines: [String] = []
  /// Every comment that was written; no two are the same.
  private(set) var comments: [String] = []
  private var random: SeededGenerator

  init(_ policy: PlainPolicy, _ random: SeededGenerator) {
    self.random = random
    write(policy)
  }

  private mutating func write(_ policy: PlainPolicy) {
    line("version: 1" + endComment())
    line("owner: \"Grüße 😀 # no comment\"" + endComment())
    if let anchors = policy.anchors[.defaults(audience: nil)] {
      line("defaults:" + endComment())
      write([("anchors", anchors)], "trust", spaces(1 + random.below(4)))
    }
    line("keys:" + endComment())
    let indentation = spaces(1 + random.below(4))
    for key in policy.keys { write(key, indentation) }
    let named = policy.sets.filter { if case .named = $0.target { true } else { false } }
    if !named.isEmpty {
      line("key-sets:" + endComment())
      for set in named {
        if case .named(let name) = set.target { write(set, quoted(name), indentation) }
      }
    }
    writeHosts(policy)
    while random.once(in: 3) { comment("") }
  }

  private mutating func writeHosts(_ policy: PlainPolicy) {
    line("hosts:" + endComment())
    let indentation = spaces(random.below(3))
    for number in 0..<3 {
      let dash = indentation + "-" + spaces(1 + random.below(3))
      line(dash + "host: h\(number).example" + endComment())
      let inner = spaces(dash.count)
      if let set = policy.sets.first(where: { $0.target == .inline(.host(number)) }) { write(set, "keys", inner) }
      if let anchors = policy.anchors[.host(number)] { write([("anchors", anchors)], "trust", inner) }
      if random.once(in: 2) { line(inner + "mode: report-only" + endComment()) }
    }
  }

  // MARK: Keys

  private mutating func write(_ key: PlainPolicy.Key, _ indentation: String) {
    comment(indentation)
    var fields = [("file", "keys/\(key.name).pem")]
    if random.once(in: 2) { fields.append(("custody", random.pick(["\"HSM 甲, slot # 3\"", "'it''s here'"]))) }
    if let status = key.status { fields.append(("status", random.once(in: 4) ? "\"\(status)\"" : status)) }
    if !key.steps.isEmpty { fields.append(("steps", "")) }
    fields.shuffle(using: &random)
    if random.once(in: 2) {
      let parts = fields.map { $0.0 == "steps" ? "steps: " + flow(key.steps) : "\($0.0): \($0.1)" }
      return writeFlow(indentation + quoted(key.name) + ": ", "{", parts, "}", indentation)
    }
    line(indentation + quoted(key.name) + ":" + endComment())
    let inner = indentation + spaces(1 + random.below(4))
    for (name, value) in fields {
      comment(inner)
      if name != "steps" {
        line(inner + name + ": " + value + endComment())
      } else if random.once(in: 2) {
        line(inner + "steps: " + flow(key.steps) + endComment())
      } else {
        line(inner + "steps:" + endComment())
        for (step, date) in key.steps.sorted(by: { $0.key < $1.key }) {
          line(inner + "  " + step + ": " + date + endComment())
          comment(inner + "  ")
        }
      }
    }
    if random.once(in: 4) {
      line(inner + "reason: |" + endComment())
      line(inner + "  # no comment")
      line(inner + "  – text")
      if random.once(in: 2) { lines.append("") }
    }
  }

  private func flow(_ steps: [String: String]) -> String {
    "{ " + steps.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + " }"
  }

  // MARK: Key sets

  private mutating func write(_ set: PlainPolicy.KeySet, _ name: String, _ indentation: String) {
    let lists = [PolicyEdit.List.active, .backup].compactMap { list in set.lists[list].map { (list.rawValue, $0) } }
    write(lists, name, indentation)
  }

  /// A mapping of lists.
  private mutating func write(_ lists: [(String, [String])], _ name: String, _ indentation: String) {
    comment(indentation)
    let fields = random.once(in: 4) ? lists.reversed() : lists
    if fields.isEmpty || random.once(in: 3) {
      var parts = fields.map { "\($0): [" + names($1).joined(separator: ", ") + "]" }
      if random.once(in: 3) { parts.insert("reason: für später", at: 0) }
      return writeFlow(indentation + name + ": ", "{", parts, "}", indentation)
    }
    line(indentation + name + ":" + endComment())
    let inner = indentation + spaces(1 + random.below(4))
    for (field, list) in fields {
      comment(inner)
      let items = names(list)
      if items.isEmpty || random.once(in: 2) {
        writeFlow(inner + field + ": ", "[", items, "]", inner)
        continue
      }
      line(inner + field + ":" + endComment())
      let dash = inner + spaces(random.below(3)) + "-" + spaces(1 + random.below(3))
      for item in items {
        comment(inner)
        line(dash + item + endComment())
      }
    }
    comment(inner)
  }

  private mutating func names(_ names: [String]) -> [String] { names.map { quoted($0) } }

  private mutating func quoted(_ name: String) -> String {
    let plain = name.contains(where: " ,:#[]".contains) ? "'\(name)'" : name
    return random.pick([plain, plain, plain, "\"\(name)\"", "'\(name)'"])
  }

  // MARK: Brackets

  private mutating func writeFlow(
    _ lead: String, _ open: String, _ parts: [String], _ close: String, _ indentation: String
  ) {
    let comma = !parts.isEmpty && random.once(in: 4) ? "," : ""
    guard random.once(in: 2) else {
      let space = random.pick(["", " "])
      let separator = open == "[" ? random.pick([",", ", ", " , "]) : ", "
      return line(lead + open + space + parts.joined(separator: separator) + comma + space + close + endComment())
    }
    line(lead + open + endComment())
    let inner = indentation + spaces(1 + random.below(5))
    for (number, part) in parts.enumerated() {
      comment(inner)
      let isLast = number == parts.count - 1
      if isLast, comma.isEmpty, random.once(in: 3) { return line(inner + part + " " + close + endComment()) }
      line(inner + part + (isLast ? comma : ",") + endComment())
    }
    comment(inner)
    line(indentation + " " + close + endComment())
  }

  // MARK: Lines

  private mutating func line(_ text: String) {
    lines.append(text)
    if random.once(in: 12) { lines.append("") }
  }

  private mutating func comment(_ indentation: String) {
    if random.once(in: 4) { lines.append(indentation + spaces(random.below(3)) + newComment()) }
  }

  private mutating func endComment() -> String {
    random.once(in: 3) ? spaces(1 + random.below(3)) + newComment() : ""
  }

  private mutating func newComment() -> String {
    let number = comments.count
    let comment = random.pick([
      "# comment <\(number)>", "#<\(number)>ä, [old] {x: y}",
      "# pintle:allow P404 until 2027-01-15: reason <\(number)>",
      "# \"quoted' <\(number)>: - x",
    ])
    comments.append(comment)
    return comment
  }

  private func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}
