#if Service
import NIOHTTP1
import PinFormat
import PinValidator
import Testing

/// Makes keysets, and has them signed.
struct Keysets: Sendable {
  let root = SigningKey("root")
  let alice = SigningKey("alice")
  let bob = SigningKey("bob")

  /// A keyset's file: signed by its roots, of which all are needed, as all of its signers are.
  func file(
    _ version: Int64, audience: String = Releases.audience, expires: Int64 = 365 * 86_400, epoch: Int64 = 1,
    minimumSerial: Int64 = 1, roots: [SigningKey]? = nil, signers: [SigningKey]? = nil, by keys: [SigningKey]? = nil
  ) throws -> [UInt8] {
    let (roots, signers) = (roots ?? [root], signers ?? [alice])
    let keyset = Keyset(
      audience: audience, version: version, issued: start, expires: start.adding(seconds: expires), serialEpoch: epoch,
      minimumSerial: minimumSerial, roots: .init(keys: roots.map { $0.name }, threshold: roots.count),
      signers: .init(keys: signers.map { $0.name }, threshold: signers.count),
      keys: (roots + signers).map { .init(name: $0.name, subjectPublicKeyInfo: $0.publicKey) })
    return try (keys ?? roots).sign(keyset.signedBytes(), as: .keyset)
  }

  /// The files of several versions that differ in nothing else.
  func files(_ versions: ClosedRange<Int64>) throws -> [Int64: [UInt8]] {
    try Dictionary(uniqueKeysWithValues: versions.map { ($0, try file($0)) })
  }

  /// The settings of a store that was shipped with a keyset.
  func settings(
    shipped file: [UInt8]? = nil, _ clock: @escaping @Sendable () -> Instant = { start }
  ) throws -> PinStoreSettings {
    let keyset = try TrustedKeyset.load(shipped: file ?? self.file(1), audience: Releases.audience)
    var settings = PinStoreSettings(keyset: keyset, withoutManifest: .block)
    settings.clock = clock
    return settings
  }
}

extension ScriptedServer {
  /// A mirror that has these keysets, and says of others that there are none.
  static func mirror(_ keysets: [Int64: [UInt8]]) async throws -> ScriptedServer {
    try await start { .keyset(of: keysets, for: $0) }
  }

  /// The URL template of its keysets.
  var keysets: String { url("/keysets/{version}.keyset.json") }
  /// What was asked for, in order.
  var paths: [String] { requests.map { $0.head.uri } }
}

extension [ScriptedServer.Step] {
  /// The answer of a mirror that has these keysets.
  static func keyset(of keysets: [Int64: [UInt8]], for request: ScriptedServer.Request) -> Self {
    guard let version = version(in: request), let bytes = keysets[version] else { return .respond(404) }
    return .respond(200, body: bytes)
  }

  private static func version(in request: ScriptedServer.Request) -> Int64? {
    let parts = request.head.uri.split(separator: "/")
    guard parts.count == 2, parts[0] == "keysets", parts[1].hasSuffix(".keyset.json") else { return nil }
    return Int64(parts[1].dropLast(".keyset.json".count))
  }
}
#endif
