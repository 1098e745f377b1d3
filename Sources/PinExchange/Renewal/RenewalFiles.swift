package import Diagnostics
package import PinPolicy

/// The settings of certbot, lego, acme.sh and cert-manager in some files.
///
/// Below a folder, only files with names of settings are opened: files of keys aren't.
package struct RenewalFiles {
  package private(set) var settings: [RenewalSetting] = []
  /// The files that have settings, in the order of their numbers.
  package private(set) var files: [SourceSet.File] = []
  /// How many files were opened.
  package private(set) var count = 0

  private let firstFile: Int
  private let certificates: LineageCertificates
  /// What certbot's `cli.ini` says, by its folder.
  private var defaults: [String: CertbotRenewal.Defaults] = [:]
  private var commands: [CertbotCommand] = []
  private var stored: [RenewalSetting] = []

  /// - Parameters:
  ///   - given: Files, and folders that are searched; links below them aren't followed.
  ///   - known: Files that are left out.
  ///   - firstFile: The number of the first file in places.
  /// - Throws: ``WorkFailure`` if a path can't be read, or a file that is given has no such settings.
  package init(below given: [String], except known: [String], firstFile: Int) throws(WorkFailure) {
    self.firstFile = firstFile
    certificates = LineageCertificates(named: given)
    var found = try FoundFiles(below: given, except: known, includesHidden: true)
    let named = Set(given)
    var texts: [(path: String, bytes: [UInt8])] = []
    for path in found.paths where named.contains(path) || Self.mayHaveSettings(path) {
      guard let bytes = try found.text(of: path), named.contains(path) || bytes.count <= Self.sizeLimit else {
        continue
      }
      count += 1
      texts.append((path, bytes))
      let file = RenewalFile(path: path, bytes: bytes, id: FileID(0))
      if file.name == "cli.ini" { defaults[file.folder] = CertbotRenewal.defaults(file) }
    }
    // Commands decide about lineages in other files.
    let parts = [true, false].flatMap { isFirst in texts.filter { Self.mayHaveCommands($0.path) == isFirst } }
    for (path, bytes) in parts {
      let file = RenewalFile(path: path, bytes: bytes, id: FileID(firstFile + files.count))
      let isFound = add(file)
      if isFound { files.append(SourceSet.File(path: path, bytes: bytes)) }
      guard isFound || !named.contains(path) || file.name == "cli.ini" else {
        throw WorkFailure(
          .failed, "'\(VisibleText.of(path))' has no renewal settings of \(Self.tools)",
          help: "Pass a folder of certbot, acme.sh or lego, Kubernetes manifests with a Certificate, or a file with "
            + "'certbot renew' or 'lego renew'.")
      }
    }
    for path in given where found.passedOver.contains(where: { $0.path == path }) {
      throw WorkFailure(.failed, "'\(VisibleText.of(path))' is binary", help: "Pass settings of \(Self.tools).")
    }
    addStored()
  }

  /// One file whose bytes are at hand.
  package init(reading bytes: [UInt8], path: String) {
    firstFile = 0
    certificates = LineageCertificates(named: [])
    let file = RenewalFile(path: path, bytes: bytes, id: FileID(0))
    if file.name == "cli.ini" { defaults[file.folder] = CertbotRenewal.defaults(file) }
    if add(file) { files.append(SourceSet.File(path: path, bytes: bytes)) }
    count = 1
    addStored()
  }

  /// The tools whose settings are read, as messages name them.
  package static let tools = RenewalSetting.Tool.allCases.map(\.rawValue).listed("or")

  /// More bytes than settings have, unlike data that happens to be JSON or YAML.
  private static let sizeLimit = 1 << 20

  private static let endings = [".conf", ".json", ".yml", ".yaml", ".service", ".sh", ".cron"]

  /// Whether a file in a folder is opened, by its name.
  ///
  /// certbot and lego keep keys of accounts in JSON.
  private static func mayHaveSettings(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    guard let name = parts.last, !(name.hasSuffix(".json") && parts.dropLast().contains("accounts")) else {
      return false
    }
    if name == "cli.ini" || endings.contains(where: name.hasSuffix) { return true }
    // Scripts and crontabs without an ending.
    let isHidden = name.hasPrefix(".")
    let isScheduled = parts.dropLast().last?.hasPrefix("cron") ?? false
    return !isHidden && !name.contains(".") && (isScheduled || ["cron", "renew"].contains(where: name.contains))
  }

  /// Whether a file may have commands, by its name: a unit, a crontab or a script.
  private static func mayHaveCommands(_ path: String) -> Bool {
    ![".conf", ".json", ".yml", ".yaml", ".ini"].contains(where: path.hasSuffix)
  }

  /// Adds what a file says; false if it has no settings.
  private mutating func add(_ file: RenewalFile) -> Bool {
    let before = settings.count + stored.count
    let found = Self.mayHaveCommands(file.path) ? CertbotCommand.all(in: file) : []
    commands += found
    if file.name.hasSuffix(".conf") {
      if let lineage = CertbotRenewal(file) {
        let root = file.folder.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
        settings.append(
          lineage.setting(
            defaults[root.isEmpty ? "" : root.joined(separator: "/") + "/"], commands, certificates))
      } else if let setting = AcmeShRenewal.setting(in: file) {
        settings.append(setting)
      }
    } else if CertManagerRenewal.mayHave(file) {
      settings += CertManagerRenewal(file).settings
    } else if [".yml", ".yaml"].contains(where: { file.name.hasSuffix($0) }) {
      if LegoRenewal.isConfiguration(file.name) || file.contains("certificates:") {
        settings += LegoRenewal.settings(in: file)
      }
    } else if file.name.hasSuffix(".json") {
      if file.contains("certUrl"), let setting = LegoRenewal.stored(in: file, certificate: { Self.certificate(file) }) {
        stored.append(setting)
      }
    } else if file.contains("lego") {
      settings += LegoCommands.settings(in: file)
    }
    return settings.count + stored.count > before || !found.isEmpty
  }

  /// The certificate that lego stores beside its JSON.
  private static func certificate(_ file: RenewalFile) -> [UInt8]? {
    try? ConfinedFolder(file.folder).read(file.stem + ".crt", limit: LineageCertificates.limit)
  }

  /// What lego stores counts only if no command or configuration speaks of the same name.
  private mutating func addStored() {
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
