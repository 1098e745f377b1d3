import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinValidator
import Synchronization
import TestSupport
import Testing

/// Keysets and releases by short names, on disk.
///
/// Keysets 1 and 2 have one epoch of serials, 3 has the next, and no signer in common with 1. `2'` has the serial of
/// `2` and other content, `2+` one more signature, `e1` is in the epoch of keyset 3.
struct PublicationScene {
  let folder: TemporaryDirectory
  /// The bytes by name; keysets are `k1` to `k3`.
  private(set) var files: [String: [UInt8]] = [:]

  init() throws {
    folder = try TemporaryDirectory()
    let people = try KeysetPeople.everybody()
    let first = try KeysetPlan.first(
      audience: "production", issued: KeysetPeople.issued, expires: KeysetPeople.expires,
      roots: people.keys("alice", "bob"), rootThreshold: 1, signers: people.keys("ci", "dora"), threshold: 1)
    let second = try KeysetRequest([.revoke("ci", adding: [people.key("ci-2")])], issued: KeysetPeople.later)
      .next(after: first)
    let third = try KeysetRequest(
      [.revoke("dora", adding: [people.key("emil")])], issued: KeysetPeople.later, restartSerialsAt: 1
    ).next(after: second)
    for (name, keyset) in [("k1", first), ("k2", second), ("k3", third)] {
      files[name] = try people.file(keyset, signedBy: "alice").bytes
    }
    // Another first version, by other roots.
    var other = first
    other.issued = KeysetPeople.later
    files["k1'"] = try people.file(other, signedBy: "bob").bytes
    func release(
      _ serial: Int64, _ signers: String..., after previous: String? = nil, audience: String = "production",
      day: Int64 = 0
    ) throws -> [UInt8] {
      let manifest = Manifest(
        audience: audience, serial: serial, issued: KeysetPeople.issued.adding(seconds: day * 86_400),
        refreshAfter: KeysetPeople.later.adding(seconds: day * 86_400), expires: KeysetPeople.expires,
        onStale: .enforce,
        previous: try previous.map { try digest(of: $0, in: files) },
        provenance: Manifest.Provenance(sources: Pin.empty, commit: nil, compiler: "test"), unpinnedHosts: .allow,
        keys: [], keySets: [], certificates: [], hosts: [])
      return try SignedManifest.sign(manifest, with: signers.map { try people.signer($0) }).bytes
    }
    files["1"] = try release(1, "ci")
    files["2"] = try release(2, "dora", after: "1", day: 2)
    files["2'"] = try release(2, "dora", after: "1", day: 1)
    files["2+"] = try SignedManifest.add([people.signer("ci-2")], to: try #require(files["2"])).bytes
    files["3"] = try release(3, "ci-2", after: "2", day: 3)
    files["4"] = try release(4, "dora", after: "3", day: 4)
    files["early"] = try release(4, "dora", after: "3", day: 1)
    files["alone"] = try release(4, "dora", day: 4)
    files["e1"] = try release(1, "emil", after: "4", day: 5)
    files["stranger"] = try release(5, "frank", after: "4", day: 5)
    files["staging"] = try release(1, "dora", audience: "staging")
    for name in ["../up", ".hidden", "a/b", "lock", "ünder", "-a", String(repeating: "a", count: 101)] {
      files["for " + name] = try release(1, "dora", audience: name)
    }
    for (index, (_, bytes)) in files.sorted(by: { $0.key < $1.key }).enumerated() {
      try folder.write(bytes, to: "\(index).json")
    }
    for version in 1...3 {
      try folder.write(try #require(files["k\(version)"]), to: "keysets/\(version).keyset.json")
    }
  }

  private func digest(of name: String, in files: [String: [UInt8]]) throws -> SHA256Digest {
    let file = try #require(files[name])
    return SHA256Digest(try SHA256.digest(of: Array(file[SignatureEnvelope(draft: file, as: .manifest).signed])))
  }

  func path(_ name: String) throws -> String {
    let index = try #require(files.keys.sorted().firstIndex(of: name), "\(name)")
    return folder.path("\(index).json")
  }

  /// Who verifies by keysets of these versions.
  func trust(_ versions: ClosedRange<Int>) throws -> Trust {
    let place = "\(versions.lowerBound)-\(versions.upperBound)"
    for version in versions {
      try folder.write(try #require(files["k\(version)"]), to: "\(place)/\(version).keyset.json")
    }
    return try #require(try Trust.load(keys: [], threshold: nil, keyset: folder.path(place)))
  }

  func publication(_ releases: [String], _ versions: ClosedRange<Int> = 1...2) throws -> Publication {
    try Publication(releases.map { try path($0) }, trust: try trust(versions), audience: nil)
  }

  /// A target that has files by their paths.
  func target(_ published: [String: String]) throws -> MemoryTarget {
    MemoryTarget(try published.mapValues { try #require(files[$0]) })
  }
}

/// A target in memory, which can fail.
final class MemoryTarget: PublicationTarget {
  private struct State {
    var files: [String: [UInt8]]
    var writesLeft = Int.max
    var order: [String] = []
  }

  private let state: Mutex<State>
  var name: String { "memory" }

  init(_ files: [String: [UInt8]]) { state = Mutex(State(files: files)) }

  var files: [String: [UInt8]] { state.withLock { $0.files } }
  /// The paths that were written, in order.
  var order: [String] { state.withLock { $0.order } }

  func fail(after writes: Int) { state.withLock { $0.writesLeft = writes } }

  func read(_ path: String, limit: Int) throws(WorkFailure) -> [UInt8]? { state.withLock { $0.files[path] } }

  func create(_ bytes: [UInt8], at path: String) throws(WorkFailure) {
    guard files[path] == nil else { throw WorkFailure(.failed, "'\(path)' is there") }
    try write(bytes, path)
  }

  func replace(_ path: String, holding old: [UInt8]?, with bytes: [UInt8]) throws(WorkFailure) {
    guard files[path] == old else { throw WorkFailure(.failed, "'\(path)' changed meanwhile") }
    try write(bytes, path)
  }

  func tidy(beside paths: [String]) throws(WorkFailure) {}

  func whileAlone<Answer>(_ body: () throws(WorkFailure) -> Answer) throws(WorkFailure) -> Answer { try body() }

  private func write(_ bytes: [UInt8], _ path: String) throws(WorkFailure) {
    let isWritten = state.withLock { state in
      guard state.writesLeft > 0 else { return false }
      state.writesLeft -= 1
      state.files[path] = bytes
      state.order.append(path)
      return true
    }
    guard isWritten else { throw WorkFailure(.failed, "the disk is full") }
  }
}
