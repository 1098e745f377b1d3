import PinRotation
import Testing

/// The state machine of a key's life, transition by transition.
struct KeyLifeStateTests {
  typealias Status = KeyLifeState.Status
  typealias Event = KeyLifeState.Event

  /// The shortest way to each state.
  static let ways: [(status: Status, events: [Event])] = [
    (.planned, []),
    (.published, [.listedAsBackup]),
    (.active, [.listedAsActive]),
    (.retiring, [.listedAsActive, .listedAsBackup]),
    (.retired, [.listedAsBackup, .unlisted]),
    (.denied, [.denied]),
  ]

  /// What each event makes of each state, in the order of `Event.allCases`.
  static let table: [(from: Status, to: [Status])] = [
    (.planned, [.published, .active, .planned, .denied, .planned, .planned, .planned]),
    (.published, [.published, .active, .retired, .denied, .published, .active, .published]),
    (.active, [.retiring, .active, .retired, .denied, .active, .active, .published]),
    (.retiring, [.retiring, .active, .retired, .denied, .retiring, .active, .retiring]),
    (.retired, [.published, .active, .retired, .denied, .retired, .retired, .retired]),
    (.denied, [.published, .active, .planned, .denied, .denied, .denied, .denied]),
  ]

  @Test(arguments: table)
  func eachEventMovesEachState(from: Status, to: [Status]) throws {
    #expect(to.count == Event.allCases.count)
    let way = try #require(Self.ways.first { $0.status == from })
    for (event, expected) in zip(Event.allCases, to) {
      var state = KeyLifeState()
      for step in way.events { state.apply(step) }
      #expect(state.status == from)
      state.apply(event)
      #expect(state.status == expected, "\(from) and \(event)")
    }
  }

  @Test func everyStateHasItsRow() {
    #expect(Self.table.map(\.from) == Status.allCases)
    #expect(Self.ways.map(\.status) == Status.allCases)
  }

  /// An active key that nobody presents was either never served, or is no longer.
  @Test(arguments: [
    ([Event.listedAsActive, .notPresented], Status.published),
    ([.listedAsActive, .served, .notPresented], .retiring),
    ([.served, .listedAsBackup, .listedAsActive, .notPresented], .retiring),
    ([.listedAsBackup, .presented, .notPresented], .retiring),
    ([.listedAsActive, .listedAsBackup, .listedAsActive, .notPresented], .retiring),
  ])
  func aKeyThatWasServedIsRetiring(_ events: [Event], _ status: Status) {
    var state = KeyLifeState()
    for event in events { state.apply(event) }
    #expect(state.status == status)
  }
}
