import PinPolicy

/// lego's configuration and storage.
extension RenewalFiles {
  /// Adds what lego's configuration or storage says; false if it isn't one.
  mutating func addLego(_ file: RenewalFile) -> Bool {
    let before = settings.count + stored.count
    if [".yml", ".yaml"].contains(where: file.name.hasSuffix) {
      if LegoRenewal.isConfiguration(file.name) || file.contains("certificates:") {
        settings += LegoRenewal.settings(in: file)
      }
    } else if file.name.hasSuffix(".json"), file.contains("certUrl") {
      if let setting = LegoRenewal.stored(in: file, certificate: { Self.certificate(file) }) { stored.append(setting) }
    }
    return settings.count + stored.count > before
  }

  /// The certificate that lego stores beside its JSON.
  private static func certificate(_ file: RenewalFile) -> [UInt8]? {
    try? ConfinedFolder(file.folder).read(file.stem + ".crt", limit: LineageCertificates.limit)
  }

  /// What lego stores counts only if no command or configuration speaks of the same name.
  mutating func addStored() {
    var decided: Set<String> = []
    for setting in settings where setting.tool == .lego {
      if case .known(let names) = setting.names { decided.formUnion(names) }
    }
    settings += stored.filter { setting in
      guard case .known(let names) = setting.names else { return true }
      return decided.isDisjoint(with: names)
    }
  }
}
