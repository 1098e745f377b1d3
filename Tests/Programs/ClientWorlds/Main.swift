import ClientWorlds
import Glibc

/// Judges worlds with real certificates: what the commands call safe, and what the validator of every client says.
///
/// `client-worlds COUNT` judges so many, from number 0 on, and `client-worlds COUNT NUMBER` from this number on. With
/// `WORLD=123` it judges this one, and prints it. The exit status is 1 if a command says yes and a client blocks.
@main
struct ClientWorldsProgram {
  static func main() async throws {
    let keys = WorldKeys()
    if let text = getenv("WORLD").map({ String(cString: $0) }), let number = Int(text) {
      return try show(number, keys)
    }
    let counts = CommandLine.arguments.dropFirst().map { Int($0) }
    let (count, first) = ((counts.first ?? nil) ?? 10_000, (counts.dropFirst().first ?? nil) ?? 0)
    var sum = WorldTally()
    try await withThrowingTaskGroup(of: WorldTally.self) { group in
      for half in 0..<2 {
        group.addTask { try WorldTally.of(stride(from: first + half, to: first + count, by: 2), keys) }
      }
      for try await tally in group { sum.add(tally) }
    }
    print(sum.text)
    guard sum.failures.isEmpty else { exit(1) }
  }

  private static func show(_ number: Int, _ keys: WorldKeys) throws {
    let world = ClientWorld.random(number)
    let judgement = try Judgement(world, WorldTools(keys))
    print(world.text(keys))
    if !judgement.isWorld { print("check: \(judgement.rejections)") }
    for one in judgement.failures {
      let simplest = try world.simplest { other in
        try Judgement(other, WorldTools(keys)).failures.contains { $0.family == one.family }
      }
      print("CALLED SAFE: \(one.family)\n  \(one.text)\nthe simplest such world: \(simplest.text(keys))")
    }
    for one in judgement.strict { print("UNSAFE, and clients are blocked anyway: \(one.family)\n  \(one.text)") }
    for one in judgement.needless { print("UNSAFE, and nobody is blocked: \(one.family)\n  \(one.text)") }
  }
}
