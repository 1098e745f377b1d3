import OpenSSLKit
import TestSupport
import Testing

@Test func standardChainIsReadable() throws {
  let chain = try TestPKI.standard()
  let root = try Certificate(der: chain.root.der)
  #expect(root.isCA)
  #expect(root.subject == "CN=Standard Root,O=Pintle Tests")
  let leaf = try Certificate(der: chain.leaf.der)
  #expect(leaf.issuer == "CN=Standard Intermediate,O=Pintle Tests")
  #expect(leaf.alternativeNames.dns == ["example.com", "*.example.com"])
}
