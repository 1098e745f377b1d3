/// Answers for one host of a small world by the text of the model, tick by tick.
///
/// Small worlds are many: this is ``Oracle`` over again for what they have, with tables in place of lists.
package struct SmallOracle {
  /// A lockout's first tick and the tick after its last, by release and phase; -1 where there is none.
  package struct Answer {
    package var begin = InlineArray<12, Int>(repeating: -1)
    package var end = InlineArray<12, Int>(repeating: -1)
    package var count = 0
    /// The first tick at which the loss of a key strands somebody, by key; -1 for never.
    package var stranded = InlineArray<4, Int>(repeating: -1)
  }

  /// The oracle's mistakes, to see that they would be found.
  package var mistake: Oracle.Mistake?

  package init(mistake: Oracle.Mistake? = nil) {
    self.mistake = mistake
  }

  /// Plays the clock for one server.
  ///
  /// - Parameters:
  ///   - clock: When what happens.
  ///   - timeline: What the server presents.
  ///   - accepts: What each release lets it present: bit k for key k, bit 0 for a key that nobody knows.
  /// - Returns: Who is locked out, and whom a loss would strand.
  package func play(_ clock: SmallClock, _ timeline: SmallClock.Timeline, _ accepts: InlineArray<3, Int>) -> Answer {
    var answer = Answer()
    let releases = clock.issued.count
    for tick in 0..<clock.end {
      let phase = phase(of: timeline, at: tick)
      let key = timeline.keys[phase]
      // The keys that suit all clients that can connect now; a loss doesn't affect the others.
      var common = 0b1111
      for release in 0..<releases where isRunning(release, clock, at: tick) {
        if accepts[release] >> key & 1 == 1 {
          common &= mistake == .lossNeedsOneRelease ? 0b1111 : accepts[release]
          continue
        }
        let place = release * 4 + phase
        if answer.begin[place] < 0 {
          answer.begin[place] = tick
          answer.count += 1
        }
        answer.end[place] = tick + 1
      }
      let others = common & ~(1 << key)
      if others == 0, answer.stranded[key] < 0 { answer.stranded[key] = tick }
    }
    return answer
  }

  private func isRunning(_ release: Int, _ clock: SmallClock, at tick: Int) -> Bool {
    let issued = clock.issued[release]
    if mistake == .releaseExcludesItsInstant ? tick <= issued : tick < issued { return false }
    guard release + 1 < clock.issued.count else { return true }
    let limit = clock.issued[release + 1] + clock.window
    return mistake == .windowIncludesItsLimit ? tick <= limit : tick < limit
  }

  private func phase(of timeline: SmallClock.Timeline, at tick: Int) -> Int {
    var phase = 0
    for instant in timeline.changes where mistake == .changeExcludesItsInstant ? instant < tick : instant <= tick {
      phase += 1
    }
    return phase
  }

  /// Whether a lockout is there too when later releases that aren't out are taken back, and changes, in any number.
  package func isStanding(
    release: Int, phase: Int, _ clock: SmallClock, _ timeline: SmallClock.Timeline, _ accepts: InlineArray<3, Int>
  ) -> Bool {
    if clock.released == 0 { return false }
    if mistake == .plansNeverStand, phase > 0 { return false }
    var left = release
    while true {
      for earlier in 0...phase where accepts[left] >> timeline.keys[earlier] & 1 == 1 { return false }
      if left < clock.released { return true }
      left -= 1
    }
  }
}
