import PinPolicy

/// Which files below a folder may have settings, by their names.
extension RenewalFiles {
  /// More bytes than settings have, unlike data that happens to be JSON or YAML.
  static let sizeLimit = 1 << 20

  /// What files have that concern these tools.
  static let marks = [
    "certbot", "lego", "acme.sh", "cert-manager.io", "certmanager.k8s.io", "rotationPolicy", "reuse_key", "Le_Domain",
  ]

  /// Endings of files in YAML or JSON; Salt's states are in YAML too.
  static let treeEndings = [".json", ".yml", ".yaml", ".sls", ".tpl", "user-data"]

  static let endings =
    treeEndings + [
      ".conf", ".service", ".container", ".sh", ".bash", ".zsh", ".cron", ".j2", ".env", "akefile", ".mk",
    ]

  /// acme.sh's settings of an account and of a CA.
  static let accountNames = ["account.conf", "ca.conf"]

  /// Whether a file in a folder is opened, by its name.
  ///
  /// certbot and lego keep keys of accounts in JSON.
  static func mayHaveSettings(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    guard let name = parts.last, !(name.hasSuffix(".json") && parts.dropLast().contains("accounts")) else {
      return false
    }
    if isHook(path) { return true }
    if name == "cli.ini" || name == "Kustomization" || endings.contains(where: name.hasSuffix) { return true }
    // Scripts, hooks and crontabs without an ending.
    let isHidden = name.hasPrefix(".")
    return !isHidden && !name.contains(".")
      && (RenewalFile.isScheduled(path)
        || ["cron", "renew", "certbot", "letsencrypt", "lego", "acme"].contains(where: name.contains))
  }

  /// Whether a file may have commands as a shell or a unit has them, by its name: a unit, a crontab or a script.
  static func mayHaveCommands(_ path: String) -> Bool {
    path.contains(".service.d/") || isHook(path)
      || !(treeEndings + [".conf", ".ini", "Kustomization"]).contains(
        where: RenewalFile.withoutTemplate(path).hasSuffix)
  }

  /// Whether certbot runs it: each executable file in these folders whose name doesn't end with `~`.
  static func isHook(_ path: String) -> Bool {
    !path.hasSuffix("~") && path.split(separator: "/").dropLast().contains("renewal-hooks")
  }

  /// Whether it is a hook in another language than a shell's, which isn't read.
  static func isOtherHook(_ path: String, _ bytes: [UInt8]) -> Bool {
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

  /// The way that a file that can't be read may be, by its name.
  static func way(_ path: String) -> RenewalWay {
    if mayHaveCommands(path) { return .certbotCommand }
    if path.hasSuffix("cli.ini") { return .certbotDefaults }
    return path.hasSuffix(".conf") ? .certbotLineage : .certManagerOther
  }
}
