import ArgumentParser
import Diagnostics
import Glibc
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

/// The trust stores that every chain has to hold under.
struct TrustStoreOptions: ParsableArguments {
  @Option(
    name: .customLong("trust-store"),
    help: ArgumentHelp(
      "Another trust store that clients have (PEM), with a name; 'system' replaces the system's. Repeatable.",
      valueName: "name=file"), transform: TrustStoreArgument.read)
  var stores: [TrustStoreArgument] = []

  @Flag(help: "Don't use the system's trust store.")
  var noSystemStore = false

  func validate() throws {
    let names = stores.map(\.name)
    if Set(names).count < names.count { throw ValidationError("--trust-store gives a name twice.") }
    if noSystemStore, names.contains("system") {
      throw ValidationError("--no-system-store can't be combined with a --trust-store named 'system'.")
    }
    if noSystemStore, names.isEmpty {
      throw ValidationError("--no-system-store leaves no trust store; add --trust-store.")
    }
    if names.count > 15 { throw ValidationError("There can be at most 15 --trust-store options.") }
  }

  /// True where the command line says something.
  var isGiven: Bool { noSystemStore || !stores.isEmpty }

  /// The stores, read; sorted by name.
  func load() throws(CommandFailure) -> [NamedStore] {
    var loaded = try given()
    if !noSystemStore, !isStated("system") {
      AnchorFiles.warnOfSystem()
      loaded.append(NamedStore(name: "system", anchors: .system))
    }
    return Self.sorted(loaded)
  }

  /// The stores of a record, and those of the command line besides or in their place; none where it says nothing, for
  /// the judge to take those of the record.
  func load(besides record: Evidence) throws(CommandFailure) -> [NamedStore] {
    guard isGiven else { return [] }
    var loaded = try given()
    let certificates = Dictionary(record.certificates.map { ($0.fingerprint, $0.der) }) { first, _ in first }
    for store in record.stores where !isStated(store.name) && !(noSystemStore && store.name == "system") {
      do {
        let anchors = try TrustAnchors(store: store.anchors.compactMap { certificates[$0] })
        loaded.append(NamedStore(name: store.name, anchors: anchors))
      } catch {
        throw CommandFailure(.failed, "the recorded trust store '\(store.name)' can't be used: \(error.message)")
      }
    }
    return Self.sorted(loaded)
  }

  private func given() throws(CommandFailure) -> [NamedStore] {
    var loaded: [NamedStore] = []
    for store in stores {
      let all = try AnchorFiles.load([store.path], calling: "trust store")
      let anchors: TrustAnchors
      do { anchors = try TrustAnchors(store: all.given) } catch { throw CommandFailure(.failed, error.message) }
      let others = all.given.count - anchors.given.count
      guard !anchors.given.isEmpty else {
        throw CommandFailure(
          .failed, "the trust store '\(store.path)' has no root: none of its certificates is self-signed",
          help:
            "Clients' systems take only roots of a trust store for anchors. To end paths at an intermediate, name it in "
            + "'trust: anchors:' of the policy.")
      }
      if others > 0 {
        Console.warn(
          "\(counted(others, "certificate")) of the trust store '\(store.path)' \(others == 1 ? "isn't a root" : "aren't roots")"
            + ", so no path ends at \(others == 1 ? "it" : "them")",
          help:
            "Clients' systems take only roots for anchors. To end paths at an intermediate, name it in 'trust: anchors:'."
        )
      }
      loaded.append(NamedStore(name: store.name, anchors: anchors))
    }
    return loaded
  }

  private func isStated(_ name: String) -> Bool { stores.contains { $0.name == name } }

  private static func sorted(_ stores: [NamedStore]) -> [NamedStore] {
    stores.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}

/// Files of trust anchors that the command line names, or the environment.
enum AnchorFiles {
  /// Says that the file that stands for the system's trust store can't be read: libcrypto would only find no anchors.
  static func warnOfSystem() {
    guard let path = getenv("SSL_CERT_FILE").map({ String(cString: $0) }), !["", "/dev/null"].contains(path) else {
      return
    }
    let why: String
    do {
      _ = try load([path], calling: "system's trust store")
      return
    } catch {
      why = error.message
    }
    Console.warn(
      "SSL_CERT_FILE stands for the system's trust store, and not all of it can be read: \(why)",
      help: "Set it to a file of root certificates (PEM), or unset it.")
  }

  /// Reads them all; `noun` is what the option gives, for messages about one that can't be used.
  static func load(_ paths: [String], calling noun: String) throws(CommandFailure) -> TrustAnchors {
    var files: [[UInt8]] = []
    for path in paths { files.append(try Input.read(path, limit: .bundle)) }
    do { return try TrustAnchors(files) } catch {
      // Each alone, to say which one it is.
      for (path, file) in zip(paths, files) where (try? TrustAnchors([file])) == nil {
        throw WrongFile.failure(path, file, needed: .certificates)
          ?? CommandFailure(
            .failed, "the \(noun) '\(path)' can't be used: \(error.message)",
            help: "Give a file of certificates in PEM.")
      }
      throw CommandFailure(.failed, error.message)
    }
  }
}

/// `NAME=FILE` on the command line; a name is one as in a manifest.
struct TrustStoreArgument: ExplainedArgument {
  static let howTo = "Write a name in lower case and a file of certificates in PEM: java=cacerts.pem."

  let name: String
  let path: String

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty, (1...64).contains(parts[0].utf8.count),
      parts[0].utf8.allSatisfy(Self.isOfName), parts[0].utf8.first.map({ !Array(".-_".utf8).contains($0) }) == true
    else { return nil }
    name = String(parts[0])
    path = String(parts[1])
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
      UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
