import PinFormat
import PinRotation
import Testing

/// When a plan takes a server for one that presents the key.
@Suite struct PresentedKeyTests {
  private static let now = Instant(secondsSinceEpoch: 1_795_219_200)
  private static func pin(_ byte: UInt8) -> Pin { Pin(SHA256Digest(InlineArray(repeating: byte))) }

  private static let root = StandingKey(name: "next", pin: pin(1), position: .root)
  private static let trusted = Landing(judged: .trusted(PresentedChain([pin(2), pin(1)])))
  /// What clients without the anchor make of a server that sends no root.
  private static let endless = Landing(judged: .refused("no anchor", PresentedChain([pin(2), nil])))
  private static let old = Landing(judged: .trusted(PresentedChain([pin(2), pin(3)])))

  @Test(
    arguments: [
      ([trusted], [:], true),
      ([trusted], [0: [endless]], true),
      // The newest release has to know it.
      ([trusted], [1: [endless]], false),
      ([endless], [:], false),
      ([trusted, old], [0: [endless]], false),
      ([trusted], [0: [old]], false),
      ([], [0: [endless]], false),
    ] as [([Landing], [Int: [Landing]], Bool)])
  func aReleaseWithoutTheAnchorDoesNotHideTheKey(_ usual: [Landing], _ others: [Int: [Landing]], _ isPresented: Bool) {
    let phase = ServerPhase(
      begin: Self.now, source: .observed, views: usual.isEmpty ? [] : [ClientView(landings: usual)],
      otherViews: others.mapValues { [ClientView(landings: $0)] })
    #expect(Self.root.isPresented(in: phase, ofRelease: 1) == isPresented)
  }
}
