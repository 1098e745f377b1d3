package import Diagnostics
/// What a command needs, where a file of another kind is easily given.
package enum NeededFile {
  case manifest
  case keyset
  case evidence
  case signingKey
  case publicKey
  case certificates
  case keyFile
  case policy
  /// Anything that `pintle show` shows.
  case shown

  /// With its article: `a manifest`.
  fileprivate var noun: String {
    switch self {
    case .manifest: "a manifest"
    case .keyset: "a keyset"
    case .evidence: "evidence of live servers"
    case .signingKey: "a private key that signs"
    case .publicKey: "a signer's public key"
    case .certificates: "a certificate"
    case .keyFile: "a certificate, a certificate request or a public key"
    case .policy: "a policy file"
    case .shown: "a file that pintle shows"
    }
  }

  /// Where one comes from.
  fileprivate var source: String {
    switch self {
    case .manifest: "Give the file that 'pintle build' or 'pintle sign' wrote."
    case .keyset: "Give a file that 'pintle keyset init' or 'pintle keyset next' wrote."
    case .evidence: "Give a file that 'pintle probe --record' or 'pintle evidence merge' wrote."
    case .signingKey: "Give the file that 'pintle key PATH' wrote as PATH."
    case .publicKey: "Give the file that 'pintle key PATH' wrote as PATH.pub."
    case .certificates: "Give certificates in PEM."
    case .keyFile: "Give one of these, in PEM or DER."
    case .policy: "A policy file is YAML, and its name ends in '.yaml' or '.yml'."
    case .shown: "Give a manifest, a keyset, a record, an authorities file or a signer's key."
    }
  }

  /// True if a file of this kind is what is needed, so that something else is wrong with it.
  fileprivate func isSatisfied(by kind: FileKind) -> Bool {
    switch (self, kind) {
    case (.manifest, .manifest), (.keyset, .keyset), (.evidence, .evidence), (.signingKey, .privateKey),
      (.publicKey, .publicKey), (.certificates, .certificate), (.policy, .policy),
      (.keyFile, .certificate), (.keyFile, .request), (.keyFile, .publicKey),
      (.shown, .manifest), (.shown, .keyset), (.shown, .evidence), (.shown, .privateKey), (.shown, .publicKey):
      true
    default: false
    }
  }
}

/// A file of another kind than is needed.
package enum WrongFile {
  /// What to say of it.
  ///
  /// - Parameters:
  ///   - path: The file, as the caller named it.
  ///   - bytes: What it holds.
  ///   - needed: What the command needs.
  ///   - kind: What kind of trouble it is.
  ///   - code: The code that the message ends with, where it has one.
  /// - Returns: The failure; nil if the file isn't evidently of another kind.
  package static func failure(
    _ path: String, _ bytes: [UInt8], needed: NeededFile, _ kind: WorkFailure.Kind = .failed, code: String? = nil
  ) -> WorkFailure? {
    guard let found = FileKind(bytes), !needed.isSatisfied(by: found) else { return nil }
    let suffix = code.map { " [\($0)]" } ?? ""
    let message =
      switch found {
      case .damagedPEM, .escapedPEM: "'\(path)' can't be read: it is \(found.noun)"
      case .certificateWithPrivateKey: "'\(path)' has a private key beside its certificates"
      default: "'\(path)' is \(found.noun), not \(needed.noun)"
      }
    return WorkFailure(kind, code: code, message + suffix, help: help(path, found, needed))
  }

  private static func help(_ path: String, _ kind: FileKind, _ needed: NeededFile) -> String {
    if let conversion = kind.conversion(of: path) { return conversion }
    let word = ShellWord.of(path)
    return switch (kind, needed) {
    case (.empty, _):
      "A download or a script that writes it may have failed. " + needed.source
    case (.compressed, _): "Decompress it first, for example with 'gunzip' or 'unzip'."
    case (.webPage, _): "If it was downloaded, open it to see what the server said. " + needed.source
    case (.policy, .manifest): "'pintle build' compiles a policy into a manifest: give the file that it wrote."
    case (.policy, _): "'pintle check' checks policies. " + needed.source
    case (.keyset, .manifest): "Pass the keyset with '--keyset'; 'pintle show \(word)' prints it. " + needed.source
    case (.keyset, _): "'pintle show \(word)' prints it. " + needed.source
    case (.manifest, .policy): "'pintle show \(word)' prints it. " + needed.source
    case (.manifest, _): "'pintle show \(word)' prints it. " + needed.source
    case (.evidence, _): "Pass it with '--evidence'; 'pintle show \(word)' prints it. " + needed.source
    case (.envelope, .manifest), (.envelope, .keyset):
      "'pintle import dsse \(word) -o FILE' turns it into \(needed.noun)."
    case (.privateKey, .publicKey):
      "Give its public key, which 'pintle key' wrote beside it as '\(path).pub'. The private key stays secret."
    case (.privateKey, .keyFile), (.privateKey, .certificates):
      "The private key stays secret. " + needed.source
    case (.publicKey, .signingKey): "A public key can't sign. " + needed.source
    case (.certificate, .publicKey), (.certificate, .signingKey):
      "Manifests are signed with keys of their own, not with a server's. " + needed.source
    default: needed.source
    }
  }
}
