import Diagnostics
import PinPolicy

/// Commands that renew certificates with lego: a name in a variable isn't known.
enum LegoCommands {
  /// Nil if it renews nothing.
  ///
  /// With `hasEnvironment`, the file sets a variable that may be lego's for the key.
  static func setting(_ command: RenewalCommand, hasEnvironment: Bool) -> RenewalSetting? {
    let words = command.words
    guard command.tool == .lego, !words.contains(where: ["list", "revoke", "dnshelp"].contains) else { return nil }
    guard let verb = words.firstIndex(where: { $0 == "renew" || $0 == "run" }) else {
      return command.open.map {
        RenewalSetting(
          .legoCommand, answer: .unknown,
          names: .unknown(
            "the names aren't written in the command", help: "Write lego's options in the command itself."),
          at: command.place, because: RenewalCommand.unread($0), help: "")
      }
    }
    let all = domains(in: words[...])
    // `run` renews in version 5, which takes the names behind it; version 4 always obtains a new certificate with it.
    guard words[verb] == "renew" || !all.isEmpty else { return nil }
    let isOldRun = words[verb] == "run" && domains(in: words[verb...]).isEmpty
    let hasKey = words.contains { $0.prefix { $0 != "=" } == "--private-key" }
    let reuse = words.last { $0.hasPrefix("-") && $0.prefix { $0 != "=" }.hasSuffix("reuse-key") }
    // As Go reads a flag.
    let value = reuse.flatMap { word in word.firstIndex(of: "=").map { word[word.index(after: $0)...] } } ?? "true"
    // `-c` is a request in version 4, which takes no names beside it, and the certificate's name in version 5.
    let hasRequest = words.contains { $0 == "--csr" || $0.hasPrefix("--csr=") || $0 == "-c" && all.isEmpty }
    let isPlain = !all.isEmpty && !hasRequest && !all.contains(where: \.hasVariable)
    let (answer, reason): (RenewalSetting.Answer, String) =
      if hasRequest {
        (.keeps, "the certificate request is a file, so its key stays the same")
      } else if let unread = command.unread(takesValue: takesValue) {
        (.unknown, unread)
      } else if isOldRun {
        hasKey ? (.keeps, "the command has '--private-key'") : (.unknown, "'lego run' makes a new key in version 4")
      } else if reuse != nil, ["1", "t", "T", "true", "TRUE", "True"].contains(value) {
        (.keeps, "the command has '--reuse-key'")
      } else if reuse != nil {
        value.hasVariable ? (.unknown, "'--reuse-key' has a variable") : (.newKey, "'--reuse-key' is false")
      } else if hasEnvironment {
        (.unknown, "the command doesn't have '--reuse-key', and a variable of the environment may set it")
      } else {
        (.newKey, "the command doesn't have '--reuse-key'")
      }
    return RenewalSetting(
      .legoCommand, answer: answer,
      names: isPlain
        ? .known(all)
        : .unknown(
          hasRequest ? "the names are in a certificate request" : "the names aren't written in the command",
          help: "Write the names in the command, as '--domains NAME'."),
      at: command.place, because: reason,
      help: answer == .keeps
        ? ""
        : isOldRun
          ? "Renew with 'lego renew --reuse-key', or pass the key to this command with '--private-key'."
          : "Add '--reuse-key' to this command before the next renewal.",
      choices: command.choices("preferred chain", "--preferred-chain") + command.choices("profile", "--profile"))
  }

  private static func takesValue(_ option: String) -> Bool {
    ["-d", "-m", "-s", "-k", "-c"].contains(option)
      || option.hasPrefix("--") && !["--accept-tos", "--http", "--tls", "--pem", "--pfx", "--eab"].contains(option)
  }

  private static func domains(in words: ArraySlice<String>) -> [String] {
    words.values(of: ["-d", "--domains"]).flatMap { RenewalSetting.names($0) }
  }
}

extension Substring {
  fileprivate var hasVariable: Bool { String(self).hasVariable }
}
