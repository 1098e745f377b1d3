import Diagnostics
import OpenSSLKit
import PinPolicy

/// certbot's `renewal/NAME.conf` and `cli.ini`, in ConfigObj's form of INI.
///
/// certbot makes a new key at each renewal unless the lineage has `reuse_key = True`. `cli.ini` overrides the lineage, but
/// only if certbot reads that file, which depends on how it is started. A command overrides both (``CertbotCommand``).
struct CertbotRenewal {
  /// A value, as text, with the line that has it.
  private struct Setting {
    var value: String
    var range: Range<Int>
    var isRepeated = false
  }

  private let file: RenewalFile
  /// By section and name: `renewalparams/reuse_key`; outside of a section, the name alone.
  private var settings: [String: Setting] = [:]
  private var section: Range<Int>?

  /// Nil for a file that isn't one of a lineage.
  init?(_ file: RenewalFile) {
    self.init(reading: file)
    guard section != nil else { return nil }
  }

  private init(reading file: RenewalFile) {
    self.file = file
    var within = ""
    var quote: String?
    for (text, range) in file.lines {
      if let open = quote {
        // A value of several lines: none of those that are read here.
        if text.contains(open) { quote = nil }
        continue
      }
      guard let first = text.first, first != "#", first != ";" else { continue }
      if first == "[" {
        // A section in a section, such as `[[webroot_map]]`, keeps its brackets in the name.
        within = String(text.dropFirst().prefix { $0 != "]" }) + "/"
        if within == "renewalparams/" { section = range }
        continue
      }
      guard let sign = text.firstIndex(of: "=") else { continue }
      let name = within + Self.unquoted(text[..<sign])
      let value = text[text.index(after: sign)...].drop { $0 == " " || $0 == "\t" }
      if let triple = ["'''", "\"\"\""].first(where: { value.hasPrefix($0) }) {
        if !value.dropFirst(3).contains(triple) { quote = triple }
        continue
      }
      let isRepeated = settings[name] != nil
      settings[name] = Setting(value: Self.unquoted(value), range: range, isRepeated: isRepeated)
    }
  }

  /// The text within its quotation marks, or else up to a comment.
  private static func unquoted(_ text: Substring) -> String {
    if let mark = text.first, mark == "\"" || mark == "'" { return String(text.dropFirst().prefix { $0 != mark }) }
    let plain = text.prefix { $0 != "#" }
    return String(plain.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}

extension CertbotRenewal {
  /// What certbot's own defaults say about keys: a line of `cli.ini`, and what it is.
  struct Defaults {
    fileprivate var keepsKey: Bool
    var path: String
  }

  /// The defaults of a `cli.ini`; nil if it says nothing about keys.
  static func defaults(_ file: RenewalFile) -> Defaults? {
    let settings = CertbotRenewal(reading: file).settings
    func isSet(_ name: String) -> Bool? { settings[name].map { $0.value.lowercased() != "false" } }
    let reuse = isSet("reuse-key") ?? isSet("reuse_key")
    let fresh = [isSet("no-reuse-key"), isSet("no_reuse_key"), isSet("new-key"), isSet("new_key")].contains(true)
    guard reuse != nil || fresh else { return nil }
    return Defaults(keepsKey: reuse == true && !fresh, path: file.path)
  }

  /// What the lineage says.
  ///
  /// - Parameters:
  ///   - defaults: Those of the `cli.ini` of the same folder of certbot.
  ///   - commands: The commands that renew; of several, the worst counts.
  ///   - certificates: Finds the lineage's certificate.
  /// - Returns: The setting, at the line or command that decides or at the section where it would be.
  func setting(
    _ defaults: Defaults?, _ commands: [CertbotCommand], _ certificates: LineageCertificates
  ) -> RenewalSetting {
    let names = certificates.names(of: file, certificate: settings["cert"]?.value)
    let (answer, reason, place) = decision(defaults)
    let renewing = commands.filter { $0.renews(file.stem) }
    let worst = renewing.max { ($0.answer ?? answer) < ($1.answer ?? answer) }
    if let worst, let said = worst.answer, said > answer {
      return RenewalSetting(
        tool: .certbot, answer: said, names: names, at: worst.place, because: worst.reason, help: worst.help)
    }
    if let worst, worst.answer == .keeps, answer != .keeps, renewing.allSatisfy({ $0.answer == .keeps }) {
      return RenewalSetting(
        tool: .certbot, answer: .unknown, names: names, at: worst.place,
        because: "\(worst.reason), but \(reason): other commands, such as those of certbot's package, make a new key",
        help: "Write 'reuse_key = True' under [renewalparams] in '\(VisibleText.of(file.path))' too.")
    }
    let path = VisibleText.of(file.path)
    let help =
      switch answer {
      case .keeps: ""
      case .newKey: "Write 'reuse_key = True' under [renewalparams] in '\(path)' before the next renewal."
      case .unknown:
        "Write 'reuse_key = True' once under [renewalparams] in '\(path)', and remove what contradicts it from cli.ini."
      }
    return RenewalSetting(
      tool: .certbot, answer: answer, names: names, at: file.place(place), because: reason, help: help)
  }

  private func decision(_ defaults: Defaults?) -> (RenewalSetting.Answer, String, Range<Int>) {
    let line = settings["renewalparams/reuse_key"]
    let place = line?.range ?? section ?? 0..<0
    let keeps: Bool
    switch line?.value.lowercased() {
    case _ where line?.isRepeated == true: return (.unknown, "'reuse_key' is given twice", place)
    case nil: keeps = false
    case "true": keeps = true
    case "false": keeps = false
    default: return (.unknown, "'reuse_key' is neither True nor False", place)
    }
    if let defaults, defaults.keepsKey != keeps {
      return (.unknown, "'\(VisibleText.of(defaults.path))' contradicts it, if certbot reads that file", place)
    }
    if line == nil { return (.newKey, "'reuse_key' isn't set", place) }
    return keeps ? (.keeps, "'reuse_key' is True", place) : (.newKey, "'reuse_key' is False", place)
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
