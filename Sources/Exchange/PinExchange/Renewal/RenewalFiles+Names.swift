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
    treeEndings + shellEndings + [".conf", ".service", ".container", ".cron", ".j2", ".env", ".mk"]

  private static let shellEndings = [".sh", ".bash", ".zsh"]
  private static let makefiles: Set<Substring> = ["Makefile", "makefile", "GNUmakefile"]

  /// acme.sh's settings of an account and of a CA.
  static let accountNames = ["account.conf", "ca.conf"]

  /// Whether a file in a folder is opened, by its name.
  ///
  /// certbot and lego keep keys of accounts in JSON.
  static func mayHaveSettings(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    guard let name = parts.last, !isAccountKey(parts) else { return false }
    if isHook(path) { return true }
    if name == "cli.ini" || name == "Kustomization" || makefiles.contains(name) { return true }
    if endings.contains(where: name.hasSuffix) { return true }
    // Scripts, hooks and crontabs without an ending.
    let isHidden = name.hasPrefix(".")
    return !isHidden && !name.contains(".")
      && (RenewalFile.isScheduled(path)
        || ["cron", "renew", "certbot", "letsencrypt", "lego", "acme"].contains(where: name.contains))
  }

  /// Whether a file with another name may run a tool: any that isn't a key, a document or a copy.
  ///
  /// A name such as `rotate-keys` may be that of a key or of a script, which begins with `#!`.
  static func mayRunTool(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    guard let name = parts.last?.lowercased() else { return false }
    if unrelated.contains(where: name.hasSuffix) && !name.contains("cron") || documents.contains(name) { return false }
    if isAccountKey(parts) || secretFiles.contains(name) { return false }
    if name.contains(".") || name.hasSuffix("file") { return true }
    let words = parts.suffix(2).flatMap { $0.lowercased().split { !$0.isLetter } }
    return secrets.isDisjoint(with: words) || InputFile.isScript(path)
  }

  /// Whether it is a key of an account, or what certbot and lego keep with it.
  private static func isAccountKey(_ parts: [Substring]) -> Bool {
    parts.dropLast().contains("accounts")
      && ["private_key.json", "meta.json", "regr.json", "account.json"].contains(parts.last)
  }

  /// Endings of keys and certificates, of documents and styles, of copies, and of systemd's units that have no commands.
  private static let unrelated =
    [".pem", ".key", ".crt", ".cer", ".der", ".p12", ".pfx", ".jks", ".csr", ".p7b", ".p7c", ".pub", ".gpg", ".asc"]
    + [".sig", ".md", ".rst", ".txt", ".adoc", ".html", ".htm", ".css", ".svg", ".csv", ".po", ".log", ".lock", ".sum"]
    + [".bak", ".orig", ".old", ".swp", "~", ".dpkg-old", ".dpkg-dist", ".dpkg-new", ".rpmnew", ".rpmsave"]
    + [".patch", ".diff", ".timer", ".socket", ".enc", ".age", ".bin", ".dat", ".jwt"]
  private static let documents: Set<String> = [
    "readme", "license", "licence", "copying", "changelog", "changes", "news", "authors", "notice", "codeowners",
  ]
  private static let secretFiles = [
    ".netrc", ".pgpass", ".npmrc", "id_rsa", "id_dsa", "id_ed25519", "id_ecdsa", "shadow", "gshadow",
    "shadow-", "gshadow-",
  ]
  /// Words in the name of a file without an ending, or of its folder.
  private static let secrets: Set<Substring> = [
    "key", "keys", "secret", "secrets", "token", "tokens", "password", "passwords", "passwd", "credentials", "private",
  ]

  /// Whether a file may have commands as a shell or a unit has them, by its name: a unit, a crontab or a script.
  static func mayHaveCommands(_ path: String) -> Bool {
    (path.contains(".service.d/") || path.contains(".container.d/")) || isHook(path)
      || !(treeEndings + [".conf", ".ini", "Kustomization"]).contains(
        where: RenewalFile.withoutTemplate(path).hasSuffix)
  }

  /// Whether certbot runs it: each executable file in these folders whose name doesn't end with `~`.
  static func isHook(_ path: String) -> Bool {
    !path.hasSuffix("~") && path.split(separator: "/").dropLast().contains("renewal-hooks")
  }

  /// Whether a file is in another language than a shell's, a unit's or YAML; only what it mentions is found.
  static func isInOtherLanguage(_ path: String, _ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: "#!".utf8) {
      let first = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }.dropFirst(2), as: UTF8.self)
      return !first.split { "/ \t\r".contains($0) }.contains(where: shells.contains)
    }
    let name = RenewalFile.withoutTemplate(path).split(separator: "/").last ?? ""
    if isHook(path) { return !bytes.isEmpty && name.contains(".") && !shellEndings.contains(where: name.hasSuffix) }
    if mayHaveSettings(path) || name.hasSuffix(".ini") { return false }
    return name.dropFirst().contains(".") || name.hasSuffix("file")
  }

  /// OpenRC's scripts are a shell's, and a makefile's commands are too.
  private static let shells: Set<Substring> = ["sh", "bash", "dash", "ash", "zsh", "ksh", "openrc-run", "make"]

  /// The way that a file that can't be read may be, by its name.
  static func way(_ path: String) -> RenewalWay {
    if mayHaveCommands(path) { return .certbotCommand }
    if path.hasSuffix("cli.ini") { return .certbotDefaults }
    return path.hasSuffix(".conf") ? .certbotLineage : .certManagerOther
  }
}
