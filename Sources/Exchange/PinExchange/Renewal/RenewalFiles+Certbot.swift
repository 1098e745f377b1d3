import Diagnostics
import PinPolicy

/// certbot's lineages, with the commands and defaults that decide about them.
extension RenewalFiles {
  /// A drop-in with an empty `ExecStart=` replaces that command of the unit on the same machine: beside it, or below
  /// `/etc` of the same root as the unit below `/lib` or `/usr/lib`.
  mutating func leaveOutReplacedUnits(_ texts: [SourceSet.File]) {
    let replaced = Set(
      texts.compactMap { text -> String? in
        guard text.path.contains(".service.d/"), RenewalFile(text).lines.contains(where: { $0.text == "ExecStart=" })
        else { return nil }
        return Self.unit(
          text.path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/"))
      })
    guard !replaced.isEmpty else { return }
    commands.removeAll { path, command in
      path.hasSuffix(".service") && command.isMain && replaced.contains(Self.unit(path + ".d"))
    }
  }

  /// The path of a unit's folder of drop-ins, the same for all folders in which systemd looks.
  private static func unit(_ folder: String) -> String {
    for place in ["/usr/lib/systemd/", "/lib/systemd/", "/etc/systemd/", "/run/systemd/"] {
      if let range = ("/" + folder).firstRange(of: place) {
        return ("/" + folder)[..<range.lowerBound] + "/systemd/" + ("/" + folder)[range.upperBound...]
      }
    }
    return "/" + folder
  }

  mutating func addCertbot(_ lineages: [CertbotRenewal]) {
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
        if case .unknown = setting.names, !lineages.isEmpty, !command.isByRequest { return nil }
        return setting
      }
    }
  }

  /// certbot's folder, in which `renewal/` is.
  private static func root(_ file: RenewalFile) -> String {
    let parts = file.folder.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
    return parts.isEmpty ? "" : parts.joined(separator: "/") + "/"
  }
}
