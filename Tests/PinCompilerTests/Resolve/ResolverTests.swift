import Testing

@Suite("Names, files and defaults")
struct ResolverTests {
  @Test("A policy without mistakes has no problems")
  func clean() throws {
    let policy = try ExampleFiles.resolve(
      """
      keys:
        api: { file: keys/api.pem, position: leaf }
        spare: { file: keys/api-spare.csr }
      hosts:
        - host: Bücher.example
          keys: { active: [api], backup: [spare] }
      """)
    #expect(describe(policy) == [])
  }
}
