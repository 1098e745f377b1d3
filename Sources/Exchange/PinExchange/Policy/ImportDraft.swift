import Diagnostics
package import PinFormat
package import PinPolicy

/// Imported pins as a policy can say them, and what had to be changed for that.
///
/// What a policy can't say becomes something stricter, never something weaker, and is reported.
package struct ImportDraft: Sendable {
  /// What the caller says besides the files.
  package struct Settings: Sendable {
    /// The instant that counts as now.
    package var instant: Instant
    /// The expiry of entries that have none, or one that has passed; also when accepted findings are back.
    package var reviewBy: Instant
    /// Who answers for the entries.
    package var owner: String?
    /// The names of the imported files, in their order, as comments show them.
    package var files: [String]
    /// The format's title.
    package var format: String
    /// What the directory that the file goes to says already.
    package var existing = ExistingPolicy()

    package init(
      at instant: Instant, reviewBy: Instant, owner: String? = nil, files: [String], format: String,
      existing: ExistingPolicy = ExistingPolicy()
    ) {
      self.instant = instant
      self.reviewBy = reviewBy
      self.owner = owner
      self.files = files
      self.format = format
      self.existing = existing
    }
  }

  /// The list that is written: every name unique, hosts sorted, each set of keys once.
  package internal(set) var list: PinList
  package internal(set) var findings: [ImportFinding]
  let settings: Settings
  var places: ImportedPins.Places
  /// Keys that the directory declares already, so that this file only names them.
  var borrowedKeys: Set<String> = []
  /// The kinds and places of findings so far.
  private struct Told: Hashable {
    var kind: ImportFinding.Kind
    var place: Place
  }

  private var told: Set<Told> = []
  /// The hosts that the directory pins already, to the same keys and for all names.
  package internal(set) var alreadyThere: [String] = []
  /// What the reader of the file has to know, one paragraph each.
  var remarks: [String] = []

  package init(_ imported: ImportedPins, _ settings: Settings) {
    list = imported.list
    findings = imported.findings
    places = imported.places
    self.settings = settings
    told = Set(findings.map { Told(kind: $0.kind, place: $0.place) })
    leaveOutExistingHosts()
    mergeDuplicateHosts()
    widenSubdomains()
    leaveOutReportURIs()
    settleExpiry()
    mergeKeys()
    tidyKeySets()
    shareKeySets()
    nameEverything()
    list.hosts.sort {
      ($0.host.text, $0.port ?? 0) < ($1.host.text, $1.port ?? 0)
    }
    findings = OnePerCause.of(findings, in: settings.files)
  }

  /// When the entries should be reviewed.
  package var reviewBy: Instant { settings.reviewBy }

  /// The place of a host, or the beginning of the first file.
  func place(of host: PinList.Host) -> Place { places.hosts[host.label] ?? .beginning(of: FileID(0)) }

  /// Adds a finding, unless the importer has told the same of the same place.
  mutating func find(_ kind: ImportFinding.Kind, at place: Place, _ message: String, help: String) {
    guard told.insert(Told(kind: kind, place: place)).inserted || place == .beginning(of: FileID(0)) else { return }
    findings.append(ImportFinding(kind, at: place, message, help: help))
  }

  /// Whether there is a finding of this kind for a place.
  func hasTold(_ kind: ImportFinding.Kind, at place: Place) -> Bool {
    // Findings without a place of their own are all at the beginning, so they can't be compared by place.
    place != .beginning(of: FileID(0)) && told.contains(Told(kind: kind, place: place))
  }

  /// The hosts of each set of keys, by index.
  func users() -> [Int: [Int]] {
    var users: [Int: [Int]] = [:]
    for (number, host) in list.hosts.enumerated() {
      if let set = host.keySet { users[set, default: []].append(number) }
    }
    return users
  }

  /// `'a', 'b' and 3 more`.
  static func names(_ all: [String]) -> String {
    let shown = all.prefix(3).map { "'\($0)'" }
    let more = all.count - shown.count
    return (more > 0 ? shown + ["\(more) more"] : shown).listed()
  }
}

/// What a policy directory says before a file is added to it.
package struct ExistingPolicy: Sendable {
  package struct Key: Sendable {
    package var name: String
    package var pin: Pin?
    package var position: KeyPosition?
    package var isDenied: Bool

    package init(name: String, pin: Pin?, position: KeyPosition?, isDenied: Bool) {
      self.name = name
      self.pin = pin
      self.position = position
      self.isDenied = isDenied
    }
  }

  package struct Host: Sendable {
    /// Where its entry is: `policies/web.yaml:12`.
    package var place: String
    package var mode: Mode
    package var coversSubdomains: Bool
    package var pins: Set<Pin>

    package init(place: String, mode: Mode, coversSubdomains: Bool, pins: Set<Pin>) {
      self.place = place
      self.mode = mode
      self.coversSubdomains = coversSubdomains
      self.pins = pins
    }
  }

  package var keys: [Key] = []
  package var keySets: Set<String> = []
  /// By the host's label.
  package var hosts: [String: Host] = [:]

  package init() {}
}
