package import Diagnostics
package import PinPolicy

/// The settings of certbot, lego, acme.sh and cert-manager in some files.
///
/// Below a folder, text files are read, but no keys, certificates, documents and copies.
package struct RenewalFiles {
  package internal(set) var settings: [RenewalSetting] = []
  /// The files that the settings rest on, in the order of their numbers.
  package internal(set) var files: [SourceSet.File] = []
  /// What was read and what wasn't.
  package private(set) var search = FilesRead(0, otherNames: 0, passedOver: [])

  private let firstFile: Int
  let certificates: LineageCertificates
  /// Numbers of files by their paths.
  private var numbers: [String: Int] = [:]
  private var definitions = RenewalDefinitions()
  var commands: [(path: String, command: RenewalCommand)] = []
  /// What may change any key of a tool besides its settings, such as hooks and scripts that remove keys: the first of each.
  var changes: [RenewalSetting.Tool: RenewalStatement] = [:]
  var defaults: [CertbotDefaults] = []
  var accounts: [RenewalStatement] = []
  var manifests = CertManagerRenewal()
  var stored: [RenewalSetting] = []

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
    let opened = found.paths.filter { named.contains($0) || Self.mayHaveSettings($0) || Self.mayRunTool($0) }
    var texts: [SourceSet.File] = []
    var skipped: [FilesRead.PassedOver] = []
    for path in opened {
      let isOther = !named.contains(path) && !Self.mayHaveSettings(path)
      var read: [UInt8]?
      do {
        read = try found.text(of: path)
      } catch {
        // Data, which no tool runs.
        guard isOther, InputFile.isReadable(path) else { throw error }
        skipped.append(FilesRead.PassedOver(path, "too large"))
      }
      guard let bytes = read else { continue }
      let isLarge = !isOther && !named.contains(path) && bytes.count > Self.sizeLimit
      if Self.isHook(path), Self.isInOtherLanguage(path, bytes) {
        addUnread(path, "it is a hook that isn't a shell script", help: "Check that it doesn't change keys.")
        skipped.append(FilesRead.PassedOver(path, "in another language"))
      } else if isLarge,
        Self.isHook(path)
          || Self.marks.contains(where: RenewalFile(path: path, bytes: bytes, id: FileID(0)).contains)
      {
        addUnread(path, "it has \(bytes.count) bytes; the limit is \(Self.sizeLimit)", help: "Pass the file itself.")
        skipped.append(FilesRead.PassedOver(path, "too large"))
      }
      if !isLarge { texts.append(SourceSet.File(path: path, bytes: bytes)) }
    }
    if let path = given.first(where: { path in found.passedOver.contains { $0.path == path } }) {
      throw WorkFailure(.failed, "'\(VisibleText.of(path))' is binary", help: "Pass settings of \(Self.tools).")
    }
    addUnread(of: found, named, LinkTargets(found, read: opened))
    skipped += found.passedOver.map { FilesRead.PassedOver($0.path, $0.why.rawValue) }
    let unread = Set(skipped.map(\.path))
    search = FilesRead(
      opened.count { !unread.contains($0) }, otherNames: found.paths.count - opened.count, passedOver: skipped)
    read(texts)
    if let path = given.first(where: { path in numbers[path] == nil && texts.contains { $0.path == path } }) {
      throw WorkFailure(
        .failed, "'\(VisibleText.of(path))' has no renewal settings of \(Self.tools)",
        help: "Pass a folder of certbot, acme.sh or lego, Kubernetes manifests with a Certificate, or a file with "
          + "'certbot renew' or 'lego renew'.")
    }
  }

  /// One file whose bytes are at hand.
  package init(reading bytes: [UInt8], path: String) {
    firstFile = 0
    certificates = LineageCertificates(named: [])
    read([SourceSet.File(path: path, bytes: bytes)])
  }

  private mutating func read(_ texts: [SourceSet.File]) {
    definitions = RenewalDefinitions(texts.map { RenewalFile($0) })
    // Commands and defaults decide about lineages in other files.
    let (others, texts) = (
      texts.filter { Self.isInOtherLanguage($0.path, $0.bytes) },
      texts.filter { !Self.isInOtherLanguage($0.path, $0.bytes) }
    )
    for text in texts where Self.mayHaveCommands(text.path) { addCommands(text) }
    for text in texts where !Self.mayHaveCommands(text.path) { addCommands(text) }
    for text in others { addMentions(text) }
    leaveOutReplacedUnits(texts)
    let withCommands = Set(commands.map(\.path))
    let environment = Set(
      texts.filter { withCommands.contains($0.path) && RenewalFile($0).contains("REUSE_KEY") }.map(\.path))
    settings += commands.compactMap { path, command in
      LegoCommands.setting(command, hasEnvironment: environment.contains(path))
    }
    let acme = commands.compactMap { AcmeShCommand($0.command) }
    var lineages: [CertbotRenewal] = []
    var domains: [AcmeShRenewal] = []
    for text in texts {
      let file = file(text)
      if file.name == "cli.ini" || Self.accountNames.contains(file.name) { continue }
      if file.name.hasSuffix(".conf"), !Self.mayHaveCommands(text.path) {
        if let lineage = CertbotRenewal(file) {
          register(file)
          lineages.append(lineage)
        } else if file.contains("Le_Domain") {
          domains.append(AcmeShRenewal(file))
          if let setting = domains.last?.setting(accounts, acme) {
            register(file)
            settings.append(setting)
          }
        }
      } else if manifests.add(file) {
        register(file)
      } else if addLego(file) {
        register(file)
      }
    }
    addCertbot(lineages)
    if domains.isEmpty { settings += acme.compactMap(\.alone) }
    settings += manifests.settings(ofFiles: texts.map(\.path))
    addStored()
    for index in settings.indices where settings[index].answer == .keeps {
      guard let change = changes[settings[index].tool] else { continue }
      settings[index].say(change)
    }
  }

  func file(_ text: SourceSet.File) -> RenewalFile {
    RenewalFile(
      path: text.path, bytes: text.bytes, id: FileID(numbers[text.path] ?? firstFile + files.count),
      definitions: definitions)
  }

  /// Makes a file one of those that the settings rest on.
  mutating func register(_ file: RenewalFile) {
    guard numbers[file.path] == nil else { return }
    numbers[file.path] = firstFile + files.count
    files.append(SourceSet.File(path: file.path, bytes: file.bytes))
  }

  /// Reports what wasn't opened and may have settings: it isn't known that these keep keys.
  private mutating func addUnread(of found: FoundFiles, _ named: Set<String>, _ targets: LinkTargets) {
    for (path, why) in found.passedOver {
      switch why {
      case .binary where named.contains(path) || Self.mayHaveSettings(path):
        addUnread(path, "it is binary", help: "Write it in UTF-8, or pass paths that leave it out.")
      case .special where Self.mayHaveSettings(path):
        addUnread(
          path, "it is a socket, pipe or device", help: "Replace it with a file, or pass paths that leave it out.")
      case .link: addUnread(link: path, to: targets[path])
      // Certificates, other programs' packages, and sockets with other names have no settings.
      case .binary, .certificate, .hidden, .packages, .special, .manifest, .keyset, .signature, .schema: continue
      }
    }
  }

  /// A link counts as read if what it leads to is read too, and isn't a hook or crontab because of the link.
  private mutating func addUnread(link path: String, to target: LinkTargets.Target) {
    switch target {
    case .nothing: return
    case .folder(let isSearched):
      guard !isSearched || RenewalFile.isScheduled(path + "/") else { return }
      addUnread(path, "it is a link to a folder, which isn't searched", help: "Pass the folder itself too.")
    case .read where !RenewalFile.isScheduled(path): return
    case .read, .unread:
      guard Self.mayHaveSettings(path), RenewalFile.isScheduled(path) || !Self.isUnrelated(path) else { return }
      addUnread(path, "it is a link, which isn't followed", help: "Pass the file itself too.")
    }
  }

  /// Whether a file that a link leads to is here and names no tool.
  private static func isUnrelated(_ link: String) -> Bool {
    guard InputFile.isRegular(link), let bytes = try? InputFile.read(link, limit: sizeLimit) else { return false }
    let file = RenewalFile(path: link, bytes: bytes, id: FileID(0))
    return !(marks + ToolMention.marks).contains(where: file.contains) && !RenewalCommand.mayHave(file)
  }

  private mutating func addUnread(_ path: String, _ why: String, help: String) {
    let file = RenewalFile(path: path, bytes: [], id: FileID(firstFile + files.count))
    register(file)
    settings.append(
      RenewalSetting(
        Self.way(path), answer: .unknown, names: .unknown(why, help: help), at: .beginning(of: file.id),
        because: "it can't be read", help: ""))
  }

  /// The tools whose settings are read, as messages name them.
  package static let tools = RenewalSetting.Tool.allCases.map(\.rawValue).listed("or")
}
