import Foundation

/// What a program of examples/ is if the traits of the package that it needs aren't enabled.
package protocol NeedsTraits {
  /// The command that builds and runs it.
  static var command: String { get }
}

extension NeedsTraits {
  /// Says how to build the program, and fails.
  package static func main() {
    FileHandle.standardError.write(Data("built without what this example shows; run: \(command)\n".utf8))
    exit(1)
  }
}
