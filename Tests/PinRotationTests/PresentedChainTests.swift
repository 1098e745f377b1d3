import PinFormat
import PinRotation
import PinValidator
import Testing

@Suite("A presented chain")
struct PresentedChainTests {
  @Test("shows a key that nobody knows as one that no pin matches")
  func unknownKeys() {
    let known = Pin(SHA256Digest(InlineArray<32, UInt8>(repeating: 1)))
    let chain = PresentedChain([nil, known])
    #expect(chain.certificateCount == 2)
    #expect(chain.publicKeyDigest(ofCertificate: 1) == known.digest)
    #expect(chain.publicKeyDigest(ofCertificate: 0) != nil)
    #expect(chain.publicKeyDigest(ofCertificate: 0) != known.digest)
  }
}
