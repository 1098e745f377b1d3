import Foundation
import PinFormat
import PinValidator
import Synchronization
import Testing

#if !canImport(Darwin)
import TestSupport
#endif

/// A vector about a store: steps, one after the other, each at its own time.
final class StoreVector {
  private let inputs: Inputs
  private let folder: TemporaryDirectory?
  private let clock = Clock()
  private let audience: String
  #if CryptoKit
  private let platform: Platform
  #endif
  private var settings: PinStoreSettings
  private var store: PinStore?
  private var steps: [Fields]

  init(_ row: inout Fields, _ inputs: Inputs) throws {
    self.inputs = inputs
    let client = try Client(row.fields("client"), inputs)
    let withouts: [String: WithoutManifest] = ["block": .block, "notPinned": .notPinned]
    let without = try row.text("withoutManifest")
    let withoutManifest = try #require(withouts[without], "\(without) is no policy")
    audience = client.audience
    settings =
      if let keyset = try client.keyset() {
        PinStoreSettings(keyset: keyset, withoutManifest: withoutManifest)
      } else {
        PinStoreSettings(
          signers: try client.signers(), audience: client.audience, withoutManifest: withoutManifest)
      }
    #if CryptoKit
    platform = try Platform(row.texts("anchors").map(inputs.certificate))
    #else
    settings.anchors = try inputs.anchors(row.texts("anchors"))
    #endif
    settings.activationGuard.maximumLossPercent = try row.integer("maximumLossPercent")
    folder = try row.value("directory") as? Bool == true ? TemporaryDirectory() : nil
    settings.directory = folder?.path
    settings.clock = { [clock] in clock.now }
    steps = try row.list("steps").map(Fields.init)
  }

  /// Runs the steps, and compares each answer with what is expected of it.
  func run(_ name: String) throws {
    for (number, step) in steps.enumerated() {
      var step = step
      let action = try step.text("action")
      let at = try step.text("at")
      clock.now = try #require(Instant(at.utf8), "\(at) is no instant")
      let expected = try step.value("expected")
      let answer = try carryOut(action, &step)
      try step.finish()
      let (found, right) = try (json(answer), json(expected))
      #expect(found == right, "\(name), step \(number + 1)")
    }
  }

  private func carryOut(_ action: String, _ step: inout Fields) throws -> [String: Any] {
    if action == "open" {
      store = nil
      settings.embedded = try step.optionalText("embedded").map(inputs.manifest)
      if step.has("keyset") {
        let shipped = try inputs.keyset(step.text("keyset"))
        settings.trust = .keyset(try TrustedKeyset.load(shipped: shipped, audience: audience))
      }
      let store = PinStore(settings)
      self.store = store
      return ["source": store.startup.source.rawValue, "problems": unique(store.startup.problems.map(\.code))]
    }
    let store = try #require(store, "a store is opened first")
    switch action {
    case "update": return try update(store, inputs.manifest(step.text("manifest")))
    case "update-keyset": return try update(store, keyset: inputs.keyset(step.text("keyset")))
    case "decide":
      let handshake = try inputs.handshake(step.fields("handshake"))
      let transport = try inputs.transport(step.text("transport"))
      #if CryptoKit
      return answer(
        of: try platform.decide(store.question(host: handshake.host, port: handshake.port), handshake))
      #else
      return answer(of: store.evaluate(handshake, transport: transport))
      #endif
    case "status": return status(store)
    default: throw Unknown(what: "action", name: action)
    }
  }

  private func update(_ store: PinStore, _ bytes: [UInt8]) throws -> [String: Any] {
    do throws(UpdateError) {
      switch try store.update(bytes) {
      case .activated: return ["result": "activated"]
      case .unchanged: return ["result": "unchanged"]
      }
    } catch {
      return ["result": "refused", "error": error.code.description]
    }
  }

  private func update(_ store: PinStore, keyset bytes: [UInt8]) throws -> [String: Any] {
    do throws(UpdateError) {
      switch try store.update(keyset: bytes) {
      case .activated: return ["result": "activated"]
      case .unchanged: return ["result": "unchanged"]
      }
    } catch {
      return ["result": "refused", "error": error.code.description]
    }
  }

  private func status(_ store: PinStore) -> [String: Any] {
    let status = store.status
    let freshness =
      switch status.freshness {
      case nil: "none"
      case .fresh: "fresh"
      case .refreshDue: "refresh-due"
      case .stale: "stale"
      }
    var answer: [String: Any] = [
      "source": status.source.rawValue, "serial": status.manifest?.serial ?? 0, "highestSerial": status.highestSerial,
      "freshness": freshness, "now": status.now.description,
    ]
    if let keyset = status.keyset {
      answer["keyset"] = keyset.version
      answer["keysetExpired"] = status.isKeysetExpired
      answer["endorsed"] = status.isEndorsed
    }
    return answer
  }
}

/// Each code once: several files may have one problem.
private func unique(_ codes: [String]) -> [String] {
  codes.enumerated().filter { !codes.prefix($0.offset).contains($0.element) }.map(\.element)
}

/// A clock that is set.
private final class Clock: Sendable {
  private let seconds = Atomic<Int64>(0)

  var now: Instant {
    get { Instant(secondsSinceEpoch: seconds.load(ordering: .relaxed)) }
    set { seconds.store(newValue.secondsSinceEpoch, ordering: .relaxed) }
  }
}

/// Something that this runner can't run, and must not pass over.
struct Unknown: Error {
  let what: String
  let name: String
}
