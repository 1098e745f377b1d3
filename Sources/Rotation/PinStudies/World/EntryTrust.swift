import OpenSSLKit
import PinFormat
import PinRelease
import PinRotation
import PinRules
import PinValidator

/// An entry's trust settings, and the certificates that they name.
struct EntryTrust {
  let settings: Manifest.Trust
  /// Its own anchors.
  let anchors: [Certificate]
  /// The keys of its anchors, and of the certificates that its exceptions name.
  let namedKeys: Set<Pin>
  private let byKey: [Pin: [Certificate]]
  private let known: KnownCertificates

  init(_ settings: Manifest.Trust, _ known: KnownCertificates) {
    self.settings = settings
    self.known = known
    anchors = settings.anchors.compactMap { known.certificate($0) }
    byKey = anchors.reduce(into: [:]) { keys, anchor in
      if let pin = known.pin(of: anchor) { keys[pin, default: []].append(anchor) }
    }
    let excused = settings.exceptions.compactMap { known.certificate($0.certificate) }
    namedKeys = Set((anchors + excused).compactMap { known.pin(of: $0) })
  }

  /// The place of the first anchor in a chain that goes on above it.
  func end(of chain: PresentedChain) -> Int? {
    guard !byKey.isEmpty, chain.pins.count > 2 else { return nil }
    return chain.pins.indices.dropFirst().dropLast().first { anchor(at: $0, of: chain) != nil }
  }

  /// The anchor with the key at a place of a chain; nil where there is none, or where the chain goes on above it.
  ///
  /// Clients know an anchor by its name and key. A certificate for the same key with another name leads on to the next key.
  func anchor(at place: Int, of chain: PresentedChain) -> Certificate? {
    guard let pin = chain.pins[place], let same = byKey[pin] else { return nil }
    if place > 1, known.haveIssued(same, chain.pins[place - 1]) == false { return nil }
    let above = chain.pins[(place + 1)...]
    if let next = above.first, leadsToAnchor(above, besides: pin), known.leads(from: pin, to: next, besides: same) {
      return nil
    }
    return same.max { ($0.notAfter ?? 0) < ($1.notAfter ?? 0) }
  }

  /// Whether keys may lead to another anchor than the one with a key.
  private func leadsToAnchor(_ above: ArraySlice<Pin?>, besides pin: Pin) -> Bool {
    settings.systemAnchors || above.contains { $0.map { byKey[$0] != nil } ?? (byKey.count > 1) }
  }
}
