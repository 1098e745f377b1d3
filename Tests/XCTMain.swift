import Testing

/// What `swift test` starts.
///
/// With it the package manager doesn't look for tests of XCTest, of which there are none, in an index of all sources.
/// Writing that index takes a tenth of a build.
@main
struct AllTests {
  static func main() async {
    // `swift test` starts it once more for XCTest's.
    guard CommandLine.arguments.contains("swift-testing") else { return }
    await Testing.__swiftPMEntryPoint() as Never
  }
}
