import Glibc
import Testing

/// What starts the tests of `Scripts/test`, which puts it into `Tests` while it builds.
///
/// With it the package manager doesn't look for tests of XCTest, of which there are none, in an index of all sources.
/// Writing that index takes a tenth of a build. `swift test` runs no tests with it, so it doesn't stay there.
@main
struct AllTests {
  static func main() async {
    guard CommandLine.arguments.contains("swift-testing") else {
      print("Tests/XCTMain.swift was left behind by Scripts/test, which was interrupted: remove it, and test again.")
      exit(1)
    }
    await Testing.__swiftPMEntryPoint() as Never
  }
}
