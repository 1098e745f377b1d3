import Diagnostics
import PinPolicy

/// A command that renews certificates with certbot.
///
/// What it says about the key wins over `cli.ini` and over the lineage's settings.
struct CertbotCommand {
  let statement: RenewalStatement
  /// The names that it asks for.
  private let domains: [String]
  /// The lineage that it renews; nil if it doesn't name one.
  private let lineage: String?
  private let renewsAll: Bool
  private let verb: String
  /// Whether it takes the names from a certificate request; what it issues is in no lineage.
  let isByRequest: Bool
  /// Whether it issues without the settings of the lineage: only `renew` has them.
  let issues: Bool

  private static let verbs: Set<String> = ["renew", "certonly", "auth", "run", "everything", "delete", "reconfigure"]
  private static let otherVerbs: Set<String> = [
    "certificates", "revoke", "register", "unregister", "update_account", "show_account", "install",
    "enhance",
    "rollback", "plugins", "help",
  ]

  /// Whether it renews a lineage: certbot adds `-0001` to a name that is taken, and finds a lineage by its names too.
  func renews(_ name: String, _ names: RenewalSetting.Names) -> Bool {
    if isByRequest { return false }
    if let lineage { return name == lineage || name.hasPrefix(lineage + "-0") }
    guard !renewsAll, case .known(let names) = names else { return true }
    return !Set(names).isDisjoint(with: domains) || domains.first == name
  }

  /// What it says about certificates of which no settings were found; nil if that is nothing.
  var alone: RenewalSetting? {
    guard verb != "delete" else { return nil }
    var statement = statement
    if statement.answer ?? .keeps == .keeps {
      guard !domains.isEmpty, !renewsAll else { return nil }
      statement.answer = .unknown
      statement.reason = "the command for it is here, but certbot's settings aren't among the files"
      statement.help = "Pass certbot's folder too, such as /etc/letsencrypt."
    }
    return RenewalStatement.decide(
      [statement],
      names: isByRequest
        ? .unknown(
          "the names are in a certificate request, which isn't read",
          help: "Pass the names with '--domains' too, and a request with the same key at each renewal.")
        : domains.isEmpty || renewsAll
          ? .unknown(
            "the command doesn't name hosts, and certbot's settings aren't among the files",
            help: "Pass certbot's folder too, such as /etc/letsencrypt.") : .known(domains))
  }

  /// Nil if it renews nothing.
  init?(_ command: RenewalCommand) {
    let words = command.words
    // A verb that isn't written may be any, and renew all.
    let verb =
      words.first { Self.verbs.contains($0) || Self.otherVerbs.contains($0) } ?? (command.open == nil ? "run" : "renew")
    guard command.tool == .certbot, Self.verbs.contains(verb), !words.contains("--dry-run") else { return nil }
    let name = command.last("--cert-name")
    domains = words.values(of: ["-d", "--domain", "--domains", "--ip-address"]).flatMap { RenewalSetting.names($0) }
    // Without a name, other commands ask for one, or don't renew.
    let hasRequest = words.contains { $0.prefix { $0 != "=" } == "--csr" }
    isByRequest = hasRequest && domains.isEmpty
    guard verb == "renew" || name != nil || !domains.isEmpty || hasRequest else { return nil }
    let isUnknown = name?.hasVariable ?? domains.contains(where: \.hasVariable)
    lineage = isUnknown ? nil : name
    renewsAll = isUnknown || name == nil && domains.isEmpty
    var statement = RenewalStatement(way: .certbotCommand, place: command.place)
    var issues = false
    if verb == "delete" {
      statement.answer = .unknown
      statement.reason = "the command deletes the certificate and its key"
      statement.help = "Keep the certificate, and renew it with 'certbot renew'."
    } else if let option = words.first(where: {
      Self.isOption($0, "--new-key", 4) || Self.isOption($0, "--no-reuse-key", 8)
    }) {
      statement.answer = .newKey
      statement.reason = "the command has '\(option)'"
      statement.help = "Remove '\(option)' from this command before the next renewal."
    } else if let unread = words.first(where: { ["-c", "--config"].contains($0.prefix { $0 != "=" }) })
      .map(RenewalCommand.unread) ?? command.unread(takesValue: Self.takesValue)
      ?? (words.contains(verb) ? nil : command.open.map(RenewalCommand.unread))
    {
      statement.answer = .unknown
      statement.reason = unread
      statement.help = "Write certbot's options in the command itself, and begin each with '-'."
    } else if hasRequest {
      statement.answer = .unknown
      statement.reason = "the command has '--csr': the key is that of the certificate request, which isn't read"
      statement.help = "Pass a request with the same key at each renewal."
    } else if words.contains(where: { Self.isOption($0, "--reuse-key", 5) }) {
      statement.answer = .keeps
      statement.reason = "the command has '--reuse-key'"
    } else if verb != "renew", verb != "reconfigure" {
      issues = true
      statement.answer = command.isScheduled ? .newKey : .unknown
      statement.reason =
        "the command doesn't have '--reuse-key', which '\(verb)' doesn't take from the certificate's settings"
        + (command.isScheduled ? "" : "; it makes a new key if it runs again")
      statement.help = "Use 'certbot renew' for renewals, or add '--reuse-key' to this command."
    }
    self.verb = verb
    self.issues = issues
    statement.choices =
      command.choices("preferred chain", "--preferred-chain")
      + command.choices("profile", "--preferred-profile", "--required-profile")
    self.statement = statement
  }

  /// The first option in words of a value that isn't read as a command: it may change the key of any lineage.
  static func keyOption(in words: [String]) -> (word: String, way: RenewalWay)? {
    if let word = words.first(where: {
      $0.contains("--always-force-new-domain-key") || $0.contains(AcmeShRenewal.force)
    }) {
      return (word, .acmeShCommand)
    }
    let found = words.first { word in
      let option = String(word.prefix { $0 != "=" })
      return option == "--key-type" || isOption(option, "--new-key", 7) || isOption(option, "--no-reuse-key", 8)
    }
    return found.map { ($0, .certbotCommand) }
  }

  /// Options may be shortened as long as they are distinct: `--no-reuse`.
  private static func isOption(_ word: String, _ option: String, _ least: Int) -> Bool {
    option.hasPrefix(word) && word.count >= least
  }

  private static func takesValue(_ option: String) -> Bool {
    ["-d", "-m", "-w", "-a", "-i"].contains(option) || option.hasSuffix("-hook") || option.hasSuffix("-dir")
      || option.hasSuffix("-path") || option.hasSuffix("-credentials") || option.hasSuffix("-seconds")
      || option.hasSuffix("-profile")
      || [
        "--cert-name", "--domain", "--domains", "--ip-address", "--email", "--server", "--key-type",
        "--preferred-chain",
      ].contains(option)
  }
}
