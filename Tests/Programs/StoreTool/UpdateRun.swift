import Glibc
import PinFormat
import PinValidator

/// Opens a store, takes manifests and keysets, and says what became of each.
struct UpdateRun {
  private let settings: PinStoreSettings
  private let files: [(bytes: [UInt8], isKeyset: Bool)]

  init(_ arguments: [String]) throws {
    guard arguments.count > 2, let instant = Instant(written: arguments[2]) else { fail("wrong usage") }
    let trust = contents(arguments[1])
    var settings =
      Self.isKeyset(arguments[1])
      ? PinStoreSettings(
        keyset: try TrustedKeyset.load(shipped: trust, audience: "production"), withoutManifest: .block)
      : PinStoreSettings(
        signers: try TrustedSigners(publicKeys: [trust], threshold: 1), audience: "production", withoutManifest: .block)
    if getenv("STORE_NOT_PINNED") != nil { settings.withoutManifest = .notPinned }
    settings.embedded = getenv("STORE_EMBEDDED").map { contents(String(cString: $0)) }
    settings.directory = arguments[0]
    settings.clock = { instant }
    self.settings = settings
    files = arguments.dropFirst(3).map { (contents($0), Self.isKeyset($0)) }
  }

  private static func isKeyset(_ path: String) -> Bool { path.hasSuffix(".keyset.json") }

  func run() {
    if let limit = getenv("STORE_FILE_LIMIT").flatMap({ UInt(String(cString: $0)) }) {
      // A write beyond the limit is then an error, as on a full disk, and doesn't end the process.
      signal(SIGXFSZ, SIG_IGN)
      var limits = rlimit(rlim_cur: limit, rlim_max: limit)
      guard setrlimit(__rlimit_resource_t(1), &limits) == 0 else { fail("setrlimit") }
    }
    if let user = getenv("STORE_USER").flatMap({ UInt32(String(cString: $0)) }), getuid() == 0 {
      guard setgid(user) == 0, setuid(user) == 0 else { fail("setuid") }
    }
    let store = PinStore(settings)
    say("start \(store.startup.source.rawValue) \(store.status.highestSerial)", store.startup.problems.map(\.code))
    if let host = getenv("STORE_ASK") {
      let stranger = PeerHandshake(host: String(cString: host), port: 443, certificates: [], tlsVersion: nil)
      say("decides \(store.evaluate(stranger).disposition)")
    }
    for file in files {
      do throws(UpdateError) {
        say(try update(store, file.bytes, isKeyset: file.isKeyset))
      } catch {
        say("refused \(error.code)")
      }
    }
    say("end \(store.validator?.manifest.serial ?? 0) \(store.status.highestSerial)")
  }

  private func update(_ store: PinStore, _ bytes: [UInt8], isKeyset: Bool) throws(UpdateError) -> String {
    guard isKeyset else {
      return switch try getenv("STORE_UNNAMED") == nil ? store.update(bytes) : store.update(unnamed(bytes)) {
      case .activated(let manifest, _): "activated \(manifest.serial)"
      case .unchanged(let manifest): "unchanged \(manifest.serial)"
      }
    }
    return switch try store.update(keyset: bytes) {
    case .activated(let keyset, _): "trusted \(keyset.version)"
    case .unchanged(let keyset): "unchanged keyset \(keyset.version)"
    }
  }

  private func unnamed(_ bytes: [UInt8]) -> UnnamedFile {
    do {
      let file = try UnnamedFile(in: settings.directory)
      try bytes.withUnsafeBytes { try file.append($0) }
      return file
    } catch {
      fail("\(error)")
    }
  }

  private func say(_ line: String, _ more: [String] = []) {
    print(([line] + more).joined(separator: " "))
    // So that the output isn't lost if the process is killed.
    fflush(nil)
  }
}
