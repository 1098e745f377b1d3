import PinExchange
import PinFormat
import TestSupport

extension PinListScene {
  /// A list with everything that a policy may say about names: entries below others, and exclusions.
  static func nested(_ seed: Int, owner: PinList.Owner? = nil) throws -> PinList {
    var generator = SeededGenerator(seed: UInt64(seed) &+ 77)
    var list = try random(seed, owner: owner)
    var names: Set<String> = []
    let labels = ["a", "b", "api", "www", "example", "xn--bcher-kva"]
    for _ in 0..<2 + generator.below(8) {
      let depth = 1 + generator.below(4)
      names.insert((0..<depth).map { _ in generator.pick(labels) }.joined(separator: ".") + ".example.com")
    }
    list.hosts = try names.sorted().map { name in
      var host = try host(name, generator.once(in: 2) ? .all : .none, keySet: generator.below(list.keySets.count))
      if generator.once(in: 4) { (host.mode, host.keySet) = (.off, nil) }
      if host.mode != .off, generator.once(in: 3) {
        host.expires = instant.adding(seconds: Int64(1 + generator.below(400)) * 86_400)
        host.onExpiry = .unpinned
      }
      return host
    }
    // At least one host must be pinned.
    list.hosts.append(try host("zzz.example.com"))
    return list
  }
}
