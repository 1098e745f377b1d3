import Diagnostics
import PinPolicy

/// A command that renews certificates with certbot, in a unit file, crontab or script.
///
/// What it says about the key wins over `cli.ini` and over the lineage's settings. Nothing is run or expanded.
struct CertbotCommand {
  /// Nil if the lineage's settings decide.
  let answer: RenewalSetting.Answer?
  /// Why the answer is this one: a clause.
  let reason: String
  /// How to keep the key; empty if it is kept.
  let help: String
  let place: Place
  /// The lineage that it renews; nil for all.
  private let lineage: String?

  /// Whether it renews a lineage; certbot adds `-0001` to a name that is taken.
  func renews(_ name: String) -> Bool { lineage.map { name == $0 || name.hasPrefix($0 + "-0") } ?? true }

  static func all(in file: RenewalFile) -> [CertbotCommand] {
    file.commands.compactMap { words in
      guard let start = words.firstIndex(where: { isCertbot($0.text) }) else { return nil }
      let place = file.place(words[start].range.lowerBound..<(words.last ?? words[start]).range.upperBound)
      return CertbotCommand(words[(start + 1)...].map(\.text), at: place)
    }
  }

  private init?(_ words: [String], at place: Place) {
    let verb = words.first { ["renew", "certonly", "run"].contains($0) }
    let names = words.values(of: ["--cert-name"])
    let domains = words.values(of: ["-d", "--domain", "--domains"]).flatMap { RenewalSetting.names($0) }
    lineage = names.last ?? (verb == "renew" ? nil : domains.first)
    // Without a name, other commands ask for one, or don't renew.
    guard verb == "renew" || verb != nil && lineage != nil else { return nil }
    self.place = place
    if let option = words.first(where: { Self.isOption($0, "--new-key") || Self.isOption($0, "--no-reuse-key") }) {
      answer = .newKey
      reason = "the command has '\(option)'"
      help = "Remove '\(option)' from this command before the next renewal."
    } else if let unread = Self.unread(in: words) {
      answer = .unknown
      reason = "the command has '\(VisibleText.of(unread))', which isn't read"
      help = "Write certbot's options in the command itself."
    } else if words.contains(where: { Self.isOption($0, "--reuse-key") }) {
      (answer, reason, help) = (.keeps, "the command has '--reuse-key'", "")
    } else {
      (answer, reason, help) = (nil, "", "")
    }
  }

  /// The program itself, or the image of a container: `/usr/bin/certbot`, `ExecStart=/usr/bin/certbot`,
  /// `certbot/certbot:latest`.
  private static func isCertbot(_ word: String) -> Bool {
    let last = word.split(separator: "/").last ?? ""
    let isImage = word.hasPrefix("certbot/") || word.contains("/certbot/")
    return ["certbot", "certbot-auto", "certbot3"].contains(last) || word.hasSuffix("=certbot")
      || isImage && (last.hasPrefix("certbot") || last.hasPrefix("dns-"))
  }

  /// Options may be shortened as long as they are distinct: `--no-reuse`.
  private static func isOption(_ word: String, _ option: String) -> Bool {
    option.hasPrefix(word) && word.count >= option.count - "-key".count
  }

  /// A variable that may stand for options, or a further file of settings.
  private static func unread(in words: [String]) -> String? {
    for (number, word) in words.enumerated() {
      if word == "-c" || word == "--config" || word.hasPrefix("--config=") { return word }
      let before = number > 0 ? words[number - 1] : ""
      guard word.hasPrefix("$") || word.hasPrefix("`"), !takesValue(before) else { continue }
      return word
    }
    return nil
  }

  private static func takesValue(_ option: String) -> Bool {
    ["-d", "-m", "-w", "-a", "-i"].contains(option) || option.hasSuffix("-hook") || option.hasSuffix("-dir")
      || option.hasSuffix("-path") || option.hasSuffix("-credentials") || option.hasSuffix("-seconds")
      || ["--cert-name", "--domain", "--domains", "--email", "--server", "--key-type", "--preferred-chain"]
        .contains(option)
  }
}
