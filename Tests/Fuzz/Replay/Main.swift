import Foundation
import FuzzTargets

/// Runs a fuzz target on files, without libFuzzer: in an ordinary build, with the checks that such a build has.
///
///     fuzz-replay TARGET FILE...
@main enum Replay {
  static func main() throws {
    let target = Target.named(CommandLine.arguments.dropFirst().first)
    let files = CommandLine.arguments.dropFirst(2)
    for file in files { target.run([UInt8](try Data(contentsOf: URL(filePath: file)))) }
    print("\(target.rawValue): \(files.count) inputs")
  }
}
