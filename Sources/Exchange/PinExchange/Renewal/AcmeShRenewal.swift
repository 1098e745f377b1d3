import Diagnostics
import PinFormat
import PinPolicy

/// acme.sh's `DOMAIN/DOMAIN.conf` and `account.conf`: assignments of a shell, of which only literal values are read.
///
/// acme.sh keeps the key of a domain unless `Le_ForceNewDomainKey` is 1 there, in `account.conf`, in a CA's `ca.conf` or
/// by a command. It runs `account.conf` and `ca.conf` after the domain's file, so they override it.
struct AcmeShRenewal {
  static let force = "Le_ForceNewDomainKey"

  private let file: RenewalFile
  private var values: [Substring: (value: String?, range: Range<Int>)] = [:]
  /// The first line that isn't an assignment: a shell runs it.
  private var unread: Range<Int>?

  init(_ file: RenewalFile) {
    self.file = file
    for (text, range) in file.lines where !text.isEmpty && text.first != "#" {
      guard let sign = text.firstIndex(of: "="), text[..<sign].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
      else {
        unread = unread ?? range
        continue
      }
      // The last assignment counts, as in a shell.
      values[text[..<sign]] = (Self.literal(text[text.index(after: sign)...]), range)
    }
  }

  /// What `account.conf` or `ca.conf` says of all domains; nil if that is nothing.
  ///
  /// It may be another account's, so that it keeps the key isn't taken from it.
  var account: RenewalStatement? {
    let choices = choices([("DEFAULT_PREFERRED_CHAIN", "preferred chain")])
    var statement = RenewalStatement(way: .acmeShAccount, place: file.place(0..<0))
    if let force = values[Substring(Self.force)], force.value == nil || force.value == "1" {
      statement = self.statement(force, .acmeShAccount)
    }
    statement.choices = choices
    return statement.answer == nil && choices.isEmpty ? nil : statement
  }

  private func choices(_ names: [(name: Substring, words: String)]) -> [RenewalSetting.Choice] {
    names.compactMap { name, words in
      values[name].flatMap { $0.value == "" ? nil : .init(words, Self.decoded($0.value), at: file.place($0.range)) }
    }
  }

  /// Nil for a file that isn't one of acme.sh's domains.
  func setting(_ accounts: [RenewalStatement], _ commands: [AcmeShCommand]) -> RenewalSetting? {
    guard let domain = values["Le_Domain"] else { return nil }
    let force = values[Substring(Self.force)]
    var own =
      force.map { statement($0, .acmeShDomain) }
      ?? RenewalStatement(way: .acmeShDomain, place: file.place(domain.range))
    if let unread {
      own = RenewalStatement(
        way: .acmeShDomain, answer: .unknown, reason: "a line isn't an assignment, and the shell runs it",
        help: "Remove this line.", place: file.place(unread))
    }
    own.choices = choices([("Le_Preferred_Chain", "preferred chain"), ("Le_Certificate_Profile", "profile")])
    let names = names(domain.value)
    let hookCommands = Self.hooks.compactMap { values[$0] }.flatMap { hook in
      Self.decoded(hook.value).map { RenewalCommand.all(in: $0, of: file, at: file.place(hook.range)) } ?? []
    }
    let said = (commands + hookCommands.compactMap { AcmeShCommand($0) }).compactMap { command in
      command.statement(domain.value, names, length: values["Le_Keylength"]?.value, isSet: force != nil)
    }
    var statements = [own] + said + accounts + Self.hooks.compactMap { hook($0) }
    if force == nil {
      statements.append(
        RenewalStatement(way: .acmeShDomain, answer: .keeps, reason: "'\(Self.force)' isn't set", place: own.place))
    }
    return RenewalStatement.decide(statements, names: names)
  }

  private static let hooks: [Substring] = ["Le_PreHook", "Le_PostHook", "Le_RenewHook", "Le_ReloadCmd"]

