import OpenSSLKit
import PinFormat
import PinPolicy
import Testing

@Suite("The digest of a policy's sources")
struct SourcesDigestTests {
  private let a = "version: 1\nkeys: { a: { file: ../keys/api.pem } }\n"
  private let b = "version: 1\nmanifest: { audience: test }\n"

  @Test("Every policy file and every key file, in order of path, with their lengths")
  func format() throws {
    var expected: [UInt8] = []
    let parts = [
      ("b.yaml", Array(b.utf8)), ("keys/api.pem", try ExampleFiles.bytes("keys/api.pem")), ("é/a.yaml", Array(a.utf8)),
    ]
    for (path, content) in parts {
      for bytes in [Array(path.utf8), content] {
        expected += [0, 0, 0, 0, 0, 0, UInt8(bytes.count / 256), UInt8(bytes.count % 256)]
        expected += bytes
      }
    }
    let digest = try SHA256.digest(of: expected)
    for root in ["", "policies/", "/elsewhere/"] {
      let policy = try ExampleFiles.resolve(["é/a.yaml": a, "b.yaml": b], root: root)
      #expect(describe(policy) == [])
      #expect(policy.sourcesDigest.bytes == digest.indices.map { digest[$0] })
    }
  }

  @Test("It changes with any file, and with its path")
  func changes() throws {
    let key = ["keys/api.pem": try ExampleFiles.bytes("keys/api.pem")]
    let original = try ExampleFiles.resolve(["s/a.yaml": a, "b.yaml": b], adding: key).sourcesDigest
    let others = [
      try ExampleFiles.resolve(["s/a.yaml": a + "#", "b.yaml": b], adding: key),
      try ExampleFiles.resolve(["s/a.yaml": a, "c.yaml": b], adding: key),
      try ExampleFiles.resolve(["s/a.yaml": a, "b.yaml": b], adding: key.mapValues { $0 + [0x0A] }),
    ]
    #expect(Set(others.map(\.sourcesDigest) + [original]).count == 4)
  }
}
