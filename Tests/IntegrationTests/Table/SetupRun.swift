import Foundation
import TestSupport

/// A set-up, visited, and judged again from its record.
struct SetupRun {
  /// What `pintle probe` made of the live servers.
  let live: ProbeReport
  /// What it made of the record, without servers, network or trust store.
  let replay: ProbeReport
  /// What `pintle check` made of the record.
  let check: ProbeReport

  init(_ setup: Setup, in world: SetupWorld) throws {
    let stage = try world.stage(of: setup)
    let folder = try Folder(stage, in: world)
    let record = folder.path + "/evidence.json"
    let now = Date.now.addingTimeInterval(3_600)
    let later = now.addingTimeInterval(Double(setup.daysLater) * 86_400)
    let visit = ["probe", folder.policy, "--at", text(setup.judgedBy == nil ? later : now), "--record", record]
    let shared = ["--format", "json", "--at", text(later)]

    var live = try folder.pintle(
      visit + ["--format", "json", "--timeout", "20", "--retries", "0"] + stage.scene.options + stage.connections,
      environment: stage.scene.environment)
    replay = try folder.pintle(
      ["probe", folder.judge, "--replay", record] + shared + stage.scene.judgingOptions, isOffline: true)
    // With another policy, the findings are compared with their own replay.
    if setup.judgedBy != nil { live = replay }
    self.live = live
    check = try folder.pintle(["check", folder.judge, "--evidence", record] + shared, isOffline: true)
  }

  /// Where the files of one set-up are.
  private struct Folder {
    let path: String
    let policy: String
    /// The policy that judges the record.
    let judge: String
    let trustStore: String

    init(_ stage: SetupWorld.Stage, in world: SetupWorld) throws {
      // Two tests may use one set-up at the same time.
      let name = "\(stage.setup.name)-\(UUID().uuidString)"
      path = world.directory.path(name)
      policy = "policy"
      judge = stage.setup.judgedBy == nil ? policy : "judge"
      trustStore = try world.directory.write(stage.scene.systemStore.flatMap(\.pem), to: "\(name)/system.pem")
      try Self.write(stage.setup.policy, to: "\(name)/\(policy)", stage, in: world)
      if let judgedBy = stage.setup.judgedBy { try Self.write(judgedBy, to: "\(name)/\(judge)", stage, in: world) }
    }

    private static func write(
      _ policy: SetupPolicy, to place: String, _ stage: SetupWorld.Stage, in world: SetupWorld
    ) throws {
      let expires = Date.now.addingTimeInterval(Double(policy.lifetime) * 86_400)
      var policy = policy
      if policy.port == nil { policy.port = stage.scene.policyPort }
      let text = policy.text(host: stage.setup.host, expires: String(text(expires).prefix(10)))
      try world.directory.write(text, to: place + "/policy.yaml")
      for (name, certificate) in stage.scene.kept where text.contains("keys/\(name).pem") {
        try world.directory.write(certificate.pem, to: place + "/keys/\(name).pem")
      }
    }

    /// Runs the tool in the folder; offline, without any network and with an empty trust store.
    func pintle(
      _ arguments: [String], environment: [String: String] = [:], isOffline: Bool = false
    ) throws -> ProbeReport {
      var variables = ["PATH": "/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C.UTF-8", "SSL_CERT_DIR": "/nonexistent"]
      variables["SSL_CERT_FILE"] = isOffline ? "/dev/null" : trustStore
      let command = (isOffline ? withoutNetwork : []) + [toolPath] + arguments
      let result = try run(
        command[0], Array(command.dropFirst()), environment: variables.merging(environment) { $1 }, directory: path)
      return try ProbeReport(result)
    }
  }
}

extension SetupWorld.Stage {
  /// Where the host's servers are; an address that comes twice is visited on each port.
  fileprivate var connections: [String] {
    guard !scene.resolvesHost else { return [] }
    return endpoints.flatMap {
      ["--connect-to", "\(setup.host):\(scene.policyPort ?? "443"):\($0.address):\($0.port)"]
    }
  }
}

/// Where the build put `pintle`: beside the test bundle that is running.
let toolPath = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "pintle").path()

/// What a command starts with to have no network; empty where the kernel doesn't let us.
private let withoutNetwork: [String] = {
  let command = ["unshare", "--map-root-user", "--net"]
  let attempt = try? run(command[0], Array(command.dropFirst()) + ["true"])
  return attempt?.status == 0 ? command : []
}()

/// RFC 3339 in UTC, without fractions.
private func text(_ date: Date) -> String { date.formatted(.iso8601) }
