package import Diagnostics
import OpenSSLKit
package import PinFormat
import PinPolicy

/// A report of one connection, in the format of RFC 7469 or of TrustKit: which chain a client got for which host.
///
/// Nobody vouches for what a report says.
package struct ReportedChain: Sendable {
  package var host: String
  package var port: UInt16
  /// When the client judged the connection; nil where the report doesn't say.
  package var instant: Instant?
  /// As the server sent it, the leaf first; the validated one where the sender's format has no other.
  package var chain: [[UInt8]]

  /// Reads a report; the fields that aren't needed may be missing.
  package init(_ bytes: [UInt8], path: String) throws(WorkFailure) {
    let wrong = { (reason: String) in
      WorkFailure(
        .failed, "'\(path)' is not a report of a connection: \(reason)",
        help: "Give the JSON that a client or the collector sent, in the format of RFC 7469 or of TrustKit.")
    }
    let text: LocatedJSON
    do { text = try LocatedJSON(bytes) } catch { throw wrong(error.message) }
    guard let host = text.root["hostname"]?.text else { throw wrong("it has no field 'hostname'") }
    self.host = host
    port = text.root["port"]?.written.flatMap { UInt16($0) } ?? 443
    instant = text.root["date-time"]?.text.flatMap { Instant(written: $0) }
    let served = text.root["served-certificate-chain"]?.items ?? []
    let items = served.isEmpty ? text.root["validated-certificate-chain"]?.items ?? [] : served
    chain = try items.enumerated().map { (number, item) throws(WorkFailure) in
      guard let certificate = try? Certificate.read(Array((item.text ?? "").utf8)).first else {
        throw wrong("certificate \(number + 1) of its chain can't be read")
      }
      return certificate.der
    }
    guard !chain.isEmpty else { throw wrong("it has no certificate in 'served-certificate-chain'") }
  }
}

/// What the collector knows of clients: its answers of `/v1/manifests` and `/v1/failures`.
package struct CollectedClients: Sendable {
  /// Clients of one service that decided by one manifest, on the last day that it counted.
  package struct Group: Sendable {
    package var reporter: String
    package var serial: Int64
    package var decisions: Int64
    package var day: String
  }

  /// Failures of one host and leaf key.
  package struct Failure: Sendable {
    package var host: String
    package var port: UInt16
    package var leaf: String
    package var reports: Int64
    package var firstSeen: Instant?
    package var lastSeen: Instant?
  }

  package private(set) var groups: [Group] = []
  package private(set) var failures: [Failure] = []

  package init() {}

  /// Adds one answer of the collector.
  package mutating func add(_ bytes: [UInt8], path: String) throws(WorkFailure) {
    guard !bytes.isEmpty else { throw Self.wrong(path, "it is empty, so the collector probably didn't answer") }
    let text: LocatedJSON
    do { text = try LocatedJSON(bytes) } catch { throw Self.wrong(path, error.message) }
    switch text.root["type"]?.text {
    case "pintle-collector-manifests":
      for item in text.root["manifests"]?.items ?? [] {
        guard let reporter = item["reporter"]?.text, let serial = item["serial"]?.written.flatMap({ Int64($0) }),
          let decisions = item["decisions"]?.written.flatMap({ Int64($0) })
        else { throw Self.wrong(path, "an item of 'manifests' has no serial or decisions") }
        groups.append(Group(reporter: reporter, serial: serial, decisions: decisions, day: item["day"]?.text ?? ""))
      }
    case "pintle-collector-failures":
      for item in text.root["failures"]?.items ?? [] {
        guard let host = item["host"]?.text, let leaf = item["chain"]?.items?.first?.text else { continue }
        failures.append(
          Failure(
            host: host, port: item["port"]?.written.flatMap { UInt16($0) } ?? 443, leaf: leaf,
            reports: item["reports"]?.written.flatMap { Int64($0) } ?? 1,
            firstSeen: item["first-seen"]?.text.flatMap { Instant(written: $0) },
            lastSeen: item["last-seen"]?.text.flatMap { Instant(written: $0) }))
      }
    case let type: throw Self.wrong(path, type.map { "its type is '\($0)'" } ?? "it has no field 'type'")
    }
  }

  private static func wrong(_ path: String, _ reason: String) -> WorkFailure {
    WorkFailure(
      .failed, "'\(path)' is not an answer of the collector about clients: \(reason)",
      help: "Leave it out, or save an answer: curl -sSf http://127.0.0.1:8464/v1/manifests >clients.json, or that of "
        + "'/v1/failures'.")
  }
}
