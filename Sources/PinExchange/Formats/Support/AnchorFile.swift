import PinFormat

/// The certificates that hosts trust as anchors, in files, for formats that name files.
enum AnchorFile {
  /// A file for each set of anchors, in the order of the first host that has it.
  static func all(of list: PinList) -> [ExchangedFile] {
    var seen: Set<String> = []
    return list.hosts.compactMap { host in
      guard let name = name(of: host.anchors), seen.insert(name).inserted else { return nil }
      return ExchangedFile(name: name, bytes: Array(host.anchors.map(\.pem).joined().utf8))
    }
  }

  /// The name of the file of these anchors, with their fingerprints, as Android lets a resource be called; nil without
  /// any.
  static func name(of anchors: [PinList.Anchor]) -> String? {
    guard !anchors.isEmpty else { return nil }
    return "anchor_" + anchors.map { $0.fingerprint.hex.prefix(16) }.joined(separator: "_") + ".pem"
  }
}
