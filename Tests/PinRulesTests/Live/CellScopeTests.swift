import Foundation
import TestSupport
import Testing

@testable import PinRules

@Suite("Which cells a finding is about")
struct CellScopeTests {
  typealias Dimension = Cell.Dimension

  /// Any set of cells among any others is described exactly, in the cheapest dimensions, and in words that can be read
  /// back.
  @Test(arguments: 0..<40)
  func exactAndShort(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<Thoroughness.pick(8, full: 25) {
      let all = Self.randomCells(&random)
      let chosen = Self.randomChoice(of: all, &random)
      let scope = CellScope(chosen, among: all)
      #expect(Set(all.filter(scope.contains)) == chosen, "\(chosen) among \(all)")
      #expect(CellScope.cost(scope.dimensions) == Self.leastCost(chosen, all), "\(chosen) among \(all)")
      if Self.isOneBox(chosen, all, scope.dimensions) { #expect(scope.boxes.count <= 1, "\(chosen) among \(all)") }
      if scope.boxes.count <= CellScope.mostBoxes {
        let text = scope.text()
        #expect(CellReader(text, scope.allValues).cells(among: all) == chosen, "\(text): \(chosen) among \(all)")
      }
    }
  }

  struct Words: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var chosen: [Cell]
    var others: [Cell]
    var isFine = false
  }

  static let words = [
    Words(testDescription: "", chosen: [Cell(address: "a", keyFamily: "RSA")], others: []),
    Words(
      testDescription: " at 127.0.0.2 (and not at 127.0.0.1)", chosen: [Cell(address: "127.0.0.2")],
      others: [Cell(address: "127.0.0.1")]),
    Words(
      testDescription: " with its RSA certificate; they match with its ECDSA certificate",
      chosen: [Cell(address: "a", keyFamily: "RSA", tlsVersion: "1.2")],
      others: [
        Cell(address: "a", keyFamily: "ECDSA", tlsVersion: "1.3"),
        Cell(address: "a", keyFamily: "ECDSA", tlsVersion: "1.2"),
      ], isFine: true),
    Words(
      testDescription: " in TLS 1.2 (and not in TLS 1.3)", chosen: [Cell(address: "a", tlsVersion: "1.2")],
      others: [Cell(address: "a", tlsVersion: "1.3")]),
    Words(
      testDescription: " under the trust store 'old'; they match under 'system'",
      chosen: [Cell(address: "a", store: "old", anchor: "R")],
      others: [Cell(address: "a", store: "system", anchor: "R")],
      isFine: true),
    // Store and anchor give the same cells; the store is preferred, because clients' owners know it.
    Words(
      testDescription: " under the trust store 'old' (and not under 'system')",
      chosen: [Cell(address: "a", store: "old", anchor: "Old Root")],
      others: [Cell(address: "a", store: "system", anchor: "New Root")]),
    Words(
      testDescription: " on the path over 'Root B'; they match over 'Root A'",
      chosen: [Cell(address: "a", store: "s", anchor: "Root B")],
      others: [Cell(address: "a", store: "s", anchor: "Root A")], isFine: true),
    Words(
      testDescription: " at a with its RSA certificate", chosen: [Cell(address: "a", keyFamily: "RSA")],
      others: [
        Cell(address: "a", keyFamily: "ECDSA"), Cell(address: "b", keyFamily: "RSA"),
        Cell(address: "b", keyFamily: "ECDSA"),
      ]),
    Words(
      testDescription: " at a with its RSA certificate; and at b",
      chosen: [
        Cell(address: "a", keyFamily: "RSA"), Cell(address: "b", keyFamily: "RSA"),
        Cell(address: "b", keyFamily: "ECDSA"),
      ], others: [Cell(address: "a", keyFamily: "ECDSA")]),
    Words(
      testDescription: " at each address but x", chosen: (0..<9).map { Cell(address: "a\($0)") },
      others: [Cell(address: "x")]),
    Words(
      testDescription: " at a0, a1, a2, a3, a4 and 3 more (and not at x0, x1, x2, x3, x4 and 2 more)",
      chosen: (0..<8).map { Cell(address: "a\($0)") }, others: (0..<7).map { Cell(address: "x\($0)") }),
  ]

  @Test(arguments: words)
  func wording(_ test: Words) {
    let scope = CellScope(Set(test.chosen), among: test.chosen + test.others)
    #expect(scope.text(elsewhere: test.isFine ? .fine("they match") : .not) == test.testDescription)
  }