  /// What a hook does to the key; nil if that is nothing.
  private func hook(_ name: Substring) -> RenewalStatement? {
    guard let hook = values[name] else { return nil }
    let place = file.place(hook.range)
    if let value = Self.decoded(hook.value) {
      return KeyMaker.statement(Array(value.utf8), .acmeShDomain, CommandTargets(file.definitions)) { _ in place }
    }
    return RenewalStatement(
      way: .acmeShDomain, answer: .unknown, reason: "'\(name)' isn't a plain value",
      help: "Write it in single quotes.", place: place)
  }

  private func statement(_ force: (value: String?, range: Range<Int>), _ way: RenewalWay) -> RenewalStatement {
    let (answer, reason): (RenewalSetting.Answer, String) =
      switch force.value {
      case "1": (.newKey, "'\(Self.force)' is 1")
      case nil: (.unknown, "'\(Self.force)' isn't a plain value")
      default: (.keeps, "'\(Self.force)' isn't 1")
      }
    return RenewalStatement(
      way: way, answer: answer, reason: reason,
      help: "Write \(Self.force)='' in '\(VisibleText.of(file.path))' before the next renewal.",
      place: file.place(force.range))
  }

  private func names(_ domain: String?) -> RenewalSetting.Names {
    let alternatives = values["Le_Alt"]
    guard let domain, let others = alternatives == nil ? "" : alternatives?.value else {
      return .unknown("'Le_Domain' or 'Le_Alt' isn't a plain value", help: "Write the names in single quotes.")
    }
    // acme.sh writes `no` where there are no other names.
    return .known([domain] + (others == "no" ? [] : RenewalSetting.names(others)))
  }

  /// acme.sh writes some values in Base64, between marks.
  private static func decoded(_ value: String?) -> String? {
    let (start, end) = ("__ACME_BASE64__START_", "__ACME_BASE64__END_")
    guard let value, value.hasPrefix(start), value.hasSuffix(end), value.count >= start.count + end.count else {
      return value
    }
    return Base64.decode(value.utf8.dropFirst(start.utf8.count).dropLast(end.utf8.count)).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// The value of an assignment; nil if the shell would expand it, or its quotation mark isn't closed.
  private static func literal(_ text: Substring) -> String? {
    guard let mark = text.first else { return "" }
    if mark == "'" || mark == "\"" {
      let inner = text.dropFirst().prefix { $0 != mark }
      let rest = text.dropFirst(inner.count + 1)
      let isLiteral = mark == "'" || !inner.contains { "$`\\".contains($0) }
      return rest.first == mark && isEnd(rest.dropFirst()) && isLiteral ? String(inner) : nil
    }
    let word = text.prefix { $0 != " " && $0 != "\t" && $0 != ";" }
    return word.contains { "$`\\'\"".contains($0) } || !isEnd(text.dropFirst(word.count)) ? nil : String(word)
  }

  /// Whether nothing but a comment follows a value.
  private static func isEnd(_ rest: Substring) -> Bool {
    let next = rest.drop { $0 == " " || $0 == "\t" }
    return next.isEmpty || next.first == "#"
  }
}

/// A command of acme.sh that renews certificates or makes keys.
struct AcmeShCommand {
  private let command: RenewalCommand
  private let domains: [String]
  private let renewsAll: Bool

  private static let verbs: Set<String> = keyMakers.union([
    "--issue", "--renew", "-r", "--renew-all", "--renewAll", "--renewall", "--cron", "--remove",
  ])

  private static let otherVerbs: Set<String> = [
    "--install", "--uninstall", "--upgrade", "--install-cert", "--installcert", "-i", "--deploy", "--list", "--info",
    "--revoke", "--register-account", "--update-account", "--deactivate-account", "--deactivate", "--set-default-ca",
    "--set-default-chain", "--set-notify", "--install-cronjob", "--uninstall-cronjob", "--to-pkcs12", "--show-csr",
  ]

