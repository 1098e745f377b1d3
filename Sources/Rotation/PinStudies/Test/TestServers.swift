import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRotation
import PinRules
import PinValidator

/// What servers present in the tests of one file: files, records, and certificates that are made up.
struct TestServers {
  private let files: FileReader
  /// The path of the file of tests in the policy's directory.
  private let path: String
  private let anchors: [Located<String>]
  private let system: TrustAnchors
  private var store: TrustAnchors?
  private var chains: [String: [[UInt8]]] = [:]
  private var records: [String: Record] = [:]
  /// An address of which a record has no chain: what clients answer there isn't known.
  var unread: TestMistake?

  private struct Record {
    var evidence: Evidence
    var stores: [(name: String?, anchors: TrustAnchors)]
  }

  /// What a server presents, and how messages name it.
  struct Shown {
    var presented: TestClients.Presented
    var text: String
    var tlsVersion: TLSVersion?
  }

  /// The anchors are the files that the file of tests names in place of the system's trust store; none for that store.
  init(_ files: FileReader, _ path: String, _ anchors: [Located<String>], besides system: TrustAnchors) {
    (self.files, self.path, self.anchors, self.system) = (files, path, anchors, system)
  }

  /// The trust store that the file names; nil if it names none.
  private mutating func ownStore() throws(TestMistake) -> TrustAnchors? {
    guard let first = anchors.first else { return nil }
    if let store { return store }
    var bytes: [[UInt8]] = []
    for file in anchors { bytes.append(try read(file)) }
    do throws(TrustFailure) { store = try TrustAnchors(bytes) } catch {
      throw TestMistake(place: first.place, message: "these anchors can't be used: \(error.message)", help: Self.pem)
    }
    return store
  }

  private static let pem = "Name files of certificates in PEM."

  /// What a test says that the server of a host presents: one for each chain that may be meant.
  mutating func shown(
    _ test: PolicyTest, _ place: HostPort, _ clients: TestClients, _ subject: TestClients.Subject, at instant: Instant
  ) throws(TestMistake) -> [Shown] {
    switch test.presented {
    case .chain(let file):
      return [Shown(presented: .served(try chain(file), try ownStore() ?? system), text: VisibleText.of(file.value))]
    case .keys(let names):
      let text = "made-up certificates for \(Self.list(names.map(\.value)))"
      return [Shown(presented: .madeUp(try clients.chain(of: names)), text: text)]
    case .evidence(let file):
      guard test.tlsVersion == nil else {
        throw TestMistake(
          place: test.place, message: "'evidence' has the TLS version that was negotiated, and the test gives another",
          help: "Remove 'tls-version'.")
      }
      return try recorded(file, place)
    case .authority(let name): return try issued(name, place, clients, subject, at: instant)
    }
  }

  private static func list(_ names: [String]) -> String { names.map { Wording.quoted($0) }.listed() }

  private mutating func chain(_ file: Located<String>) throws(TestMistake) -> [[UInt8]] {
    if let known = chains[file.value] { return known }
    let bytes = try read(file)
    do throws(WorkFailure) {
      let chain = try ChainFile(bytes, of: file.value).certificates
      chains[file.value] = chain
      return chain
    } catch {
      throw TestMistake(place: file.place, message: error.message, help: error.help ?? Self.pem)
    }
  }

  /// What a record shows of a host, under each recorded trust store unless the tests name their own.
  private mutating func recorded(
    _ file: Located<String>, _ place: HostPort
  ) throws(TestMistake) -> [Shown] {
    let record = try record(file)
    let label = HostLabel.text(host: place.host, port: place.port)
    let targets = record.evidence.targets.filter { $0.host == place.host && $0.port == place.port }
    let views = targets.flatMap { $0.views(in: record.evidence) }
    guard !views.isEmpty else {
      throw TestMistake(
        place: file.place,
        message: "'\(VisibleText.of(file.value))' has no chain of \(label)",
        help: "Record it: pintle probe --host \(label) --record FILE.")
    }
    let silent = targets.flatMap(\.addresses).filter { !$0.visits.contains { $0.served != nil } }.map(\.label)
    if !silent.isEmpty {
      unread = TestMistake(
        place: file.place,
        message: "'\(VisibleText.of(file.value))' has no chain of \(silent.listed()), another address of \(label)",
        help: "Record it when all addresses answer, or put the chain into a file and name it with 'chain:'.")
    }
    return views.flatMap { view in
      record.stores.map { store in
        Shown(
          presented: .served(view.chain, store.anchors),
          text: "what \(view.places.joined(separator: ", ")) presented"
            + (store.name.map { ", under the trust store '\($0)'" } ?? ""), tlsVersion: view.tlsVersion)
      }
    }
  }

