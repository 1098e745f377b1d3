import PinPolicy
import TestSupport
import Testing

@Suite("Any edit of any policy in any layout")
struct EditPropertyTests {
  @Test(arguments: 0..<4)
  func editedTextSaysWhatWasAsked(part: Int) throws {
    var made = 0
    let policies = Thoroughness.pick(40, full: 300)
    for seed in part * 300..<part * 300 + policies {
      var random = SeededGenerator(seed: UInt64(seed))
      let policy = PlainPolicy(&random)
      let layout = RandomLayout(policy, random)
      var text = layout.lines.joined(separator: "\n")
      if random.once(in: 2) { text += "\n" }
      if random.once(in: 3) { text = text.replacing("\n", with: "\r\n") }
      let before = try #require(Self.meaning(of: text), "seed \(seed)\n\(text)")
      try #require(before == policy.read, "seed \(seed)\n\(text)")

      var expected = policy
      var done: Set<String> = []
      let edits = (0...random.below(4)).compactMap { _ in expected.edit(&random, besides: &done) }
      let result = try #require(try? edited(text, edits), "seed \(seed) \(edits)\n\(text)")
      made += edits.count
      #expect(Self.meaning(of: result) == expected.read, "seed \(seed) \(edits)\n\(text)\n=>\n\(result)")
      for comment in layout.comments {
        #expect(result.ranges(of: comment).count == 1, "seed \(seed): \(comment)\n\(text)\n=>\n\(result)")
      }
      Self.expectSmallDifference(text, result, edits, seed: seed)
    }
    #expect(made > policies * 5 / 3)
  }

  private static func meaning(of text: String) -> PlainPolicy? {
    let policy = read(text)
    return policy.problems.isEmpty ? PlainPolicy(policy.files[0]) : nil
  }

  /// Lines that name nothing of what is edited stay, byte for byte, unless something is put into them.
  private static func expectSmallDifference(_ before: String, _ after: String, _ edits: [PolicyEdit], seed: Int) {
    let difference = after.lines.difference(from: before.lines)
    var added: [String] = []
    var gone: [String] = []
    for change in difference {
      switch change {
      case .insert(_, let line, _): added.append(line)
      case .remove(_, let line, _): gone.append(line)
      }
    }
    let words = Set(edits.flatMap(\.words))
    for line in gone where !words.contains(where: line.contains) {
      #expect(line.isPart(of: added.joined()), "seed \(seed): \(line)\n\(before)\n=>\n\(after)")
    }
    // An edit removes one line and adds at most two: one that gets a comma, and a new one. A move does so twice.
    let limit = edits.reduce(0) { $0 + $1.lineLimit }
    #expect(added.count + gone.count <= limit, "seed \(seed) \(edits)\n\(before)\n=>\n\(after)")
    // An empty line is removed only inside a mapping that is removed.
    if !edits.contains(where: \.takesMappings) {
      #expect(added.count(where: \.isEmpty) >= gone.count(where: \.isEmpty), "seed \(seed) \(edits)\n\(before)")
    }
    // A line break at the end of the text is neither added nor lost.
    #expect(before.utf8.last == UInt8(ascii: "\n") || after.utf8.last != UInt8(ascii: "\n"), "seed \(seed)")
    #expect(after.contains("\r\n") == before.contains("\r\n"), "seed \(seed)")
    #expect(after.utf8.count { $0 == 10 } == after.utf8.count { $0 == 13 } || !before.contains("\r\n"), "seed \(seed)")
  }
}

extension String {
  /// Without their line breaks, of whichever kind.
  fileprivate var lines: [String] {
    replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// True where the other text has the same characters in the same order, and others between them.
  fileprivate func isPart(of text: String) -> Bool {
    var rest = text.unicodeScalars[...]
    return unicodeScalars.allSatisfy { scalar in
      rest = rest.drop { $0 != scalar }
      return scalar == " " || rest.popFirst() != nil
    }
  }
}

extension PolicyEdit {
  /// What a line has to name to be one that the edit is about.
  fileprivate var words: [String] {
    switch self {
    case .add(let key, let list, _), .remove(let key, let list, _): [key, list.rawValue]
    case .move(let key, let list, _): [key, list.rawValue, list.other.rawValue]
    case .addAnchor(let path, _): [path, "anchors"]
    case .set(let field, _, let key), .unset(let field, let key): field + [key]
    }
  }

  /// True where a mapping may be left with nothing, and then goes with all that is in it but comments.
  fileprivate var takesMappings: Bool {
    if case .unset(let field, _) = self { field.count > 1 } else { false }
  }

  fileprivate var lineLimit: Int {
    switch self {
    case .move: 8
    case .add, .addAnchor, .remove, .set, .unset: 4
    }
  }
}
