import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinRelease

/// A public key and a name for it: `alice=alice.key.pub`.
struct KeyArgument: ExpressibleByArgument {
  let name: String
  let path: String

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    name = String(parts[0])
    path = String(parts[1])
  }

  /// Reads the key.
  func key() throws(CommandFailure) -> Keyset.Key {
    Keyset.Key(name: name, subjectPublicKeyInfo: try SigningKeyFile.publicKeys([path])[0])
  }
}

/// A key's name, and the key that comes in its place: `ci=ci-2=ci-2.pub`.
struct RotatedKeyArgument: ExpressibleByArgument {
  let old: String
  let new: KeyArgument

  init?(argument: String) {
    guard let pair = KeyArgument(argument: argument), let new = KeyArgument(argument: pair.path) else { return nil }
    (old, self.new) = (pair.name, new)
  }
}

extension [KeyArgument] {
  /// Reads the keys.
  func keys() throws(CommandFailure) -> [Keyset.Key] {
    var keys: [Keyset.Key] = []
    for argument in self { keys.append(try argument.key()) }
    return keys
  }
}

/// When a keyset's next version expires: a time, or `same` for what the last version says.
enum ExpiryArgument: ExpressibleByArgument {
  case time(TimeArgument)
  case same

  init?(argument: String) {
    if argument == "same" {
      self = .same
    } else if let time = TimeArgument(argument: argument) {
      self = .time(time)
    } else {
      return nil
    }
  }

  /// Reads a value, for the `transform` of an option.
  static func read(_ text: String) throws -> ExpiryArgument {
    guard let value = ExpiryArgument(argument: text) else {
      throw ValidationError(TimeArgument.explanation(of: text) + " 'same' keeps the expiry of the last version.")
    }
    return value
  }

  /// nil for `same`.
  var instant: Instant? {
    if case .time(let time) = self { time.instant } else { nil }
  }
}
