import PinPolicy
import PinRelease
import Testing

/// What names the sources of a manifest, and what clients have.
struct PolicySourceTests {
  private static let texts: [(String, String?, String)] = [
    ("policies", nil, "policies"), ("./git:main", nil, "./git:main"), ("git:", "", "policies"),
    ("git:main", "main", "policies"), ("git:main:", "main", "policies"), ("git:main:a/b", "main", "a/b"),
    ("git::a", "", "a"), ("git:v1:a:b", "v1", "a:b"),
  ]

  @Test(arguments: texts)
  func sources(_ text: String, _ reference: String?, _ directory: String) {
    switch PolicySource(text) {
    case .directory(let path): #expect(reference == nil && path == directory)
    case .commit(let named, let path): #expect(reference == named ?? "" && path == directory)
    }
  }

  @Test(arguments: [
    ("released", ReleasedSource.path("released")), ("git:main", .commit("main")), ("git:", .commit("")),
    ("./git:main", .path("./git:main")),
  ])
  func released(_ text: String, _ source: ReleasedSource) {
    #expect(ReleasedSource(text) == source)
    #expect(source.isSigned == !text.hasPrefix("git:"))
  }
}
