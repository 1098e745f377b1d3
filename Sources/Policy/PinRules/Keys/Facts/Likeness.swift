/// Whether a key's name could have been made from a certificate's names.
///
/// Only a name with a word of its own can be unlike anything: `backup-2026` says nothing about any certificate.
struct Likeness {
  enum Verdict {
    case alike
    /// No word of the name is found.
    case unlike
    /// Alike, but the name says `x1` where the certificate says `X2`.
    case otherGeneration
  }

  /// The words of the subject's values and the alternative names, lower case.
  private let words: [String]
  /// The same without anything between them, so that `lets-encrypt` is found in `Let's Encrypt`.
  private let squeezed: String
  /// The first letters of the words, so that `isrg` is found in `Internet Security Research Group`.
  private let initials: String

  init(subject: String, alternativeNames: [String]) {
    let values = CertificateSubject(subject).attributes.map(\.value) + alternativeNames
    words = values.flatMap(Self.words)
    squeezed = words.joined()
    initials = String(words.compactMap(\.first))
  }

  func judge(_ name: String, isCA: Bool) -> Verdict {
    // Key names are ASCII, so a subject in another script can't be compared.
    guard words.contains(where: { $0.contains(where: \.isASCII) }) else { return .alike }
    let all = Self.words(name)
    let own = all.filter { !Self.generic.contains($0) && !$0.allSatisfy(\.isNumber) && $0.count > 1 }
    guard !own.isEmpty else { return .alike }
    guard own.contains(where: isFound) else { return .unlike }
    return isCA && all.contains(where: isOtherGeneration) ? .otherGeneration : .alike
  }

  private func isFound(_ word: String) -> Bool {
    if words.contains(word) || initials.contains(word) { return true }
    return word.count > 2 && squeezed.contains(word)
  }

  /// True for `x1` where the subject has no `x1` but an `x2`.
  private func isOtherGeneration(_ word: String) -> Bool {
    guard let letter = Self.generationLetter(word), !words.contains(word) else { return false }
    return words.contains { Self.generationLetter($0) == letter }
  }

  /// The letter of a word such as `r3`, `g2` or `x1`, as CAs count their keys.
  private static func generationLetter(_ word: String) -> Character? {
    guard let letter = word.first, letter.isLetter, (2...3).contains(word.count) else { return nil }
    return word.dropFirst().allSatisfy(\.isNumber) ? letter : nil
  }

  private static func words(_ text: String) -> [String] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
  }

  /// Words that tell what a key is for or how it was made, but not whose it is.
  private static let generic: Set<String> = [
    "active", "alt", "anchor", "authority", "backup", "bak", "ca", "cert", "certificate", "certification", "class",
    "client", "cold", "com", "cross", "csr", "current", "dev", "dr", "ec", "ecc", "ecdsa", "ed25519", "emergency",
    "expired", "external", "first", "future", "hsm", "hw", "intermediate", "internal", "issuer", "issuing", "key",
    "kms", "leaf", "legacy", "live", "main", "net", "new", "next", "offline", "old", "online", "org", "own", "p256",
    "p384", "pin", "pinned", "previous", "primary", "prod", "production", "public", "qa", "reserve", "root", "rsa",
    "rsa2048", "rsa4096", "second", "secondary", "self", "server", "service", "signed", "spare", "ssl", "stage",
    "staging", "standby", "sub", "subca", "test", "third", "tls", "trust", "uat", "web",
  ]
}
