import Diagnostics
import PinPolicy

/// What a YAML or JSON file says about renewals: the commands of containers and tasks, and what else may change keys.
struct YAMLCommands {
  private(set) var commands: [RenewalCommand] = []
  /// Options in values that aren't commands, and tasks that remove keys.
  private(set) var changes: [RenewalStatement] = []
  /// If the file can't be read, a setting that says so for each tool that it names.
  private(set) var unread: [RenewalSetting] = []
  private(set) var deletions: [SecretDeletion] = []

  private var file: RenewalFile
  /// A task that removes what a variable says, and the tools whose keys values of the file are paths of.
  private var open: Place?
  /// Where the commands of a task run, as a command.
  private var folder = ""
  private var stored: Set<RenewalSetting.Tool> = []
  /// The first of these paths, which `{{ item }}` may be.
  private(set) var path: String?

  init(_ file: RenewalFile) {
    self.file = file
    let hasOption = ["--new-key", "--no-reuse-key", "--always-force-new-domain-key", "cli.ini", AcmeShRenewal.force]
      .contains(
        where: file.contains)
    let mayDelete =
      file.contains("absent")
      || file.contains("delete") && (file.contains("secret") || file.contains("namespace") || file.contains("ns"))
    let hasImage = Self.images.contains { file.contains($0.mark) }
    guard hasImage || hasOption || mayDelete || RenewalCommand.mayConcern(file) else { return }
    let documents = YAMLDocuments(file.bytes, file: file.id)
    documents.values.forEach { note($0) }
    if let path { self.file.definitions = file.definitions.with("item", path) }
    documents.values.forEach { add($0) }
    for (place, tools) in [open].compactMap(\.self).map({ ($0, stored) }) {
      changes += RenewalWay.removals.filter { tools.contains($0.tool) }.map {
        KeyMaker.change(of: "{{ … }}", $0, by: "this task", at: place)
      }
    }
    guard let (reason, place) = documents.problem else { return }
    let words = RenewalFile.commands(of: file.bytes).flatMap {
      $0.flatMap { $0.text.split(whereSeparator: \.isWhitespace) }
    }
    var tools = Set(words.compactMap { RenewalCommand.tool(of: $0.filter { !"[]{},'\"".contains($0) }) })
    if tools.isEmpty, file.definitions.areUsed(in: file) {
      let text = file.definitions.expanded(String(decoding: file.bytes, as: UTF8.self))
      tools.formUnion(
        text.split { $0.isWhitespace || "[]{},'\"".contains($0) }.compactMap { RenewalCommand.tool(of: String($0)) })
    }
    if hasOption { tools.insert(.certbot) }
    unread = tools.sorted { $0.rawValue < $1.rawValue }.map { tool in
      RenewalSetting(
        Self.way(tool), answer: .unknown,
        names: .unknown(
          "the file can't be read from here on: \(reason)",
          help: "Pass the file without templates, anchors and aliases."),
        at: place, because: "it can't be read", help: "")
    }
  }

  private static func way(_ tool: RenewalSetting.Tool) -> RenewalWay {
    switch tool {
    case .lego: .legoCommand
    case .acmeSh: .acmeShCommand
    case .certbot, .certManager: .certbotCommand
    }
  }

  /// The fields whose items are the words of one command, after the image of the container.
  private static let parts = ["entrypoint", "command", "args", "argv"]

  /// Whether a field is for people; Salt's `- name: COMMAND` is alone, and what begins with a tool may be run.
  private func isTitle(_ name: YAMLDocuments.Value, of value: YAMLDocuments.Value) -> Bool {
    let first = name.text.flatMap { value[$0]?.text }?.split(whereSeparator: \.isWhitespace).first ?? ""
    return value.fields.count > 1 && ["name", "description", "title", "summary", "msg"].contains(name.text)
      && RenewalCommand.tool(of: String(first)) == nil
  }

  /// Notes paths of a tool's keys, before what uses them is read.
  private mutating func note(_ value: YAMLDocuments.Value) {
    if let text = value.text, let way = Self.way(of: text) {
      stored.insert(way.tool)
      path = path ?? text
    }
    value.fields.forEach { note($1) }
    value.items.forEach { note($0) }
  }

  private mutating func add(_ value: YAMLDocuments.Value, under parent: String = "") {
    if let text = value.text {
      guard text.contains(where: \.isWhitespace) else { return add([], words: [text], at: value.place) }
      let found = RenewalCommand.all(in: text, of: file, at: value.place)
      addRemovals(in: Array((folder + text).utf8), at: value.place)
      deletions += SecretDeletion.all(in: Array(text.utf8)) { _ in value.place }
      return add(found, words: text.split(whereSeparator: \.isWhitespace).map(String.init), at: value.place)
    }
    if let first = value.items.first?.text, RenewalCommand.tool(of: first) != nil {
      let words = value.items.map { $0.text ?? "$" }
      return add(RenewalCommand.found(in: words, file) { _ in value.place }, words: words, at: value.place)
    }
    addImage(value)
    if value.items.count > 1, value.items.allSatisfy({ $0.text != nil }) {
      let words = value.items.compactMap(\.text).joined(separator: " ")
      addRemovals(in: Array(words.utf8), at: value.place)
      deletions += SecretDeletion.all(in: Array(words.utf8)) { _ in value.place }
    }
    let outer = folder
    defer { folder = outer }
    if let text = (value["chdir"] ?? value["args"]?["chdir"])?.text { folder = "cd \(text); " }
    let values = Self.parts.compactMap { value[$0] }.filter { $0.fields.isEmpty }
    if let first = values.first {
      let words = values.flatMap { part -> [String] in
        part.text.map { RenewalFile.commands(of: Array($0.utf8)).flatMap { $0.map(\.text) } }
          ?? part.items.map { $0.text ?? "$" }
      }
      let all = [value["image"]?.text].compactMap(\.self) + words
      let found = RenewalCommand.found(in: all, file) { _ in first.place }
      deletions += SecretDeletion.all(in: Array(all.joined(separator: " ").utf8)) { _ in first.place }
      add(found, words: words, at: first.place)
      addRemovals(in: Array((folder + words.joined(separator: " ")).utf8), at: first.place)
    }
    addTargets(value, under: parent)
    for (name, inner) in value.fields
    where !Self.parts.contains(name.text ?? "") && !isTitle(name, of: value) || !inner.fields.isEmpty {
      // Salt's states may be named by their command.
      if let text = name.text, text.contains(where: \.isWhitespace) {
        commands += RenewalCommand.all(in: text, of: file, at: name.place)
      }
      add(inner, under: name.text ?? "")
    }
    value.items.forEach { add($0, under: parent) }
  }

