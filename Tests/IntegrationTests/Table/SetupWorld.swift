import Foundation
import Synchronization
import TestSupport

/// All set-ups with their certificates made and their servers started, once for all tests.
final class SetupWorld: Sendable {
  /// A set-up whose servers are running.
  struct Stage: Sendable {
    let setup: Setup
    let scene: Scene
    /// Where each address of the host is served.
    let endpoints: [(address: String, port: UInt16)]
  }

  /// Its policies and records are in it, one folder a set-up.
  let directory: TemporaryDirectory
  let shared: Scene.Authorities
  private let stages: [String: Stage]
  private let owners: [any Sendable]

  /// The world of the whole table.
  static func standing() throws -> SetupWorld { try made.get() }

  private static let made: Result<SetupWorld, any Error> = Result { try SetupWorld(Setup.table) }

  private init(_ setups: [Setup]) throws {
    directory = try TemporaryDirectory()
    let shared = try Scene.Authorities()
    self.shared = shared
    let prepared = try Self.prepare(setups, shared)

    // Sites are collected first, so that two nginx serve all of them.
    let servings = prepared.flatMap { (_, scene, servings) in servings.map { (scene.host, $0) } }
    let main = try NginxServer(servings.compactMap(Self.site))
    let ahead = try NginxServer(
      servings.compactMap { host, serving in
        if case .nginxAhead(let identities) = serving { NginxServer.Site(host, identities) } else { nil }
      }, clockAhead: "+3d")
    var owners: [any Sendable] = [main, ahead]
    var stages: [String: Stage] = [:]
    for (setup, scene, servings) in prepared {
      var endpoints: [(String, UInt16)] = []
      for serving in servings {
        switch serving {
        case .nginx(_, let address, _): endpoints.append((address, main.port))
        case .unknownToNginx: endpoints.append(("127.0.0.1", main.port))
        case .nginxPort(let port, _, let address, _): endpoints.append((address, port))
        case .nginxAhead: endpoints.append(("127.0.0.1", ahead.port))
        case .listening(let address, let port, let owner):
          endpoints.append((address, port))
          if let owner { owners.append(owner) }
        }
      }
      stages[setup.name] = Stage(setup: setup, scene: scene, endpoints: endpoints)
    }
    self.owners = owners
    self.stages = stages
  }

  func stage(of setup: Setup) throws -> Stage {
    guard let stage = stages[setup.name] else {
      throw RunError.notStarted(program: setup.name, reason: "it isn't in the table")
    }
    return stage
  }

  private typealias Prepared = (setup: Setup, scene: Scene, servings: [Serving])

  /// Makes the certificates of all set-ups, side by side.
  private static func prepare(_ setups: [Setup], _ shared: Scene.Authorities) throws -> [Prepared] {
    let results = Mutex<[Int: Result<Prepared, any Error>]>([:])
    DispatchQueue.concurrentPerform(iterations: setups.count) { index in
      let result = Result {
        var scene = Scene(host: setups[index].host, shared: shared)
        let servings = try setups[index].serve(&scene)
        return (setup: setups[index], scene: scene, servings: servings)
      }
      results.withLock { $0[index] = result }
    }
    return try results.withLock { results in
      try results.sorted { $0.key < $1.key }.map { try $0.value.get() }
    }
  }

  private static func site(_ host: String, _ serving: Serving) -> NginxServer.Site? {
    switch serving {
    case .nginx(let identities, let address, let directives):
      NginxServer.Site(host, identities, address: address, directives: directives)
    case .nginxPort(let port, let identities, let address, let directives):
      NginxServer.Site(host, identities, address: address, port: port, directives: directives)
    case .nginxAhead, .unknownToNginx, .listening: nil
    }
  }
}
