import Diagnostics
import PinPolicy

/// Commands that renew certificates with lego, in unit files, crontabs and scripts.
///
/// Nothing is run or expanded: a name in a variable isn't known.
enum LegoCommands {
  static func settings(in file: RenewalFile) -> [RenewalSetting] {
    file.commands.compactMap { words in
      guard let start = words.firstIndex(where: { isLego($0.text) }) else { return nil }
      let place = file.place(words[start].range.lowerBound..<(words.last ?? words[start]).range.upperBound)
      return setting(Array(words[(start + 1)...].map(\.text)), at: place)
    }
  }

  private static func setting(_ words: [String], at place: Place) -> RenewalSetting? {
    guard let verb = words.firstIndex(where: { $0 == "renew" || $0 == "run" }) else { return nil }
    let all = domains(in: words[...])
    // `run` renews in version 5, which takes the names behind it; version 4 only obtains a first certificate with it.
    guard words[verb] == "renew" || !domains(in: words[verb...]).isEmpty else { return nil }
    let reuse = words.first { $0.hasPrefix("-") && $0.prefix { $0 != "=" }.hasSuffix("reuse-key") }
    // As Go reads a flag.
    let value = reuse.flatMap { word in word.firstIndex(of: "=").map { word[word.index(after: $0)...] } } ?? "true"
    let keeps = reuse != nil && ["1", "t", "T", "true", "TRUE", "True"].contains(value)
    let hasRequest = words.contains { ["--csr", "-c"].contains($0) || $0.hasPrefix("--csr=") }
    let isPlain = !all.isEmpty && !hasRequest && all.allSatisfy { name in !name.contains { "$`{".contains($0) } }
    return RenewalSetting(
      tool: .lego, answer: hasRequest || keeps ? .keeps : .newKey,
      names: isPlain
        ? .known(all)
        : .unknown(
          hasRequest ? "the names are in a certificate request" : "the names aren't written in the command",
          help: "Write the names in the command, as '--domains NAME'."),
      at: place,
      because: hasRequest
        ? "the certificate request is a file, so its key stays the same"
        : keeps ? "the command has '--reuse-key'" : "the command doesn't have '--reuse-key'",
      help: keeps || hasRequest ? "" : "Add '--reuse-key' to this command before the next renewal.")
  }

  /// The program itself, or the image of a container: `/usr/bin/lego`, `ExecStart=/usr/bin/lego`, `goacme/lego:v4`.
  private static func isLego(_ word: String) -> Bool {
    let last = word.split(separator: "/").last ?? ""
    return last == "lego" || word.hasSuffix("=lego") || last.hasPrefix("lego:")
  }

  private static func domains(in words: ArraySlice<String>) -> [String] {
    words.values(of: ["-d", "--domains"]).flatMap { RenewalSetting.names($0) }
  }
}
