import PinFormat
import PinProbe

extension EvidenceRecorder {
  private static let issuer = "keys/example-intermediate"
  private static let api = ["keys/api", issuer]
  private static let live = ["live/leaf", "live/intermediate"]
  private static let liveStore = ["system": ["live/root"]]

  /// What each file of evidence is about, by its name.
  static let scenes: [String: Scene] = [
    "whole-chain": one(.serves(ecdsa: api)),
    "old": one(.serves(ecdsa: api)) { $0.begun = "2026-11-01T00:00:00Z" },
    "starttls": one(.serves(ecdsa: api)) { $0.port = 25 },
    "wrong-order": one(.serves(ecdsa: ["keys/api", "keys/example-root", issuer])),
    "root-included": one(.serves(ecdsa: api + ["keys/example-root"])),
    "weak-key": one(.serves(ecdsa: nil, rsa: ["keys/weak-rsa", issuer])),
    "rsa-and-ecdsa": one(.serves(ecdsa: api, rsa: ["keys/strong-rsa", issuer])),
    "other-name": one(.serves(ecdsa: api)) { $0.host = "shop.example.com" },
    "expired": one(.serves(ecdsa: ["keys/legacy", issuer])) { $0.host = "legacy.example.com" },
    "renewed": one(.serves(ecdsa: ["live/legacy", "live/intermediate"])) {
      $0.host = "legacy.example.com"
      $0.stores = liveStore
    },
    "self-signed": one(.serves(ecdsa: ["keys/appliance"])) { $0.host = "appliance.example.internal" },
    "unknown-root": one(.serves(ecdsa: api)) {
      $0.stores = ["system": ["keys/example-root"], "minimal": ["keys/other-root"]]
    },
    "cross-signed": one(.serves(ecdsa: api + ["keys/example-root-cross-signed"])) {
      $0.stores = ["system": ["keys/example-root"], "old": ["keys/old-root"]]
    },
    "two-addresses": Scene(
      addresses: [
        ("192.0.2.10", .serves(ecdsa: api)),
        ("192.0.2.11", .serves(ecdsa: ["live/api", "live/intermediate"])),
      ], stores: ["system": ["keys/example-root", "live/root"]]),
    "leaf-only": liveHost(.serves(ecdsa: ["live/leaf"])),
    "not-yet-valid": liveHost(.serves(ecdsa: ["live/future", "live/intermediate"], ahead: 4 * 86_400)),
    "client-usage": liveHost(.serves(ecdsa: ["live/client", "live/intermediate"])),
    "sha1-leaf": liveHost(.serves(ecdsa: ["live/sha1", "live/intermediate"])),
    "constrained": liveHost(.serves(ecdsa: ["live/constrained", "live/constrained-ca"])),
    "revoked": liveHost(.serves(ecdsa: live, staple: "revoked")),
    "staple-good": liveHost(.serves(ecdsa: live, staple: "good")),
    "staple-stale": liveHost(.serves(ecdsa: live, staple: "stale")),
    "tangled": liveHost(.serves(ecdsa: ["tangled/leaf"] + LiveCertificates.tangle)) {
      $0.stores = ["system": ["tangled/root"]]
    },
    "client-certificate": one(.serves(ecdsa: api, wants: true)),
    "unresolved": Scene(addresses: [], unresolved: "the name doesn't exist"),
    "refused": one(.fails(.refused, "the connection was refused")),
    "timed-out": one(.fails(.timedOut, "no answer in 10 seconds", attempts: 3)),
    "alert": one(.fails(.alert, alert: 112, "the server sent the alert unrecognized_name")),
    "old-version": one(.fails(.protocolVersion, "the server has no version that is offered")),
    "oversized-chain": one(.fails(.oversizedChain, "the server sent 141 certificates; the limit is 32")),
    "starttls-refused": one(.fails(.startTLSRefused, "the server doesn't list STARTTLS")) { $0.port = 25 },
    "proxy-refused": Scene(addresses: [("proxy", .fails(.proxyRefused, "the proxy answered 403 Forbidden"))]),
  ]

  private static func one(_ behaviour: Behaviour, _ change: (inout Scene) -> Void = { _ in }) -> Scene {
    var scene = Scene(addresses: [("192.0.2.10", behaviour)])
    change(&scene)
    return scene
  }

  private static func liveHost(_ behaviour: Behaviour, _ change: (inout Scene) -> Void = { _ in }) -> Scene {
    one(behaviour) {
      $0.host = "live.example.com"
      $0.stores = liveStore
      change(&$0)
    }
  }
}
