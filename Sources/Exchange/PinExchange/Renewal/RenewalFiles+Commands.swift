import Diagnostics
import PinPolicy

/// Commands, and what changes keys besides a tool's settings, in scripts, units, crontabs and trees of YAML.
extension RenewalFiles {
  mutating func addCommands(_ text: SourceSet.File) {
    var file = file(text)
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
    } else if Self.mayHaveCommands(file.path) || Self.mayHaveCommandSettings(file) {
      let found = RenewalCommand.all(in: file)
      commands += found.map { (file.path, $0) }
      let isOption = addOption(file)
      let isDeletion = addDeletions(file)
      let calls = ToolMention.all(in: file, onlyRemovals: true).filter { _ in
        file.contains("python") || file.contains("perl")
      }
      for call in calls { add(call.statement) }
      if addChange(file, found) || isOption || isDeletion || !calls.isEmpty || found.contains(where: Self.renews) {
        register(file)
      }
    } else if Self.treeEndings.contains(where: file.name.hasSuffix) {
      let found = YAMLCommands(file)
      commands += found.commands.map { (file.path, $0) }
      settings += found.unread
      found.changes.forEach { add($0) }
      manifests.deletions += found.deletions
      if let path = found.path { file.definitions = file.definitions.with("item", path) }
      if addChange(file, found.commands) || !found.changes.isEmpty || !found.unread.isEmpty || !found.deletions.isEmpty
        || found.commands.contains(where: Self.renews)
      {
        register(file)
      }
    }
  }

  /// Whether settings of another program may have commands: supervisor's `command=`, the flags of FreeBSD's `periodic.conf`.
  private static func mayHaveCommandSettings(_ file: RenewalFile) -> Bool {
    (file.name.hasSuffix(".conf") || file.name.hasSuffix(".ini"))
      && !file.contains("renewalparams") && !file.contains("Le_Domain")
  }

  /// A tool that a program in another language runs: with which options, isn't read.
  mutating func addMentions(_ text: SourceSet.File) {
    let file = file(text)
    let mentions = ToolMention.all(in: file)
    for mention in mentions { add(mention.statement) }
    if !mentions.isEmpty { register(file) }
  }

  /// Adds the Secrets that a script deletes; false if there is none.
  private mutating func addDeletions(_ file: RenewalFile) -> Bool {
    let before = manifests.deletions.count
    manifests.deletions += SecretDeletion.all(in: file.bytes, at: file.place)
    return manifests.deletions.count > before
  }

  mutating func add(_ change: RenewalStatement) {
    changes[change.way.tool] = changes[change.way.tool] ?? change
  }

  /// An option for the key where no command is read, such as in a file of variables, may be for any; false if there is none.
  mutating func addOption(_ file: RenewalFile) -> Bool {
    let options = ["--new-key", "--no-reuse-key", "--always-force-new-domain-key", AcmeShRenewal.force]
    guard RenewalCommand.mayConcern(file) || options.contains(where: file.contains) else { return false }
    for words in RenewalFile.commands(of: file.bytes) {
      let texts = words.map(\.text)
      let parts = texts.flatMap { $0.split { $0.isWhitespace || "=()".contains($0) }.map(String.init) }
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
  mutating func addChange(_ file: RenewalFile, _ found: [RenewalCommand]) -> Bool {
    let isHook = file.path.split(separator: "/").contains("renewal-hooks")
    let running = Set(found.filter(Self.renews).map(\.tool)).union(isHook ? [.certbot] : [])
    var isAny = false
    for way in RenewalWay.removals {
      // A script that removes a tool's folder counts, whichever program runs the tool.
      let isAlone = !running.contains(way.tool)
      let names = [
        KeyMaker.folder(of: way.tool).map(String.init), way.tool == .acmeSh ? "LE_WORKING_DIR" : "LEGO_PATH",
      ]
      if isAlone, !names.compactMap(\.self).contains(where: file.contains), !file.definitions.areUsed(in: file) {
        continue
      }
      let targets = CommandTargets(file.definitions, isConfiguration: !Self.mayHaveCommands(file.path))
      guard let change = KeyMaker.statement(file.bytes, way, isAlone: isAlone, targets, at: file.place) else {
        continue
      }
      add(change)
      isAny = true
    }
    return isAny
  }

  static func renews(_ command: RenewalCommand) -> Bool {
    CertbotCommand(command) != nil || AcmeShCommand(command) != nil
      || LegoCommands.setting(command, hasEnvironment: false) != nil
  }
}