  private mutating func record(_ file: Located<String>) throws(TestMistake) -> Record {
    if let known = records[file.value] { return known }
    let bytes = try read(file)
    let evidence: Evidence
    do throws(WorkFailure) { evidence = try EvidenceFile.evidence(in: bytes, of: file.value) } catch {
      throw TestMistake(place: file.place, message: error.message, help: error.help ?? "")
    }
    let own = try ownStore()
    var record = Record(evidence: evidence, stores: [(nil, own ?? system)])
    if own == nil, !evidence.stores.isEmpty {
      let certificates = Dictionary(evidence.certificates.map { ($0.fingerprint, $0.der) }) { first, _ in first }
      do throws(TrustFailure) {
        record.stores = []
        for store in evidence.stores {
          record.stores.append((store.name, try TrustAnchors(store: store.anchors.compactMap { certificates[$0] })))
        }
      } catch {
        throw TestMistake(
          place: file.place, message: "a recorded trust store can't be used: \(error.message)", help: "")
      }
    }
    records[file.value] = record
    return record
  }

  /// What an authority might issue, or every known one that the host's set doesn't pin.
  private func issued(
    _ name: Located<String>, _ place: HostPort, _ clients: TestClients, _ subject: TestClients.Subject,
    at instant: Instant
  ) throws(TestMistake) -> [Shown] {
    let known = clients.authorities(at: instant)
    let authorities: [Authority]
    if name.value == PolicyTest.Presented.anyOther {
      let pinned = subject.manifest.entryKeys(host: place.host.text, port: place.port).map(\.pin)
      authorities = known.others(than: Set(pinned))
    } else if let one = known.authority(named: name.value) {
      authorities = [one]
    } else {
      let names = known.authorities.map(\.name)
      throw TestMistake(
        place: name.place, message: "no public CA \(Wording.quoted(name.value)) is known at \(instant)",
        help: Suggestion.help(
          name.value, among: names, else: "'pintle authorities list' lists the known ones; 'any-other' is all others."))
    }
    // Of all others, those count that some client trusts.
    let hasRejected = name.value != PolicyTest.Presented.anyOther
    var shown: [Shown] = []
    for authority in authorities {
      for key in known.issuing(authority) {
        guard let ways = known.ways(up: key) else {
          throw TestMistake(
            place: name.place, message: "'\(key.name)' was certified in more than \(Authorities.mostWays) ways",
            help: "Correct the files of --authorities.")
        }
        for way in ways {
          let keys = Self.list(way.map(\.name.key))
          let text = "a made-up certificate of '\(authority.name)' below \(keys)"
          let rejecting = clients.policy.effectiveSettings.stores.filter { known.end(of: way, in: $0) != nil }
          if rejecting.isEmpty || rejecting.count < clients.policy.effectiveSettings.stores.count {
            shown.append(Shown(presented: .madeUp(PresentedChain([nil] + way.map(\.pin))), text: text))
          }
          for store in rejecting where hasRejected {
            let day = (known.end(of: way, in: store) ?? instant).day
            let failure = TrustFailure(.rejected, "\(store.title) trusts nothing issued below \(keys) from \(day) on")
            shown.append(Shown(presented: .distrusted(failure), text: text + ", under \(store.title)"))
          }
        }
      }
    }
    return shown
  }

  private func read(_ file: Located<String>) throws(TestMistake) -> [UInt8] {
    do throws(FileReadError) { return try files.read(file.value, in: path) } catch {
      throw TestMistake(
        place: file.place, message: "can't read '\(VisibleText.of(file.value))': \(error.reason)",
        help: "Name a file in the policy's directory, relative to the test file.")
    }
  }
}
