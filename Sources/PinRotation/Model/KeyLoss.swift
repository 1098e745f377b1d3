package import PinFormat

/// What the loss of one key would do: stolen, so that it has to be denied, or destroyed, so that nobody can present it.
package struct KeyLoss: Hashable, Sendable {
  /// A server that some clients could no longer reach, whatever it presents in place of the key.
  package struct Stranded: Hashable, Sendable {
    /// The server's index in the scenario.
    package var server: Int
    /// When the key would have to be lost for that: the first such instant.
    package var instant: Instant
    /// A release whose clients accept none of the replacements that the others accept, by its index.
    package var release: Int

    package init(server: Int, instant: Instant, release: Int) {
      self.server = server
      self.instant = instant
      self.release = release
    }
  }

  package var pin: Pin
  /// The servers that present the key now or later, by their index in the scenario.
  package var presenting: [Int]
  package var stranded: [Stranded]

  package init(pin: Pin, presenting: [Int], stranded: [Stranded]) {
    self.pin = pin
    self.presenting = presenting
    self.stranded = stranded
  }
}
