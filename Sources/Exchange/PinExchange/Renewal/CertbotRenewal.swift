import Diagnostics
import OpenSSLKit
import PinPolicy

/// certbot's `renewal/NAME.conf`, in ConfigObj's form of INI.
///
/// certbot makes a new key at each renewal unless the lineage has `reuse_key = True`. `cli.ini` (``CertbotDefaults``)
/// and commands (``CertbotCommand``) override the lineage.
struct CertbotRenewal {
  /// A value, as text, with the line that has it.
  private struct Setting {
    var value: String
    var range: Range<Int>
    var isRepeated = false
  }

  let file: RenewalFile
  /// By section and name: `renewalparams/reuse_key`; outside of a section, the name alone.
  private var settings: [String: Setting] = [:]
  private var section: Range<Int>?
  /// A line that ConfigObj doesn't read either.
  private var unread: Range<Int>?

  /// Nil for a file that isn't one of a lineage.
  init?(_ file: RenewalFile) {
    self.file = file
    var within = ""
    var quote: (mark: String, range: Range<Int>)?
    for (text, range) in file.lines {
      if let open = quote {
        // A value of several lines: none of those that are read here.
        if text.contains(open.mark) { quote = nil }
        continue
      }
      guard let first = text.first, first != "#", first != ";" else { continue }
      if first == "[" {
        // A section in a section, such as `[[webroot_map]]`, keeps its brackets in the name.
        within = String(text.dropFirst().prefix { $0 != "]" }) + "/"
        if within == "renewalparams/" { section = range }
        continue
      }
      guard let sign = text.firstIndex(of: "=") else {
        unread = unread ?? range
        continue
      }
      let name = within + Self.unquoted(text[..<sign])
      var value = text[text.index(after: sign)...].drop { $0 == " " || $0 == "\t" }
      if let triple = ["'''", "\"\"\""].first(where: { value.hasPrefix($0) }) {
        value = value.dropFirst(3)
        if !value.contains(triple) { quote = (triple, range) }
      }
      let isRepeated = settings[name] != nil
      settings[name] = Setting(value: Self.unquoted(value), range: range, isRepeated: isRepeated)
    }
    unread = unread ?? quote?.range
    guard section != nil else { return nil }
  }

  /// The text within its quotation marks, or else up to a comment.
  private static func unquoted(_ text: Substring) -> String {
    if let mark = text.first, mark == "\"" || mark == "'" { return String(text.dropFirst().prefix { $0 != mark }) }
    let plain = text.prefix { $0 != "#" }
    return String(plain.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }

  /// Its hooks, in the order of their lines.
  var hooks: CertbotHooks {
    var hooks = CertbotHooks()
    let found = CertbotHooks.names.compactMap { name in settings["renewalparams/" + name].map { (name, $0) } }
    for (name, hook) in found.sorted(by: { $0.1.range.lowerBound < $1.1.range.lowerBound }) {
      hooks.add(name, hook.value, of: file, at: file.place(hook.range))
    }
    return hooks
  }

  /// The path of the certificate, as certbot wrote it.
  var certificate: String? { settings["cert"]?.value }

  /// What the lineage says, at the line that decides or at the section where it would be.
  var statement: RenewalStatement {
    let line = settings["renewalparams/reuse_key"]
    let path = VisibleText.of(file.path)
    var statement = RenewalStatement(way: .certbotLineage, place: file.place(unread ?? line?.range ?? section ?? 0..<0))
    (statement.answer, statement.reason) =
      switch line?.value.lowercased() {
      case _ where unread != nil: (.unknown, "a line isn't a setting, so certbot can't read the file")
      case _ where line?.isRepeated == true: (.unknown, "'reuse_key' is given twice")
      case nil: (.newKey, "'reuse_key' isn't set")
      case "true": (.keeps, "'reuse_key' is True")
      case "false": (.newKey, "'reuse_key' is False")
      default: (.unknown, "'reuse_key' is neither True nor False")
      }
    statement.help =
      statement.answer == .newKey
      ? "Write 'reuse_key = True' under [renewalparams] in '\(path)' before the next renewal. "
        + "If another program runs certbot, set it there: it may write this file again."
      : "Fix '\(path)': it needs 'reuse_key = True' once, under [renewalparams]."
    statement.choices = [
      ("preferred_chain", "preferred chain"), ("preferred_profile", "profile"), ("required_profile", "profile"),
    ].compactMap { name, words in
      settings["renewalparams/" + name].flatMap { setting in
        ["", "None"].contains(setting.value)
          ? nil : RenewalSetting.Choice(words, setting.isRepeated ? nil : setting.value, at: file.place(setting.range))
      }
    }
    return statement
  }
}

/// Where the certificates of certbot's lineages may be read: beside the renewal file, or below a path that was named.
struct LineageCertificates {
  /// The paths that the user named.
  let named: [String]
  static let limit = 1 << 20

  /// The names of a lineage's certificate.
  ///
  /// A copy of certbot's folder is read with its own certificates, whatever the paths in it say.
  func names(of file: RenewalFile, certificate path: String?) -> RenewalSetting.Names {
    let lineage = "live/\(file.stem)/cert.pem"
    if let root = try? ConfinedFolder(file.folder + "../") {
      if let bytes = try? root.read(lineage, limit: Self.limit) { return Self.names(in: bytes, lineage) }
      let archive = "archive/\(file.stem)/"
      if let newest = Self.newest(of: (try? root.names(in: archive)) ?? []),
        let bytes = try? root.read(archive + newest, limit: Self.limit)
      {
        return Self.names(in: bytes, archive + newest)
      }
    }
    for folder in named {
      let start = folder.hasSuffix("/") ? folder : folder + "/"
      guard let path, path.hasPrefix(start), let root = try? ConfinedFolder(start),
        let bytes = try? root.read(String(path.dropFirst(start.count)), limit: Self.limit)
      else { continue }
      return Self.names(in: bytes, path)
    }
    return .unknown(
      "the certificate isn't at '../\(VisibleText.of(lineage))', or can't be read",
      help: "Pass certbot's whole folder, such as /etc/letsencrypt, and run the command as a user who may read 'live' "
        + "and 'archive' in it.")
  }

  /// `cert12.pem`, where there are `cert2.pem` and `cert12.pem`.
  private static func newest(of names: [String]) -> String? {
    let numbers = names.compactMap { name -> Int? in
      guard name.hasPrefix("cert"), name.hasSuffix(".pem") else { return nil }
      return Int(name.dropFirst("cert".count).dropLast(".pem".count))
    }
    return numbers.max().map { "cert\($0).pem" }
  }

  static func names(in bytes: [UInt8], _ path: String) -> RenewalSetting.Names {
    guard let certificate = try? Certificate.read(bytes).first else {
      return .unknown("'\(VisibleText.of(path))' isn't a certificate", help: "Restore the certificate of this lineage.")
    }
    return .known(certificate.alternativeNames.texts)
  }
}
