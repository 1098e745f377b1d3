extension KnownFamilies {
  /// How often each occurs in the first 100 worlds, and in the first 50 with a loss: a known family must not hide more.
  package static let ofSample = [
    "diff, a planned change: no intermediate": 1, "rotate, a planned change: entry expired": 1,
    "rotate, a planned change: no intermediate": 1, "rotate, a planned change: the root's certificate": 1,
  ]
  package static let ofLossSample = ["rotate, a planned change: entry expired": 1]
}