  /// Images that run a tool in their own way, by a part of their names.
  private static let images: [(mark: String, way: RenewalWay)] = [
    ("acme-companion", .acmeShCommand), ("proxy-companion", .acmeShCommand), ("certbot", .certbotCommand),
    ("/swag", .certbotCommand), ("letsencrypt", .certbotCommand),
  ]

  private mutating func addImage(_ value: YAMLDocuments.Value) {
    guard let image = value["image"], let text = image.text, RenewalCommand.tool(of: text) == nil,
      let way = Self.images.first(where: { text.contains($0.mark) })?.way
    else { return }
    changes.append(
      RenewalStatement(
        way: way, answer: .unknown,
        reason: "the image '\(VisibleText.of(text))' runs \(way.tool.rawValue) in a way that isn't read",
        help: "Check in the image's documentation that it keeps the key.", place: image.place))
  }

  /// What a command does to a tool's keys.
  private mutating func addRemovals(in command: [UInt8], at place: Place) {
    changes += RenewalWay.removals.compactMap { way in
      KeyMaker.statement(command, way, isAlone: true, CommandTargets(file.definitions)) { _ in place }
    }
  }

  /// An option in words of which no command is read, such as those of a variable, may be for any command.
  private mutating func add(_ found: [RenewalCommand], words: [String], at place: Place) {
    commands += found
    let parts = words.flatMap { $0.split(separator: "=").map(String.init) }
    guard found.isEmpty, let (option, way) = CertbotCommand.keyOption(in: parts) else { return }
    changes.append(
      RenewalStatement(
        way: way, answer: .unknown,
        reason: "a value has '\(VisibleText.of(option))', and the command that it is for isn't read",
        help: "Remove the option, or check with which command it is used.", place: place))
  }

  /// Fields whose `path` is only read.
  private static let readers = ["hostPath", "stat", "slurp", "find", "fetch", "nfs"]

  /// What a task has that writes to its `path`.
  private static let writing = [
    "content", "src", "regexp", "line", "block", "option", "section", "replace", "value", "marker",
  ]

  private static func way(of path: String) -> RenewalWay? {
    RenewalWay.removals.first { KeyMaker.isStored(path, by: $0.tool) }
  }

  /// What a task of Ansible, cloud-init or Salt, or a ConfigMap, writes or removes.
  private mutating func addTargets(_ value: YAMLDocuments.Value, under parent: String) {
    func add(_ path: String, at place: Place) {
      guard let way = Self.way(of: file.definitions.expanded(path)) else { return }
      changes.append(KeyMaker.change(of: path, way, by: "this task", at: place))
    }
    if let deletion = SecretDeletion(task: value) { deletions.append(deletion) }
    let isAbsent = value["state"]?.text == "absent"
    let isRead = Self.readers.contains { parent == $0 || parent.hasSuffix("." + $0) }
    let isState = parent.hasPrefix("file.") && parent != "file.directory"
    if value["state"]?.text != "directory", !isRead {
      let writes = isAbsent || isState || Self.writing.contains { value[$0] != nil } || parent.contains("privatekey")
      for field in ["dest", "destination"] + (writes ? ["path"] : []) + (isAbsent || isState ? ["name"] : []) {
        guard let path = value[field], let text = path.text else { continue }
        add(text, at: path.place)
        if isAbsent, text.hasVariable { open = open ?? path.place }
      }
    }
    for (name, inner) in value.fields {
      guard let text = name.text else { continue }
      if text == AcmeShRenewal.force { self.add([], words: [text], at: name.place) }
      let states = [inner.text].compactMap(\.self) + inner.fields.compactMap(\.0.text) + inner.items.compactMap(\.text)
      if states.contains(where: { $0.hasPrefix("file.") && $0 != "file.directory" }) { add(text, at: name.place) }
      // A file in a ConfigMap.
      if inner.text != nil, text == "cli.ini" || text == ".lego.yml" {
        add(text == "cli.ini" ? "letsencrypt/cli.ini" : text, at: name.place)
      }
    }
  }
}

extension RenewalWay {
  /// For each tool, the way by which a command that removes keys is reported.
  static let removals: [RenewalWay] = [.certbotHook, .acmeShCommand, .legoCommand]
}
