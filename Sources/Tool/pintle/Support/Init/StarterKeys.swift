import Diagnostics
import OpenSSLKit
import PinFormat
import PinRules

/// Keys for a first policy, out of files and pins.
enum StarterKeys {
  /// What was given, read.
  struct Found {
    var active: [StarterAnswers.Key]
    var backup: [StarterAnswers.Key]
    var privateCA: StarterAnswers.Key?
  }

  /// Reads what was given for active and backup keys and for the root of an authority; no two get one name, unless the
  /// root is one of the keys.
  static func read(active: [String], backup: [String], privateCA: String? = nil) throws(CommandFailure) -> Found {
    var used: Set<String> = []
    var keys: [[StarterAnswers.Key]] = []
    for (sources, word) in [(active, "active"), (backup, "backup"), ([privateCA].compactMap(\.self), "root")] {
      var found: [StarterAnswers.Key] = []
      for source in sources {
        var key = try word == "root" ? root(source) : key(source, called: word)
        if word == "root", let same = keys[0].first(where: { $0.file?.bytes == key.file?.bytes }) {
          found.append(same)
          continue
        }
        let name = key.name
        var number = 1
        while !used.insert(key.name).inserted {
          number += 1
          key.name = "\(name)-\(number)"
        }
        if let file = key.file {
          key.file?.path = "keys/" + key.name + fileEnding(file.path)
          if case .certificates(let certificates, _)? = try? KeyFile(file.bytes) {
            key.isRoot = certificates.contains { $0.isCA && $0.isSelfIssued }
          }
        }
        found.append(key)
      }
      keys.append(found)
    }
    let pins = Set(keys[0].map(\.pin))
    if let both = zip(backup, keys[1]).first(where: { pins.contains($0.1.pin) }) {
      throw CommandFailure(
        .failed, "the backup '\(both.0)' is an active key, too",
        help: "Give as backup a key that no server presents: it is what you change to when the others are lost.")
    }
    return Found(active: keys[0], backup: keys[1], privateCA: keys[2].first)
  }

  /// The certificate of an authority.
  private static func root(_ path: String) throws(CommandFailure) -> StarterAnswers.Key {
    let found = try key(path, called: "root")
    if let file = found.file, case .certificates(let certificates, _)? = try? KeyFile(file.bytes),
      certificates.contains(where: \.isCA)
    {
      return found
    }
    throw CommandFailure(
      .failed, "'\(path)' is not the certificate of an authority",
      help: "Give the file with the root certificate that the hosts' chains end in.")
  }

  private static func key(_ source: String, called word: String) throws(CommandFailure) -> StarterAnswers.Key {
    if source.hasPrefix("sha256/") {
      guard (try? Pin(source)) != nil else {
        throw CommandFailure(
          .usage, "'\(source)' is not a pin", help: "A pin is sha256/ and the 44 characters of Base64 for 32 bytes.")
      }
      return StarterAnswers.Key(name: word, file: nil, pin: source)
    }
    let found = try PinCommand.keys(inFile: source)
    guard found.count == 1 else {
      throw CommandFailure(
        .failed, "'\(source)' holds \(found.count) certificates", help: "Give a file with the one whose key it is.")
    }
    let bytes = try Input.read(source, limit: .key)
    // A certificate names its owner; a request often has the same name as the present certificate.
    let isCertificate = [.root, .intermediate, .leaf].contains(found[0].kind)
    let name = isCertificate ? found[0].name : PolicyLines.name(fromPath: source)
    return StarterAnswers.Key(
      name: name, file: .init(path: source, bytes: bytes), pin: found[0].pin.description)
  }

  /// `.pem`, `.csr`: what is behind the last dot, where it is short and plain.
  private static func fileEnding(_ path: String) -> String {
    let file = path.split(separator: "/").last ?? ""
    guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return ".pem" }
    let ending = file[dot...]
    return ending.wholeMatch(of: /\.[a-z0-9]{1,8}/) == nil ? ".pem" : String(ending)
  }
}
