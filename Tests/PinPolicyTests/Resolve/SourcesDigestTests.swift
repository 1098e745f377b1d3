import OpenSSLKit
import PinFormat
import PinPolicy
import PolicySupport
import Testing

@Suite("The digest of a policy's sources")
struct SourcesDigestTests {
  private let a = "version: 1\nkeys: { a: { file: ../keys/api.pem } }\n"
  private let b = "version: 1\nmanifest: { audience: test }\n"

  @Test("The sorted digests of every policy file and every key file")
  func format() throws {
    let contents = [Array(a.utf8), Array(b.utf8), try ExampleFiles.bytes("keys/api.pem")]
    let digests = try contents.map { SHA256Digest(try SHA256.digest(of: $0)).bytes }
    let sorted = digests.sorted { $0.lexicographicallyPrecedes($1) }
    let expected = SHA256Digest(try SHA256.digest(of: sorted.flatMap { $0 }))
    for root in ["", "policies/", "/elsewhere/"] {
      let policy = try ExampleFiles.resolve(["é/a.yaml": a, "b.yaml": b], root: root)
      #expect(describe(policy) == [])
      #expect(policy.sourcesDigest == expected)
    }
  }

  @Test("It changes with any file's content, and with nothing else")
  func changes() throws {
    let key = ["keys/api.pem": try ExampleFiles.bytes("keys/api.pem")]
    let original = try ExampleFiles.resolve(["s/a.yaml": a, "b.yaml": b], adding: key).sourcesDigest
    let others = [
      try ExampleFiles.resolve(["s/a.yaml": a + "#", "b.yaml": b], adding: key),
      try ExampleFiles.resolve(["s/a.yaml": a, "b.yaml": b + "#"], adding: key),
      try ExampleFiles.resolve(["s/a.yaml": a, "b.yaml": b], adding: key.mapValues { $0 + [0x0A] }),
    ]
    #expect(Set(others.map(\.sourcesDigest) + [original]).count == 4)
    let renamed = try ExampleFiles.resolve(["z/a.yaml": a, "0.yaml": b], adding: key)
    #expect(renamed.sourcesDigest == original)
  }
}
