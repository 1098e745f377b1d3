import PinFormat

/// Fixes that go together, and the texts that they make.
///
/// Of two fixes that meet, the first one is made; the other may be found again in the resulting text.
package struct FixPlan: Sendable {
  /// A fix, and the finding that it repairs.
  package struct Step: Sendable {
    package var diagnostic: Diagnostic
    package var fix: Fix
  }

  /// In the order of the findings.
  package private(set) var steps: [Step] = []
  /// The files that change, with their new bytes.
  package private(set) var texts: [FileID: [UInt8]] = [:]

  /// Takes the best safe fix of each finding, as far as they don't meet.
  ///
  /// - Parameters:
  ///   - diagnostics: The findings, in the order in which they come first.
  ///   - sources: The texts that they are about.
  ///   - isOpen: Which files may be changed.
  package init(_ diagnostics: [Diagnostic], of sources: SourceSet, where isOpen: (FileID) -> Bool = { _ in true }) {
    var taken: [FileID: [Place]] = [:]
    for diagnostic in diagnostics {
      guard let fix = diagnostic.fixes.first(where: { $0.safety == .safe }), !fix.edits.isEmpty,
        fix.edits.allSatisfy({ Int($0.place.file.index) < sources.files.count && isOpen($0.place.file) })
      else { continue }
      let places = fix.edits.map(\.place)
      guard !places.contains(where: { place in taken[place.file, default: []].meets(place) }) else { continue }
      for place in places { taken[place.file, default: []].insertInOrder(place) }
      steps.append(Step(diagnostic: diagnostic, fix: fix))
    }
    for (file, edits) in Dictionary(grouping: steps.flatMap(\.fix.edits), by: \.place.file) {
      texts[file] = Fix.Edit.make(edits, in: sources[file].bytes)
    }
  }
}

extension Fix.Edit {
  /// The text with edits made in it, none of which meet; places behind its end count as its end.
  package static func make(_ edits: [Fix.Edit], in bytes: [UInt8]) -> [UInt8] {
    let lines = LineOffsets(bytes)
    var text: [UInt8] = []
    var index = 0
    for edit in edits.sorted(by: { $0.place < $1.place }) {
      let start = max(index, lines.offset(of: edit.place.start))
      let end = max(start, lines.offset(of: edit.place.end))
      text += bytes[index..<start]
      text += edit.text.utf8
      index = end
    }
    return text + bytes[index...]
  }
}

extension [Place] {
  /// True where one of the places, which are in order and apart, overlaps or touches another.
  fileprivate func meets(_ place: Place) -> Bool {
    let next = partitioningIndex { $0 >= place }
    if next < count, self[next].start <= place.end { return true }
    return next > 0 && self[next - 1].end >= place.start
  }

  fileprivate mutating func insertInOrder(_ place: Place) {
    insert(place, at: partitioningIndex { $0 >= place })
  }
}