  private static func randomCells(_ random: inout SeededGenerator) -> [Cell] {
    let values = [["a", "b", "c"], ["RSA", "ECDSA"], ["1.3", "1.2"], ["s", "t"], ["A", "B"], ["X", "Y"]]
      .map { Array($0.prefix(Int.random(in: 1...$0.count, using: &random))) }
    var cells = [Cell(address: "")]
    for (dimension, values) in zip(Dimension.allCases, values) {
      cells = cells.flatMap { cell in
        values.map { value in
          var cell = cell
          cell[dimension] = value
          return cell
        }
      }
    }
    // Not every server has every certificate, nor every store every path.
    let kept = cells.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
    return kept.isEmpty ? cells : kept
  }

  /// Any cells, or all that have one of some values, as mistakes of people mostly are.
  private static func randomChoice(of all: [Cell], _ random: inout SeededGenerator) -> Set<Cell> {
    var chosen: Set<Cell> = []
    if Bool.random(using: &random) {
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let sample = all[Int.random(in: 0..<all.count, using: &random)]
        let fixed = Dimension.allCases.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
        chosen.formUnion(all.filter { cell in fixed.allSatisfy { cell[$0] == sample[$0] } })
      }
    } else {
      chosen = Set(all.filter { _ in Bool.random(using: &random) })
    }
    return chosen.isEmpty ? [all[0]] : chosen
  }

  /// By trying every set of dimensions.
  private static func leastCost(_ chosen: Set<Cell>, _ all: [Cell]) -> Int {
    let sets = (0..<(1 << Dimension.allCases.count)).map { mask in
      Dimension.allCases.filter { mask & (1 << $0.rawValue) != 0 }
    }
    let deciding = sets.filter { dimensions in
      all.allSatisfy { cell in
        all.allSatisfy { other in
          dimensions.contains { cell[$0] != other[$0] } || chosen.contains(cell) == chosen.contains(other)
        }
      }
    }
    return deciding.map(CellScope.cost).min() ?? .max
  }

  /// By taking all values of the chosen cells together.
  private static func isOneBox(_ chosen: Set<Cell>, _ all: [Cell], _ dimensions: [Dimension]) -> Bool {
    let values = dimensions.map { dimension in Set(chosen.map { $0[dimension] }) }
    return all.allSatisfy { cell in
      chosen.contains(cell) || !zip(dimensions, values).allSatisfy { $1.contains(cell[$0]) }
    }
  }
}

/// Reads the end of a message back into cells, knowing nothing of how it was made.
private struct CellReader {
  typealias Dimension = Cell.Dimension

  private var boxes: [[(Dimension, [String])]] = []
  private static let openings: [(String, Dimension)] = [
    ("at ", .address), ("with its ", .keyFamily), ("in TLS ", .tlsVersion), ("under the trust stores ", .store),
    ("under the trust store ", .store), ("on the paths over ", .anchor), ("on the path over ", .anchor),
    ("on the paths by ", .path), ("on the path by ", .path),
  ]

  init(_ text: String, _ known: [Dimension: [String]]) {
    let said = text.split(separator: " (and not ").first ?? ""
    boxes = said.components(separatedBy: "; and ").filter { !$0.isEmpty }.map { Self.box(" " + $0.trimmed, known) }
  }

  func cells(among all: [Cell]) -> Set<Cell> {
    guard !boxes.isEmpty else { return Set(all) }
    return Set(
      all.filter { cell in boxes.contains { box in box.allSatisfy { $0.1.contains(cell[$0.0]) } } })
  }

  /// Each opening's words go on to the next opening.
  private static func box(_ text: String, _ known: [Dimension: [String]]) -> [(Dimension, [String])] {
    let found = openings.compactMap { opening, dimension in
      text.range(of: " " + opening).map { (range: $0, dimension: dimension) }
    }.sorted { $0.range.lowerBound < $1.range.lowerBound }
    return found.enumerated().map { index, opening in
      let end = index + 1 < found.count ? found[index + 1].range.lowerBound : text.endIndex
      let words = text[opening.range.upperBound..<end].split { " ,'".contains($0) }.map(String.init)
      return (opening.dimension, (known[opening.dimension] ?? []).filter(words.contains))
    }
  }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
