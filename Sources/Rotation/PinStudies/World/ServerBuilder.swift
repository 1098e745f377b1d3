import PinFormat
import PinPolicy
import PinProbe
import PinRotation
import PinRules
import PinValidator

/// The servers of a scenario: those of the evidence, and those that nobody looked at.
struct ServerBuilder {
  private let question: RotationQuestion
  private let judge: any ChainJudge
  private var assumed: AssumedChains
  private var planned: PlannedChanges
  private let assumedPlaces: AssumedPlaces

  /// - Throws: ``RotationWorldError/unknownKey(_:known:)``.
  init(
    _ question: RotationQuestion, _ plan: RotationReleases, _ standings: KeyStandings,
    _ certificates: KnownCertificates, _ names: KeysByName, _ judge: any ChainJudge
  ) throws(RotationWorldError) {
    self.question = question
    self.judge = judge
    assumed = AssumedChains(question, plan, standings, certificates)
    planned = try PlannedChanges(question, plan, standings, names)
    assumedPlaces = AssumedPlaces(question.policy.policy, plan, at: question.now)
  }

  /// All servers, sorted by host, then port.
  ///
  /// - Parameter observed: What servers that answered present now.
  /// - Returns: The servers, each with what it presents now and later.
  /// - Throws: ``RotationWorldError/unknownHost(_:known:)``.
  mutating func servers(observed: [HostPort: ServerPhase]) throws(RotationWorldError) -> [Server] {
    let targets = question.evidence?.targets ?? []
    var places = Set(observed.keys)
    // Targets without an answer are treated like targets that weren't probed.
    for target in targets { places.insert(HostPort(target.host, target.port)) }
    places.formUnion(assumedPlaces.places(beside: targets))
    var first = observed
    for place in places where first[place] == nil { first[place] = assumedPhase(at: place) }
    let hosts = Set(first.keys.map(\.host))
    for change in question.serverChanges {
      if let port = change.port {
        let place = HostPort(change.host, port)
        if first[place] == nil { first[place] = try addedPhase(at: place) }
      } else if !hosts.contains(change.host) {
        let place = HostPort(change.host, 443)
        first[place] = try addedPhase(at: place)
      }
    }
    return first.sorted { $0.key < $1.key }.map { place, phase in
      let judge = ServerJudge(judge, host: place.host, port: place.port)
      return Server(host: place.host, port: place.port, phases: planned.phases(of: place, after: phase, judge))
    }
  }

  /// Nil where no release pins the server.
  private mutating func assumedPhase(at place: HostPort) -> ServerPhase? {
    var chains = assumed.chains(at: place)
    // Whatever the server presents, clients block a host that has no pins.
    if chains.isEmpty, assumedPlaces.denied.contains(place) { chains = [.unknown] }
    guard !chains.isEmpty else { return nil }
    return ServerJudge(judge, host: place.host, port: place.port).assumed(chains, at: question.now)
  }

  /// A server that only a planned change names, such as a name below an entry that includes subdomains.
  private mutating func addedPhase(at place: HostPort) throws(RotationWorldError) -> ServerPhase {
    if let phase = assumedPhase(at: place) { return phase }
    throw .unknownHost(place.host.text, known: assumedPlaces.hosts)
  }
}
