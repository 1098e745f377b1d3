import TestSupport

/// Futures by brute force, in letters: shares nothing with the code but the texts of ``FutureScene``.
///
/// One chain is observed: a leaf, an intermediate (`i` or `j`), and above it `r`, or `s` and `r`, or `t`. All days are in
/// 2027, before anything else changes.
struct FutureOracle {
  var active: Set<Character>
  var backup: Set<Character>
  var needsBoth = false
  var keeps = false
  var chain: [Character]
  /// The day on which `i` is left for `j`, `r` for each of some roots; on which `r` issues no more, and leaves a store.
  var intermediateMoves = false
  var rootMoves: [Character] = []
  var rootEnds = false
  var rootLeaves = false
  var otherLeaves = false
  /// Whether `r` certified `s`, and whether a store has `s`.
  var isCertified = false
  var isAnchor = false

  static func random(_ chance: inout SeededGenerator) -> FutureOracle {
    func some(_ letters: String, atLeast least: Int, _ chance: inout SeededGenerator) -> Set<Character> {
      while true {
        let chosen = Set(letters.filter { _ in chance.once(in: 4) })
        if chosen.count >= least { return chosen }
      }
    }
    let active = some("lmijrst", atLeast: 1, &chance)
    let leaf = chance.pick(Array("llm?"))
    let rest = chance.pick(["ir", "ir", "jr", "isr", "isr", "is", "it", "r"])
    var oracle = FutureOracle(active: active, backup: Set("n"), chain: [leaf] + rest)
    if chance.once(in: 2) { oracle.backup.formUnion(some("lijrst", atLeast: 0, &chance).subtracting(active)) }
    let (leaves, authorities) = (Set("lm"), Set("ijrst"))
    oracle.needsBoth =
      chance.once(in: 4) && !active.isDisjoint(with: leaves) && !active.isDisjoint(with: authorities)
    oracle.keeps = chance.once(in: 4)
    oracle.intermediateMoves = chance.once(in: 3)
    oracle.rootMoves = chance.once(in: 3) ? chance.pick([["t"], ["s"], ["s", "t"]]) : []
    oracle.rootEnds = chance.once(in: 4)
    oracle.rootLeaves = chance.once(in: 3)
    oracle.otherLeaves = chance.once(in: 3)
    oracle.isCertified = !chance.once(in: 3)
    oracle.isAnchor = chance.once(in: 2)
    return oracle
  }

  var scene: FutureScene {
    var scene = FutureScene(active.sorted().map(String.init).joined())
    scene.backup = backup.sorted().map(String.init).joined()
    if needsBoth { scene.entry = "require: leaf-and-ca" }
    scene.keepsKey = keeps
    scene.observed = [String(chain)]
    if intermediateMoves { scene.known["i"] = ["successors: [{ key: j, from: 2027-01-02, source: it }]"] }
    var r: [String] = []
    if !rootMoves.isEmpty {
      let links = rootMoves.map { "{ key: \($0), from: 2027-01-03, source: it }" }
      r.append("successors: [\(links.joined(separator: ", "))]")
    }
    if rootEnds { r.append("issues-until: [{ date: 2027-01-04, source: it }]") }
    if rootLeaves { r.append("stores: [{ store: mozilla, until: 2027-01-05, source: it }]") }
    scene.known["r"] = r
    if otherLeaves { scene.known["t"] = ["stores: [{ store: mozilla, until: 2027-01-05, source: it }]"] }
    var s: [String] = []
    if isCertified { s.append("signed-by: [{ key: r, until: 2040-01-01, source: it }]") }
    if isAnchor { s.append("stores: [{ store: mozilla, since: 2027-01-06, source: it }]") }
    scene.known["s"] = s
    return scene
  }

