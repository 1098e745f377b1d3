#if Service
/// What a service waits by: monotonic time and randomness, which tests choose.
public struct Pacing: Sendable {
  /// What waits.
  public var clock: any Clock<Duration>
  /// Gives a number from 0 up to, not including, 1, drawn again at each call.
  public var random: @Sendable () -> Double

  /// The system's own.
  public init() {
    clock = ContinuousClock()
    random = { Double.random(in: 0..<1) }
  }

  /// Takes others.
  public init(clock: any Clock<Duration>, random: @escaping @Sendable () -> Double) {
    self.clock = clock
    self.random = random
  }
}
#endif
