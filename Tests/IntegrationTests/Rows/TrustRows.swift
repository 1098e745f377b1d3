import TestSupport

extension Setup {
  /// The entry's `trust`, applied as the runtime applies it.
  static let trustRows: [Setup] = [
    Setup(
      "own-anchor", "a private root, which the policy trusts for this host",
      policy: SetupPolicy(
        active: ["stranger"], entry: ["trust: { anchors: [keys/stranger.pem], reason: our own CA }"]),
      expects: []
    ) { scene in
      [.nginx(try scene.leaf(by: scene.shared.stranger))]
    },
    Setup(
      "one-store-trusts", "a private root that is in one of two trust stores",
      policy: SetupPolicy(active: ["stranger"]), expects: [.error("P507", "'system'", "'private'")]
    ) { scene in
      scene.options = ["--trust-store", "private=\(scene.shared.stranger.path)"]
      return [.nginx(try scene.leaf(by: scene.shared.stranger))]
    },
    Setup(
      "own-anchor-alone", "a public certificate, where the policy trusts a private root alone",
      policy: SetupPolicy(entry: ["trust: { anchors: [keys/stranger.pem], reason: our own CA }"]),
      expects: [.error("P507", "Test Root")]
    ) { scene in
      [.nginx(try scene.leaf(), scene.shared.issuing)]
    },
    Setup(
      "own-intermediate", "the intermediate isn't sent, and the policy has it",
      policy: SetupPolicy(entry: ["trust: { intermediates: [keys/issuing.pem], reason: an appliance }"]),
      expects: [.note("P527", "Test Issuing CA")]
    ) { scene in
      [try scene.openssl(try scene.leaf())]
    },
    Setup(
      "own-certificate", "a self-signed device, known by its certificate",
      policy: SetupPolicy(
        active: ["device"], entry: ["trust: { certificate: keys/device.pem, reason: a device }"]),
      expects: []
    ) { scene in
      [.nginx(scene.keep(try scene.pki.issue(.leaf("device", names: [])), as: "device"))]
    },
    Setup(
      "other-certificate", "the device has got another certificate for its key",
      policy: SetupPolicy(
        active: ["device"], entry: ["trust: { certificate: keys/device.pem, reason: a device }"]),
      expects: [.error("P515", "certificate:")]
    ) { scene in
      let device = scene.keep(try scene.pki.issue(.leaf("device", names: [])), as: "device")
      return [.nginx(try scene.pki.issue(.leaf("device", names: []).with { $0.key = .existing(device) }))]
    },
    Setup(
      "other-server-name", "the certificate is for the name that the policy says to verify",
      policy: SetupPolicy(entry: ["trust: { server-name: real.test, reason: moved in spring }"]), expects: []
    ) { scene in
      [.nginx(try scene.leaf { $0.alternativeNames = ["DNS:real.test"] }, scene.shared.issuing)]
    },
    Setup(
      "excused", "the leaf has expired, and the policy excuses it for a time",
      policy: SetupPolicy(entry: [exception(of: "leaf", failure: "expired")]), expects: [.note("P527", "expired")]
    ) { scene in
      [.nginx(try scene.leaf { $0.notAfter = "2024-01-01" }, scene.shared.issuing)]
    },
    Setup(
      "excused-another", "another expired leaf is excused, and not this one",
      policy: SetupPolicy(entry: [exception(of: "another", failure: "expired")]), expects: [.error("P504")]
    ) { scene in
      _ = try scene.leaf(as: "another") { $0.notAfter = "2024-01-01" }
      return [.nginx(try scene.leaf { $0.notAfter = "2024-01-01" }, scene.shared.issuing)]
    },
  ]

  fileprivate static func exception(of key: String, failure: String) -> String {
    """
    trust: { exceptions: [{ failure: \(failure), certificate: keys/\(key).pem, until: \(day(60)), reason: being replaced }] }
    """
  }
}
