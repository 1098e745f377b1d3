import Diagnostics
import DomainNames
import PinFormat

/// Puts a list together while a file is read, and notes what was wrong in it.
struct PinListBuilder {
  private(set) var imported = ImportedPins(PinList())
  private var names = TakenNames()
  private var setNames = TakenNames()

  var list: PinList {
    get { imported.list }
    set { imported.list = newValue }
  }

  mutating func find(_ kind: ImportFinding.Kind, at place: Place, _ message: String, help: String) {
    imported.findings.append(ImportFinding(kind, at: place, message, help: help))
  }

  /// Reads a pin, `sha256/…` or its Base64 alone; what is none is a finding.
  mutating func pin(_ text: String, of owner: String, at place: Place) -> Pin? {
    switch WrittenPin(text) {
    case .pin(let pin): return pin
    case .unusable(let reason, let help):
      find(
        .unusablePin, at: place, "the pin \(ImportWords.quoted(text)) of \(owner) \(reason), and was left out",
        help: help)
      return nil
    }
  }

  /// Reads a host, U-labels too, as a policy's hosts are read; what is none is a finding.
  mutating func host(_ text: String, at place: Place) -> HostName? {
    do {
      return try InternationalName.host(text)
    } catch {
      find(
        .unusableHost, at: place, "\(ImportWords.quoted(text)) is not a host that a policy can name",
        help: "Write only the DNS name: letters, digits and hyphens between dots.")
      return nil
    }
  }

  /// A key with a name, which is made one that a policy may use, and unique.
  mutating func key(_ key: PinList.Key, at place: Place?) -> Int {
    var key = key
    key.name = names.take(PolicyName.of(key.name) ?? "key")
    imported.list.keys.append(key)
    imported.places.keys[key.name] = place
    return imported.list.keys.count - 1
  }

  /// A name for a set of keys, which no other set has.
  mutating func setName(_ text: String) -> String {
    setNames.take(PolicyName.of(text) ?? "pins")
  }

  mutating func keySet(_ set: PinList.KeySet, at place: Place?) -> Int {
    imported.list.keySets.append(set)
    if let name = set.name { imported.places.keySets[name] = place }
    return imported.list.keySets.count - 1
  }

  mutating func host(_ host: PinList.Host, at place: Place) {
    imported.list.hosts.append(host)
    if imported.places.hosts[host.label] == nil { imported.places.hosts[host.label] = place }
  }
}

/// Turns of phrase of importers.
enum ImportWords {
  /// A text of an imported file as a message may quote it.
  static func quoted(_ text: String, most: Int = 60) -> String {
    let shown = VisibleText.of(String(text.prefix(most)))
    return text.count > most ? "'\(shown)…'" : "'\(shown)'"
  }
}
