import Diagnostics
import PinPolicy

/// The policy parser: two readings of one text are the same, and each problem points into it.
enum PolicyTarget {
  static func run(_ bytes: [UInt8]) {
    let sources = SourceSet([SourceSet.File(path: "policy.yaml", bytes: bytes)])
    let policy = PolicyReader.read(sources)
    promise(policy.files.count == 1, "a file is read once")
    let again = PolicyReader.read(sources)
    promise(policy.problems.map(\.place) == again.problems.map(\.place), "two readings find the same")
  }
}
