/// Gives an event loop its handshakes, one at a time, and takes the results.
///
/// Called from several threads at once.
package protocol HandshakeSource: Sendable {
  /// The next handshake to make.
  func next() -> HandshakeAssignment

  /// Takes what came of a handshake; every one that was given out ends here, once.
  func finish(_ number: Int, _ result: Result<Exchange, TLSClientError>)

  /// True once everything should end soon: a handshake that isn't complete then ends as `cancelled`.
  var isCancelled: Bool { get }
}

/// What an event loop must do next.
package enum HandshakeAssignment: Sendable {
  /// Make this handshake; the number is the source's own.
  case handshake(number: Int, HandshakeRequest)
  /// There is nothing at this time, but there may be later, such as another try: ask again then.
  case wait(until: ContinuousClock.Instant)
  /// Nothing is left to be given out, and what is under way is the last.
  case end
}
