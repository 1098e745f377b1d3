package import Diagnostics
package import PinPolicy

/// The settings of certbot, lego, acme.sh and cert-manager in some files.
///
/// Below a folder, only files with names of settings are opened: files of keys aren't.
package struct RenewalFiles {
  package private(set) var settings: [RenewalSetting] = []
  /// The files that the settings rest on, in the order of their numbers.
  package private(set) var files: [SourceSet.File] = []
  /// How many files were opened.
  package private(set) var count = 0
  /// What wasn't opened: files with other names, and what ``FoundFiles`` passes over; empty if that is nothing.
  package private(set) var passedOver = ""

  private let firstFile: Int
  private let certificates: LineageCertificates
  /// Numbers of files by their paths.
  private var numbers: [String: Int] = [:]
  private var commands: [(path: String, command: RenewalCommand)] = []
  /// What may change any key of a tool besides its settings, such as hooks and scripts that remove keys: the first of each.
  private var changes: [RenewalSetting.Tool: RenewalStatement] = [:]
  private var defaults: [CertbotDefaults] = []
  private var accounts: [RenewalStatement] = []
  private var manifests = CertManagerRenewal()
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
    var texts: [SourceSet.File] = []
    for path in found.paths where named.contains(path) || Self.mayHaveSettings(path) {
      guard let bytes = try found.text(of: path) else { continue }
      if Self.isOtherHook(path, bytes) {
        addUnread(path, "it is a hook that isn't a shell script", help: "Check that it doesn't change keys.")
      }
      if named.contains(path) || bytes.count <= Self.sizeLimit {
        texts.append(SourceSet.File(path: path, bytes: bytes))
      } else if Self.isHook(path)
        || Self.marks.contains(where: RenewalFile(path: path, bytes: bytes, id: FileID(0)).contains)
      {
        addUnread(path, "it has \(bytes.count) bytes; the limit is \(Self.sizeLimit)", help: "Pass the file itself.")
      }
    }
    if let path = given.first(where: { path in found.passedOver.contains { $0.path == path } }) {
      throw WorkFailure(.failed, "'\(VisibleText.of(path))' is binary", help: "Pass settings of \(Self.tools).")
    }
    let others = found.paths.count { !named.contains($0) && !Self.mayHaveSettings($0) }
    passedOver = [others > 0 ? counted(others, "file") + " with other names" : "", found.passedOverCounts]
      .filter { !$0.isEmpty }.joined(separator: ", ")
    for (path, why) in found.passedOver {
      if why == .binary {
        addUnread(path, "it is binary", help: "Write it in UTF-8, or pass paths that leave it out.")
      } else if why == .link, Self.mayHaveSettings(path),
        Self.isNamedAfterTool(path) || RenewalFile.isScheduled(path)
      {
        addUnread(path, "it is a link, which isn't followed", help: "Pass the file itself too.")
      }
    }
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
    count = texts.count
    // Commands and defaults decide about lineages in other files.
    for text in texts where Self.mayHaveCommands(text.path) { addCommands(text) }
    for text in texts where !Self.mayHaveCommands(text.path) { addCommands(text) }
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
      settings[index].way = change.way
      settings[index].answer = .unknown
      (settings[index].place, settings[index].reason, settings[index].help) = (change.place, change.reason, change.help)
    }
  }

  private func file(_ text: SourceSet.File) -> RenewalFile {
    RenewalFile(path: text.path, bytes: text.bytes, id: FileID(numbers[text.path] ?? firstFile + files.count))
  }

  /// Makes a file one of those that the settings rest on.
  private mutating func register(_ file: RenewalFile) {
    guard numbers[file.path] == nil else { return }
    numbers[file.path] = firstFile + files.count
    files.append(SourceSet.File(path: file.path, bytes: file.bytes))
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

  /// More bytes than settings have, unlike data that happens to be JSON or YAML.
  private static let sizeLimit = 1 << 20

  /// What files have that concern these tools.
  private static let marks = [
    "certbot", "lego", "acme.sh", "cert-manager.io", "certmanager.k8s.io", "rotationPolicy", "reuse_key", "Le_Domain",
  ]

  /// Endings of files in YAML or JSON; Salt's states are in YAML too.
  private static let treeEndings = [".json", ".yml", ".yaml", ".sls", ".tpl", "user-data"]

  private static let endings =
    treeEndings + [
      ".conf", ".service", ".container", ".sh", ".bash", ".zsh", ".cron", ".j2", ".env", "akefile", ".mk",
    ]

  /// acme.sh's settings of an account and of a CA.
  private static let accountNames = ["account.conf", "ca.conf"]

  /// Whether a file in a folder is opened, by its name.
  ///
  /// certbot and lego keep keys of accounts in JSON.
  private static func mayHaveSettings(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    guard let name = parts.last, !(name.hasSuffix(".json") && parts.dropLast().contains("accounts")) else {
      return false
    }
    if isHook(path) { return true }
    if name == "cli.ini" || name == "Kustomization" || endings.contains(where: name.hasSuffix) { return true }
    // Scripts, hooks and crontabs without an ending.
    let isHidden = name.hasPrefix(".")
    return !isHidden && !name.contains(".")
      && (RenewalFile.isScheduled(path) || (["cron", "renew"] + toolNames).contains(where: name.contains))
  }

  /// Whether a file may have commands as a shell or a unit has them, by its name: a unit, a crontab or a script.
  private static func mayHaveCommands(_ path: String) -> Bool {
    path.contains(".service.d/") || isHook(path)
      || !(treeEndings + [".conf", ".ini", "Kustomization"]).contains(
        where: RenewalFile.withoutTemplate(path).hasSuffix)
  }

  /// Whether certbot runs it: each executable file in these folders whose name doesn't end with `~`.
  private static func isHook(_ path: String) -> Bool {
    !path.hasSuffix("~") && path.split(separator: "/").dropLast().contains("renewal-hooks")
  }

  /// Whether it is a hook in another language than a shell's, which isn't read.
  private static func isOtherHook(_ path: String, _ bytes: [UInt8]) -> Bool {
    guard isHook(path), !bytes.isEmpty else { return false }
    if bytes.starts(with: "#!".utf8) {
      let first = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }.dropFirst(2), as: UTF8.self)
      return !first.split { "/ \t\r".contains($0) }.contains {
        ["sh", "bash", "dash", "ash", "zsh", "ksh"].contains($0)
      }
    }
    let name = path.split(separator: "/").last ?? ""
    return name.contains(".") && ![".sh", ".bash", ".zsh"].contains(where: name.hasSuffix)
  }

  private static let toolNames = ["certbot", "letsencrypt", "lego", "acme"]

  /// Whether a file or its folder is one of a tool's.
  private static func isNamedAfterTool(_ path: String) -> Bool {
    path.split(separator: "/").suffix(2).contains { part in
      part == "renewal" || toolNames.contains(where: part.contains)
    }
  }

  /// The way that a file that can't be read may be, by its name.
  private static func way(_ path: String) -> RenewalWay {
    if mayHaveCommands(path) { return .certbotCommand }
    if path.hasSuffix("cli.ini") { return .certbotDefaults }
    return path.hasSuffix(".conf") ? .certbotLineage : .certManagerOther
  }

  private mutating func addCommands(_ text: SourceSet.File) {
    let file = file(text)
    // Pintle's own record names settings, and isn't one of them.
    guard !file.contains("\"\(RenewalRecord.format)\"") else { return }
    if file.name == "cli.ini" {
      let found = CertbotDefaults(file)
      defaults.append(found)
      commands += found.hooks.commands.map { (file.path, $0) }
      if let change = found.hooks.change { add(change) }
      register(file)
    } else if Self.accountNames.contains(file.name) {
      guard let account = AcmeShRenewal(file).account else { return }
      accounts.append(account)
      register(file)
    } else if Self.mayHaveCommands(file.path) {
      let found = RenewalCommand.all(in: file)
      commands += found.map { (file.path, $0) }
      let isOption = addOption(file)
      if addChange(file, found) || isOption || found.contains(where: Self.renews) { register(file) }
    } else if Self.treeEndings.contains(where: file.name.hasSuffix) {
      let found = YAMLCommands(file)
      commands += found.commands.map { (file.path, $0) }
      settings += found.unread
      found.changes.forEach { add($0) }
      if addChange(file, found.commands) || !found.changes.isEmpty || !found.unread.isEmpty
        || found.commands.contains(where: Self.renews)
      {
        register(file)
      }
    }
  }

  private mutating func add(_ change: RenewalStatement) {
    changes[change.way.tool] = changes[change.way.tool] ?? change
  }

  /// An option for the key where no command is read, such as in a file of variables, may be for any; false if there is none.
  private mutating func addOption(_ file: RenewalFile) -> Bool {
    guard RenewalCommand.mayHave(file) || file.contains(AcmeShRenewal.force) else { return false }
    for words in RenewalFile.commands(of: file.bytes) {
      let texts = words.map(\.text)
      let parts = texts.flatMap { $0.split { $0.isWhitespace || $0 == "=" }.map(String.init) }
      guard let (option, way) = CertbotCommand.keyOption(in: parts),
        option == AcmeShRenewal.force || RenewalCommand.found(in: texts, file, at: { _ in file.place(0..<0) }).isEmpty
      else { continue }
      add(
        RenewalStatement(
          way: way, answer: .unknown,
          reason: "'\(VisibleText.of(option))' is here, and it isn't known for which command",
          help: "Remove it, or check with which command it is used.", place: file.place(words[0].range)))
      return true
    }
    return false
  }

  /// Adds what a file's commands do to keys; false if that is nothing.
  private mutating func addChange(_ file: RenewalFile, _ found: [RenewalCommand]) -> Bool {
    let isHook = file.path.split(separator: "/").contains("renewal-hooks")
    let running = Set(found.filter(Self.renews).map(\.tool)).union(isHook ? [.certbot] : [])
    var isAny = false
    for way in RenewalWay.removals {
      // A script that removes a tool's folder counts, whichever program runs the tool.
      let isAlone = !running.contains(way.tool)
      let names = [KeyCommand.folder(of: way.tool).map(String.init), way.tool == .acmeSh ? "LE_WORKING_DIR" : nil]
      if isAlone, !names.compactMap(\.self).contains(where: file.contains) { continue }
      guard let change = KeyCommand.statement(file.bytes, way, isAlone: isAlone, at: file.place) else { continue }
      add(change)
      isAny = true
    }
    return isAny
  }

  private static func renews(_ command: RenewalCommand) -> Bool {
    CertbotCommand(command) != nil || AcmeShCommand(command) != nil
      || LegoCommands.setting(command, hasEnvironment: false) != nil
  }

  /// A drop-in with an empty `ExecStart=` replaces the commands of its unit.
  private mutating func leaveOutReplacedUnits(_ texts: [SourceSet.File]) {
    let replaced = Set(
      texts.compactMap { text -> Substring? in
        guard text.path.contains(".service.d/"), RenewalFile(text).lines.contains(where: { $0.text == "ExecStart=" })
        else { return nil }
        return text.path.split(separator: "/").dropLast().last?.dropLast(".d".count)
      })
    commands.removeAll { path, _ in path.split(separator: "/").last.map { replaced.contains($0) } ?? false }
  }

  private mutating func addCertbot(_ lineages: [CertbotRenewal]) {
    let roots = Set(lineages.map { Self.root($0.file) })
    let all = commands.compactMap { CertbotCommand($0.command) }
    var used: Set<Int> = []
    for lineage in lineages {
      let file = lineage.file
      let names = certificates.names(of: file, certificate: lineage.certificate)
      let own = lineage.hooks
      var statements = [lineage.statement] + [own.change].compactMap(\.self)
      // A file beside another lineage's folder is another certbot's.
      let defaults = defaults.filter { $0.folder == Self.root(file) || !roots.contains($0.folder) }.map(\.statement)
      statements += defaults
      let reuse = defaults.first { $0.answer == .keeps }
      for (number, command) in (all + own.commands.compactMap { CertbotCommand($0) }).enumerated()
      where command.renews(file.stem, names) {
        var statement = command.statement
        // It holds for commands that issue too, if they read it.
        if command.issues, let reuse {
          statement.answer = .unknown
          statement.reason += ", though \(reuse.reason)"
        }
        statements.append(statement)
        used.insert(number)
      }
      if let setting = RenewalStatement.decide(statements, names: names) { settings.append(setting) }
    }
    // A command that names a lineage is about none of these.
    settings += all.enumerated().filter { !used.contains($0.offset) }.compactMap { _, command in
      command.alone.flatMap { setting in
        if case .unknown = setting.names, !lineages.isEmpty { return nil }
        return setting
      }
    }
  }

  /// certbot's folder, in which `renewal/` is.
  private static func root(_ file: RenewalFile) -> String {
    let parts = file.folder.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
    return parts.isEmpty ? "" : parts.joined(separator: "/") + "/"
  }

  /// Adds what lego's configuration or storage says; false if it isn't one.
  private mutating func addLego(_ file: RenewalFile) -> Bool {
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
