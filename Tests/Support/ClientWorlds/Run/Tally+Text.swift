extension WorldTally {
  /// The numbers, and each family with its first world.
  package var text: String {
    var lines = ["\(numbers) numbers, \(worlds) worlds, \(answers) answers, of which \(safe) are 'safe'"]
    func list(_ title: String, _ counts: [String: Count]) {
      lines.append("\(title): \(counts.values.reduce(0) { $0 + $1.count }) in \(counts.count) families")
      for (family, count) in counts.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) }) {
        lines.append("  \(count.count)  WORLD=\(count.world)  \(family)")
      }
    }
    list("called safe, and a client is blocked", failures)
    list("called safe, and a client is blocked for what a warning says", warned)
    list("called unsafe, and no client is blocked", needless)
    list("called unsafe, and clients are blocked that would be today as well", strict)
    lines.append("policies that check rejects:")
    for (message, count) in rejections.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(30) {
      lines.append("  \(count)  \(message)")
    }
    return lines.joined(separator: "\n")
  }
}

extension ClientWorld {
  /// The world in a line, and all its policies.
  package func text(_ keys: WorldKeys) -> String {
    let mint = Mint(keys.ring)
    var text = "\(self)\n"
    for (number, release) in releases.enumerated() {
      text += "--- release \(number + 1), \(release.age) days ago\n"
      text += self.text(release.layer, mint, hasSteps: false)
    }
    return text + "--- the policy\n" + self.text(policy, mint, hasSteps: true)
  }
}
