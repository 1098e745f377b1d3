import Diagnostics
import PinPolicy

/// lego's configuration file (version 5), and the certificates that it stores.
///
/// lego makes a new key at each renewal unless `reuseKey` in the configuration file or `--reuse-key` in the command
/// (``LegoCommands``) says otherwise. What it stores doesn't have the setting.
enum LegoRenewal {
  /// The certificates of a configuration file; empty for a file that isn't one.
  static func settings(in file: RenewalFile) -> [RenewalSetting] {
    let documents = YAMLDocuments(file.bytes, file: file.id)
    let isNamed = isConfiguration(file.name)
    if isNamed || file.contains("reuseKey"), let (reason, place) = documents.problem {
      return [unread(.legoConfiguration, reason, at: place)]
    }
    guard let root = documents.values.first, let certificates = root["certificates"] else { return [] }
    return certificates.fields.compactMap { name, value in
      // Other programs have certificates too; lego's say how the domains are proven, or which account asks.
      guard isNamed || (value["challenge"] ?? value["account"]) != nil else { return nil }
      return setting(named: name, value, in: file)
    }
  }

  private static func unread(_ way: RenewalWay, _ reason: String, at place: Place) -> RenewalSetting {
    RenewalSetting(
      way, answer: .unknown,
      names: .unknown("the file can't be read: \(reason)", help: "Fix it, and run the command again."), at: place,
      because: "it can't be read", help: "")
  }

  static func isConfiguration(_ name: String) -> Bool { [".lego.yml", ".lego.yaml"].contains(name) }

  private static func setting(
    named name: YAMLDocuments.Value, _ value: YAMLDocuments.Value, in file: RenewalFile
  ) -> RenewalSetting {
    let reuse = value["renew"]?["reuseKey"]
    let isWritten = value.place(of: "renew") != nil && (reuse != nil || value["renew"]?.place(of: "reuseKey") != nil)
    let (answer, reason): (RenewalSetting.Answer, String) =
      switch (value["csr"], reuse, reuse?.text) {
      case (.some, _, _): (.keeps, "the certificate request is a file, so its key stays the same")
      case (_, nil, _) where !isWritten && (value["renew"] != nil || value.place(of: "renew") == nil):
        (.newKey, "'renew.reuseKey' isn't set")
      case (_, _, "true"): (.keeps, "'renew.reuseKey' is true")
      case (_, _, "false"): (.newKey, "'renew.reuseKey' is false")
      default: (.unknown, "'renew.reuseKey' is neither true nor false")
      }
    let domains = (value["domains"]?.items ?? []).map(\.text)
    let known = domains.compactMap { $0 }
    let choices = [("preferredChain", "preferred chain"), ("profile", "profile")].compactMap { field, words in
      value.place(of: field).map { RenewalSetting.Choice(words, value[field]?.text, at: $0) }
    }
    return RenewalSetting(
      .legoConfiguration, answer: answer,
      names: known.isEmpty || known.count < domains.count
        ? .unknown("'domains' is missing, empty or not a list of names", help: "List the names under 'domains'.")
        : .known(known),
      at: value["renew"]?.place(of: "reuseKey") ?? name.place, because: reason,
      help: answer == .keeps
        ? "" : "Write 'reuseKey: true' under 'renew' of this certificate before the next renewal.", choices: choices)
  }

  /// What a stored certificate's `NAME.json` says, and `NAME.crt` beside it; nil for another file.
  static func stored(in file: RenewalFile, certificate: () -> [UInt8]?) -> RenewalSetting? {
    let root: LocatedJSON.Value
    do { root = try LocatedJSON(file.bytes, file: file.id).root } catch {
      return unread(.legoStored, error.message, at: file.place(0..<min(1, file.bytes.count)))
    }
    guard let url = root["certUrl"], url.text != nil,
      let domains = root["domain"].map({ [$0] }) ?? root["domains"]?.items
    else { return nil }
    var names = domains.compactMap(\.text)
    if let bytes = certificate(), case .known(let others) = LineageCertificates.names(in: bytes, file.path) {
      names += others.filter { !names.contains($0) }
    }
    return RenewalSetting(
      .legoStored, answer: .unknown, names: .known(names), at: domains.first?.place ?? root.place,
      because: "lego doesn't store whether it reuses the key, and the command that renews isn't in any of the files",
      help: "Add '--reuse-key' to the command that renews it, and pass its file too: a unit, a crontab or a script.")
  }
}