  /// As ``FutureScene/futures(onlyNew:)`` writes them, sorted.
  var futures: [String] {
    guard passes(chain) else { return [] }
    var told: Set<String> = []
    let above = Array(chain.dropFirst())
    var leaf = chain[0]
    if leaf != "?", !keeps {
      if passes(["?"] + above) { leaf = "?" } else { told.insert("renewal \(leaf)") }
    }
    // A server that keeps a key that nobody knows may have any active one.
    let leaves = leaf == "?" && keeps ? [leaf] + active.intersection("lm") : [leaf]
    func isLost(_ chains: [[Character]]) -> Bool {
      !chains.contains { rest in leaves.contains { passes([$0] + rest) } }
    }
    if above.contains("r") { told.formUnion(rootFutures(above, leaf, isLost)) }
    var hasMove = false
    if above[0] == "i", intermediateMoves {
      // `r` certified both, whatever is above `i` here.
      if isLost([["j", "r"]]) {
        told.insert("successor 2027-01-02 i to j")
        hasMove = true
      }
    }
    if above.count > 1, !hasMove, isLost([["?"] + above.dropFirst()]) { told.insert("intermediate \(above[0])") }
    if above.last == "t", otherLeaves, isStranded(on: "2027-01-05", without: "t", above, leaf) {
      told.insert("anchor-gone 2027-01-05 t")
    }
    return told.sorted()
  }

  private func rootFutures(
    _ above: [Character], _ leaf: Character, _ isLost: ([[Character]]) -> Bool
  ) -> Set<String> {
    var told: Set<String> = []
    let plain = rootMoves.filter { $0 != "s" || !isCertified }
    let lost = plain.filter { isLost([["?", $0]]) }
    if !lost.isEmpty { told.insert("successor 2027-01-03 r to \(lost.map(String.init).joined(separator: ","))") }
    if rootMoves.isEmpty, rootEnds, isStranded(on: "2027-01-04", without: "r", above, leaf) {
      told.insert("successor 2027-01-04 r")
    }
    if above.last == "r", rootLeaves, isStranded(on: "2027-01-05", without: "r", above, leaf) {
      told.insert("anchor-gone 2027-01-05 r")
    }
    if isCertified {
      let day = rootMoves.contains("s") ? "2027-01-03" : "2027-01-06"
      if let place = above.firstIndex(of: "s") {
        if rootMoves.contains("s") || isAnchor, isLost([Array(above[...place])]) {
          told.insert("newer-root \(day) r to s")
        }
      } else if above.count == 1 {
        if rootMoves.contains("s") || isAnchor, isLost([["?", "s"]]) { told.insert("newer-root \(day) r to s") }
      } else if rootMoves.contains("s"), isLost([["?", "s"]]) {
        told.insert("newer-root 2027-01-03 r to s")
      }
    }
    return told
  }

  /// Whether nothing that operators may choose on a day is accepted.
  private func isStranded(
    on day: String, without gone: Character, _ above: [Character], _ leaf: Character
  ) -> Bool {
    var rests: [[Character]] = [["?", "?"]]
    if day == "2027-01-05", let place = above.dropLast().firstIndex(of: "s"), isAnchor {
      rests.append(Array(above[...place]))
    }
    for key in active where key != gone && lasts(key, beyond: day) {
      if "rst".contains(key) { rests.append([key]) }
      // It isn't known under which root an intermediate of the set is.
      if "ij".contains(key) { rests.append([key, "?"]) }
    }
    return !([leaf] + active.intersection("lm")).contains { leaf in rests.contains { passes([leaf] + $0) } }
  }

  private func lasts(_ key: Character, beyond day: String) -> Bool {
    switch key {
    case "i": !intermediateMoves || day < "2027-01-02"
    case "r":
      (rootMoves.filter { $0 != "s" || !isCertified }.isEmpty || day < "2027-01-03")
        && (!rootEnds || day < "2027-01-04")
        && (!rootLeaves || day < "2027-01-05")
    case "t": !otherLeaves || day < "2027-01-05"
    default: true
    }
  }

  /// Whether the pins of the set match a chain.
  private func passes(_ chain: [Character]) -> Bool {
    let pins = active.union(backup)
    func matches(_ place: Int) -> Bool {
      let letter = chain[place]
      guard pins.contains(letter) else { return false }
      switch FutureScene.position(letter) {
      case "leaf": return place == 0
      case "intermediate": return place > 0 && place < chain.count - 1
      default: return place == chain.count - 1
      }
    }
    let above = chain.indices.dropFirst().contains(where: matches)
    return needsBoth ? matches(0) && above : matches(0) || above
  }
}
