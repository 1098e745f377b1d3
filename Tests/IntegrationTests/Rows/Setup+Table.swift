extension Setup {
  /// All set-ups.
  static let table: [Setup] =
    chainRows + certificateRows + strengthRows + stapleRows + pinRows + trustRows + clientRows + addressRows
    + reachabilityRows + startTLSRows
    + hostileRows + recordRows
}
