import Diagnostics
import OpenSSLKit
import PinExchange
import PinFormat
import PinPolicy
import PinProbe

/// What a file is that pintle wrote, by its content.
enum FileSubject: CaseIterable {
  case manifest
  case keyset
  case evidence
  /// What is known of authorities: YAML, or that in a signed envelope.
  case authorities
  /// A private or public key of a signer.
  case key

  /// Where nothing says what it is, it is a manifest: the message about it says what is wrong.
  init(_ bytes: [UInt8]) {
    let end = String(decoding: bytes.suffix(1024), as: UTF8.self)
    let types = [(Manifest.mediaType, Self.manifest), (Keyset.mediaType, .keyset), (Evidence.mediaType, .evidence)]
    if let typed = types.first(where: { end.contains("\"type\":\"\($0.0)\"") }) {
      self = typed.1
    } else if SignedAuthorities.isEnvelope(bytes) || Self.isAuthorities(bytes) {
      self = .authorities
    } else {
      self = PEMBlock.looksLikePEM(bytes) ? .key : .manifest
    }
  }

  /// Reads a file that isn't too long for its kind; `-` is standard input.
  static func read(_ path: String) throws(CommandFailure) -> (bytes: [UInt8], subject: FileSubject) {
    let bytes = try Input.read(path, limit: .evidence)
    let subject = FileSubject(bytes)
    guard bytes.count <= subject.limit.bytes else {
      throw CommandFailure(
        .failed,
        "\(Input.name(path)) is \(subject.noun) of \(bytes.count) bytes; the limit is \(subject.limit.bytes)")
    }
    return (bytes, subject)
  }

  private var limit: Input.Limit {
    switch self {
    case .manifest: .manifest
    case .keyset: .keyset
    case .evidence: .evidence
    case .authorities: .policy
    case .key: .key
    }
  }

  /// Whether a line begins with a field that authorities files have, and policy files don't.
  private static func isAuthorities(_ bytes: [UInt8]) -> Bool {
    bytes.prefix(AuthorityFile.sizeLimit).split(separator: UInt8(ascii: "\n"))
      .contains { line in ["reviewed:", "authorities:", "services:"].contains { line.starts(with: $0.utf8) } }
  }

  /// With its article.
  var noun: String {
    switch self {
    case .manifest: "a manifest"
    case .keyset: "a keyset"
    case .evidence: "evidence of live servers"
    case .authorities: "an authorities file"
    case .key: "a key"
    }
  }

  /// Rejects options that are for files of other kinds.
  ///
  /// - Parameters:
  ///   - options: The options, as they are written, and whether they are given.
  ///   - others: The kinds that they are for.
  ///   - path: The file of this kind.
  /// - Throws: ``CommandFailure`` where one of them is given.
  func refuse(
    _ options: [(name: String, isGiven: Bool)], for others: [FileSubject], at path: String
  ) throws(CommandFailure) {
    guard !others.contains(self), let option = options.first(where: \.isGiven)?.name else { return }
    throw CommandFailure(
      .usage, "\(Input.name(path)) is \(noun), and \(option) is for \(others.map(\.noun).joined(separator: " or "))",
      help: "Remove \(option).")
  }
}
