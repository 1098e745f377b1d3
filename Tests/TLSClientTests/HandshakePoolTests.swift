import PinFormat
import Synchronization
import TLSClient
import TestSupport
import Testing

/// Many handshakes at once.
struct HandshakePoolTests {
  @Test func everyHandshakeArrivesOnce() throws {
    let pki = try TestPKI.standard()
    let server = try TestServer(certificate: pki.leaf)
    let source = ListedHandshakes(Array(repeating: .to(server.port), count: 300))
    try HandshakePool(jobs: 64).run(source)
    let results = source.results
    #expect(results.count == 300)
    #expect(results.allSatisfy { (try? $0?.get().servedChain) == [pki.leaf.der] })
    #expect(source.mostAtOnce <= 64)
  }
}
