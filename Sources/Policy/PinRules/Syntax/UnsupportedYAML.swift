import Diagnostics
import PinPolicy

extension Rule {
  /// Policies do without the parts of YAML that hide what a file says.
  static let unsupportedYAML = Rule(
    code: "P104",
    name: "unsupported-yaml",
    severity: .error,
    title: "A policy file uses a YAML feature that isn't allowed in policies.",
    rationale: """
      A reviewer must see in one place what applies to a host. Anchors and aliases move meaning elsewhere in the file
      (and can grow without bound), tags change what a value is, and further documents in one file are easily missed.
      Key sets and `defaults:` say what several hosts share.
      """,
    failing: Example(
      """
      version: 1
      defaults: &strict
        mode: enforce
        include-subdomains: true
      """),
    passing: Example(
      """
      version: 1
      defaults:
        mode: enforce
        include-subdomains: true
      """),
    citation: "YAML 1.2.2 sections 6.9.1, 6.9.2, 7.1 and 9.2; docs/policy.md#the-yaml-that-is-read",
    isSuppressible: false,
    check: .policy { input in
      var texts = UnsupportedTexts(input)
      return input.policy.problems.compactMap { finding($0, &texts) }
    })

  private static func finding(_ problem: PolicyProblem, _ texts: inout UnsupportedTexts) -> Finding? {
    let shared = "Write the value out. What several hosts share belongs in 'defaults:' or in a key set."
    switch problem.kind {
    case .severalDocuments:
      return Finding(
        at: problem.place, "a second YAML document begins here",
        help: "Move what follows into its own file: a directory may have any number of files.")
    case .tag(let tag):
      return Finding(
        at: problem.place, "tag \(Wording.quoted(tag)) isn't allowed in a policy",
        help: "Delete the tag: each field knows what its value is.",
        fixes: texts.deletingProperty("the tag", at: problem.place, isPlainTag(tag) ? .safe : .suggested))
    case .anchor(let name):
      return Finding(
        at: problem.place, "anchor \(Wording.quoted("&" + name)) isn't allowed in a policy", help: shared,
        fixes: texts.isNamed(name, in: problem.place.file)
          ? [] : texts.deletingProperty("the anchor, which nothing names", at: problem.place, .safe))
    case .alias(let name):
      return Finding(at: problem.place, "alias \(Wording.quoted("*" + name)) isn't allowed in a policy", help: shared)
    case .tooDeep(let limit):
      return Finding(
        at: problem.place, "this is nested more than \(limit) levels deep",
        help: "No field of a policy lies so deep: look for a bracket that isn't closed.")
    default: return nil
    }
  }

  /// Tags of YAML's own schema for what policies are made of.
  private static func isPlainTag(_ tag: String) -> Bool {
    ["!!str", "!!int", "!!bool", "!!map", "!!seq", "!"].contains(tag)
  }
}

/// What the fixes have to know of the texts around: of each file once, however many findings it has.
private struct UnsupportedTexts {
  private struct Alias: Hashable {
    var name: String
    var file: FileID
  }

  private let input: CheckInput
  private let aliases: Set<Alias>
  private var lines: [FileID: LineOffsets] = [:]

  init(_ input: CheckInput) {
    self.input = input
    aliases = input.policy.problems.reduce(into: []) { aliases, problem in
      if case .alias(let name) = problem.kind { aliases.insert(Alias(name: name, file: problem.place.file)) }
    }
  }

  /// True where a file names an anchor, or may do so in a part that can't be read.
  func isNamed(_ anchor: String, in file: FileID) -> Bool {
    !(input.parsedFile(file)?.isComplete ?? false) || aliases.contains(Alias(name: anchor, file: file))
  }

  /// Removes an anchor or a tag, with the space behind it, or with that before it at the end of a line.
  mutating func deletingProperty(_ label: String, at place: Place, _ safety: Fix.Safety) -> [Fix] {
    guard place.start.line == place.end.line, Int(place.file.index) < input.policy.sources.files.count else {
      return []
    }
    let bytes = input.policy.sources[place.file].bytes
    let lines = lines[place.file] ?? LineOffsets(bytes)
    self.lines[place.file] = lines
    var range = lines.range(of: place)
    let end = lines.lineFeed(of: range.lowerBound) ?? bytes.count
    guard range.upperBound <= end else { return [] }
    let space = UInt8(ascii: " ")
    if bytes[range.upperBound..<end].first ?? UInt8(ascii: "\r") != UInt8(ascii: "\r") {
      range = range.lowerBound..<(bytes[range.upperBound..<end].firstIndex { $0 != space } ?? end)
    } else {
      let start = lines.lineStart(of: range.lowerBound)
      let before = bytes[start..<range.lowerBound].lastIndex { $0 != space }
      range = (before.map { $0 + 1 } ?? start)..<range.upperBound
    }
    return .fix(
      "delete \(label)", safety, [Fix.Edit(replacing: lines.place(of: range, in: place.file), with: "")])
  }
}