  /// What stands for the verb if none is written.
  private static func open(_ command: RenewalCommand) -> String? {
    command.words.contains(where: otherVerbs.contains) ? nil : command.open
  }

  private static let keyMakers: Set<String> = [
    "--create-domain-key", "--createDomainKey", "--createdomainkey", "-cdk",
  ]

  private static func takesValue(_ option: String) -> Bool {
    option.hasPrefix("-") && !verbs.contains(option)
      && !["--force", "-f", "--staging", "--test", "--debug", "--output-insecure", "--standalone"].contains(option)
  }

  /// Nil if it renews nothing.
  init?(_ command: RenewalCommand) {
    guard command.tool == .acmeSh,
      let verb = command.words.first(where: { Self.verbs.contains($0) }) ?? Self.open(command)
    else { return nil }
    self.command = command
    domains = command.words.values(of: ["-d", "--domain"])
    renewsAll =
      ["--renew-all", "--renewAll", "--renewall", "--cron"].contains(verb) || verb.isVariable
      || domains.contains(where: \.hasVariable)
  }

  /// What it says about a domain; nil if it is about others.
  func statement(
    _ domain: String?, _ names: RenewalSetting.Names, length: String?, isSet: Bool
  ) -> RenewalStatement? {
    if let domain, !renewsAll, case .known(let names) = names,
      !domains.contains(domain), Set(names).isDisjoint(with: domains)
    {
      return nil
    }
    return statement(length: length, isSet: isSet)
  }

  /// What it says about certificates of which no settings were found; nil if that is nothing.
  var alone: RenewalSetting? {
    let statement = statement(length: nil, isSet: false)
    return RenewalStatement.decide(
      [statement],
      names: domains.isEmpty || renewsAll
        ? .unknown("the command doesn't name hosts", help: "Pass acme.sh's folder too, such as /root/.acme.sh.")
        : .known(domains))
  }

  private func statement(length: String?, isSet: Bool) -> RenewalStatement {
    var statement = RenewalStatement(way: .acmeShCommand, place: command.place)
    let words = command.words
    let option = "--always-force-new-domain-key"
    let next = words.firstIndex(of: option).map { $0 + 1 < words.count ? words[$0 + 1] : "-" }
    let isForced = next.map { $0.hasPrefix("-") || $0 == "1" }
    let makesKey = words.contains(where: Self.keyMakers.contains) && words.contains { $0 == "--force" || $0 == "-f" }
    if isForced == true || makesKey {
      statement.answer = isSet && !makesKey ? .unknown : .newKey
      statement.reason =
        makesKey
        ? "the command has '--create-domain-key --force'"
        : isSet ? "the command has '\(option)', which the domain's file contradicts" : "the command has '\(option)'"
      statement.help = "Remove the option from this command before the next renewal."
    } else if words.contains("--remove") {
      statement.answer = .unknown
      statement.reason = "the command removes the domain, so the next issue makes a new key"
      statement.help = "Keep the domain, and renew it with 'acme.sh --renew'."
    } else if let unread = command.unread(takesValue: Self.takesValue)
      ?? (words.contains(where: Self.verbs.contains) ? nil : command.open.map(RenewalCommand.unread))
    {
      statement.answer = .unknown
      statement.reason = unread
      statement.help = "Write acme.sh's options in the command itself, and begin each with '-'."
    } else if words.contains("--issue"), let length,
      case let asked = command.last("--keylength", "-k") ?? "ec-256", asked != (length.isEmpty ? "2048" : length)
    {
      statement.answer = .unknown
      statement.reason =
        "the command issues with the key length '\(VisibleText.of(asked))', and the domain's file has another"
      statement.help = "Issue with the key length that the domain has."
    }
    statement.choices =
      command.choices("preferred chain", "--preferred-chain")
      + command.choices("profile", "--certificate-profile", "--cert-profile")
    return statement
  }
}
