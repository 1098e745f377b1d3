import PinFormat
import PinProbe
import TestSupport
import Testing

@Suite("How much evidence takes")
struct EvidenceSizeTests {
  /// Each host has a leaf of its own, for each of two families of keys, and the intermediates are everybody's.
  @Test("A thousand hosts that share their intermediates take about 4.1 kB each")
  func thousandHosts() throws {
    var random = RandomEvidence(seed: 1)
    var bytes = SeededGenerator(seed: 1)
    func certificates(_ count: Int, of size: Int) -> [Manifest.Certificate] {
      random.certificates(count).map { Manifest.Certificate(fingerprint: $0.fingerprint, der: bytes.bytes(size)) }
    }
    let shared = certificates(4, of: 1_300)
    let leaves = certificates(2_000, of: 1_000)
    let begun = Instant(secondsSinceEpoch: 1_795_219_200)
    let targets = try (0..<1_000).map { number in
      let visits = Evidence.Offer.all.map { offer in
        let isRSA = offer.keyFamily == .rsa
        let chain = [leaves[2 * number + (isRSA ? 1 : 0)]] + (isRSA ? shared.suffix(2) : shared.prefix(2))
        return Evidence.Visit(
          offer: offer, observed: begun, attempts: 1,
          served: Evidence.Served(chain: chain.map(\.fingerprint), timestamps: 2), failure: nil)
      }
      return Evidence.Target(
        host: try HostName(canonicalising: "host-\(number).example.com"), port: 443,
        addresses: [Evidence.Address(address: "127.0.0.1", port: 443, visits: visits)])
    }
    let evidence = Evidence(
      begun: begun, ended: begun, tool: "test",
      stores: [Evidence.Store(name: "system", anchors: shared.map(\.fingerprint))],
      certificates: shared + leaves, targets: targets)
    let file = evidence.encoded()
    // The number in docs/evidence-format.md.
    #expect((4_050...4_200).contains(file.count / 1_000), "\(file.count / 1_000) bytes a host")
    #expect(try Evidence(reading: file) == evidence.canonical)
  }
}
