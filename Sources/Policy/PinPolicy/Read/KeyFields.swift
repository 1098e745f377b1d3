import Diagnostics
import PinFormat

/// The fields of a key while they are read.
struct KeyDraft {
  private var source: ParsedKey.Source?
  /// The other fields of the key.
  private var notes = KeyNotes() {
    didSet { hasNotes = true }
  }
  private var hasNotes = false

  init() {}

  /// The key that the fields describe.
  func key(named name: Located<String>) -> ParsedKey {
    ParsedKey(name: name, source: source, notes: hasNotes ? notes : nil)
  }

  static let fields = Fields<KeyDraft>(
    of: "key", oneOf: ["file", "pin"],
    [
      "file": { $0.source = $1.scalar(.path).map { .file($0) } ?? $0.source },
      "pin": { $0.source = $1.pin().map { .pin($0) } ?? $0.source },
      "algorithm": { $0.notes.algorithm = $1.scalar(.word()) },
      "position": { $0.notes.position = $1.scalar(.word()) },
      "denied": { $0.notes.denied = $1.scalar(.denial) },
      "custody": { $0.notes.custody = $1.scalar(.text) },
      "created": { $0.notes.created = $1.scalar(.instant) },
      "status": { $0.notes.status = $1.scalar(.word()) },
      "steps": { $1.mapping(KeySteps.fields, into: &$0.notes.steps) },
      "reason": { $0.notes.reason = $1.scalar(.text) },
    ])
}

extension KeySteps {
  static let fields = Fields<KeySteps>(
    of: "steps",
    [
      "published": { $0.published = $1.scalar(.instant) },
      "active": { $0.active = $1.scalar(.instant) },
      "retiring": { $0.retiring = $1.scalar(.instant) },
      "retired": { $0.retired = $1.scalar(.instant) },
    ])
}

extension ParsedKeySet {
  static let fields = Fields<ParsedKeySet>(
    of: "key set",
    [
      "active": { $0.active = $1.list(of: .name, atMost: FormatLimits.keysOfASet) ?? [] },
      "backup": { $0.backup = $1.list(of: .name, atMost: FormatLimits.keysOfASet) ?? [] },
      "service": { $0.service = $1.scalar(.name) },
      "audiences": { $0.audiences = $1.list(of: .name, atLeastOne: true) ?? [] },
      "reason": { $0.reason = $1.scalar(.text) },
    ])
}

extension DocumentReader {
  /// Reads `sha256/` and 32 bytes of Base64, and tells apart what else people put there.
  mutating func pin() -> Located<Pin>? {
    guard isTextNext(expected: "a pin (sha256/ and 44 characters of Base64)") else { return nil }
    if let pin = upcoming({ Pin($0) }) { return Located(pin, at: take().place) }
    let (scalar, place) = written()
    let text = scalar.text
    do {
      return Located(try Pin(text), at: place)
    } catch {
      if FingerprintText.bytes(text) != nil {
        add(.certificateFingerprint(text: text, pin: nil, file: nil), at: place)
        return nil
      }
      let reason =
        switch error {
        case .notSHA256: "it doesn't begin with 'sha256/'"
        case .notBase64: "what follows 'sha256/' isn't Base64 with padding"
        case .wrongLength(let count): "it has \(count) bytes where SHA-256 has 32"
        }
      add(.badPin(text: text, reason: reason), at: place)
      return nil
    }
  }
}
