#if Service
import Foundation
import OpenSSLKit
import PinFormat
import PinService
import PinValidator

/// What the agent says about itself in `status.json`, for `pintle-agent check`: a claim, on which no decision depends.
struct AgentStatus: Codable, Hashable, Sendable {
  static let name = "status.json"
  static let currentVersion = 1

  /// The version of this format.
  var version = currentVersion
  /// When the agent wrote this: an instant such as `2026-11-21T00:00:00Z`, as all times here.
  var written: String
  /// Seconds between two fetches; absent if the agent only watches files.
  var interval: Int?
  /// When a URL last had the manifest in force or a newer one, also before the agent's last start.
  var lastRound: String?
  /// The manifest in the folder; absent if there is none.
  var manifest: Mirrored?
  /// The version of the newest keyset in the folder, and when it expires; absent with fixed signers.
  var keyset: Int64?
  var keysetExpires: String?
  /// What is wrong, as the health of a service says it, and with the folder: each a sentence.
  var problems: [String]

  /// A manifest as the agent wrote it.
  struct Mirrored: Codable, Hashable, Sendable {
    var serial: Int64
    var issued: String
    var expires: String
    /// SHA-256 over the whole file, in hexadecimal digits.
    var sha256: String
  }

  enum CodingKeys: String, CodingKey {
    case version, written, manifest, keyset, problems
    case interval = "interval-seconds"
    case lastRound = "last-round"
    case keysetExpires = "keyset-expires"
  }

  /// The most bytes of the file that are read.
  private static let maximumBytes = 65_536

  /// Reads the file in a folder.
  ///
  /// - Parameter path: The folder.
  /// - Returns: The status.
  /// - Throws: ``AgentError`` if there is none, or it isn't one of this version.
  static func read(in path: String) throws(AgentError) -> AgentStatus {
    let file = path + "/" + name
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try WholeFile.read(file, limit: maximumBytes, onlyRegular: true, followsLink: false)
    } catch {
      throw AgentError(error.message)
    }
    guard let status = try? JSONDecoder().decode(AgentStatus.self, from: Data(bytes)),
      status.version == currentVersion
    else { throw AgentError("'\(file)' isn't a status of this version of pintle-agent") }
    return status
  }

  /// The bytes of the file.
  func encoded() throws(AgentError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do { return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")] } catch {
      throw AgentError("can't write the status: \(error)")
    }
  }
}

extension AgentStatus {
  /// Describes a service and the folder.
  ///
  /// - Parameters:
  ///   - service: The service's status.
  ///   - mirrored: What is in the folder.
  ///   - problem: Why the folder could not be brought up to date.
  ///   - interval: Seconds between two fetches.
  ///   - before: The last round that an earlier process of the agent noted.
  ///   - now: The time by the clock.
  init(
    of service: ServiceStatus, mirrored: Mirrored?, problem: String?, interval: Int?, before: String?, at now: Instant
  ) {
    written = "\(now)"
    self.interval = interval
    lastRound = service.lastFetch.map { "\($0)" } ?? before
    manifest = mirrored
    keyset = service.keysetVersion
    keysetExpires = service.store.keyset.map { "\($0.expires)" }
    problems = problem.map { [$0] } ?? []
    if case .degraded(let reasons) = service.health { problems += reasons.map { "\($0.code): \($0.description)" } }
    // Within the limit of what is read; each problem is already short.
    problems = problems.prefix(20).map { String($0.prefix(1_000)) }
  }
}

extension AgentStatus.Mirrored {
  init(_ manifest: LoadedManifest) {
    serial = manifest.serial
    issued = "\(manifest.issued)"
    expires = "\(manifest.expires)"
    sha256 = Self.digest(of: manifest.fileBytes)
  }

  /// The digest of a file's bytes; empty if it can't be computed, which no file has.
  static func digest(of bytes: [UInt8]) -> String {
    guard let value = try? SHA256.digest(of: bytes) else { return "" }
    return SHA256Digest(value).hex
  }
}
#endif
