import OpenSSLKit
import PinFormat
import PinValidator

/// Trust evaluation of served chains: two bytes of length before each certificate.
///
/// The first certificate of an input is its anchor.
enum ChainTarget {
  static func run(_ bytes: [UInt8]) {
    var certificates: [[UInt8]] = []
    var rest = bytes[...]
    while rest.count >= 2, certificates.count < 40 {
      let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
      rest = rest.dropFirst(2)
      certificates.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    guard let anchor = certificates.first, let anchors = try? TrustAnchors([anchor]),
      let served = try? ServedChain(Array(certificates.dropFirst()))
    else { return }
    for all in [false, true] {
      let evaluator = TrustEvaluator(anchors: anchors, findsAllFailures: all)
      for peer in [TrustRequest.Peer.server("example.com"), .server("10.0.0.5"), .client] {
        let request = TrustRequest(peer: peer, at: Instant(secondsSinceEpoch: 1_795_219_200), tlsVersion: .tls13)
        switch evaluator.evaluate(served, for: request, certificates: { _ in nil }) {
        case .trusted(let chain, let excused):
          promise(chain.certificates.first == served.certificates.first, "a chain begins with the leaf")
          promise(chain.certificates.last == anchor, "a chain ends in the anchor")
          promise(chain.pins.count == chain.count, "each certificate of a chain has a pin")
          promise(excused.isEmpty, "nothing is excused without an exception")
        case .refused(let failures): promise(!failures.isEmpty, "a refusal says why")
        }
      }
    }
  }
}
