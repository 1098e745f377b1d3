import OpenSSLKit
import PinFormat
import PinValidator

/// Why a key file is of no use.
enum KeyFileProblem: Error, Hashable {
  case unreadable(String)
  case bad(String)
  case privateKey

  func kind(path: String) -> PolicyProblem.Kind {
    switch self {
    case .unreadable(let reason): .unreadableKeyFile(path: path, reason: reason)
    case .bad(let reason): .badKeyFile(path: path, reason: reason)
    case .privateKey: .privateKeyFile(path: path)
    }
  }
}

/// Reads each key file once, and remembers what all of them hold.
struct KeyFileLoader {
  /// One file's facts, and the bytes of its certificates.
  struct Loaded {
    var materials: [KeyMaterial]
    var certificates: [Manifest.Certificate]
    /// The SHA-256 and SHA-1 fingerprints of the certificates, in their order.
    var fingerprints: [(known: [UInt8], material: Int)] = []
  }

  /// A key that a file holds.
  struct Known {
    var pin: Pin
    var path: String
  }

  private let files: FileReader
  private var loaded: [String: Result<Loaded, KeyFileProblem>] = [:]
  /// The bytes of every file that could be read, by its path in the policy directory.
  private(set) var contents: [String: [UInt8]] = [:]
  /// Every certificate that was read, by its SHA-256 and by its SHA-1 fingerprint.
  private(set) var fingerprints: [[UInt8]: Known] = [:]
  /// Every key that was read, by the digest that its pin is made of.
  private(set) var keys: [[UInt8]: Known] = [:]
  /// What is known of files from before, and then of those of this time.
  private(set) var memory: KeyFileMemory

  init(_ files: FileReader, remembering memory: KeyFileMemory = KeyFileMemory()) {
    self.files = files
    self.memory = memory
  }

  /// Loads a file.
  ///
  /// - Parameters:
  ///   - written: The path as the policy writes it.
  ///   - source: The display path of the policy file that writes it.
  /// - Returns: What the file holds, under the path as it was first written.
  /// - Throws: ``KeyFileProblem``, each time that a file of no use is asked for.
  mutating func load(_ written: String, from source: String) throws(KeyFileProblem) -> Loaded {
    guard let path = PolicyPath.resolve(written, in: files.relative(source)) else {
      throw .unreadable(FileReadError.outside.reason)
    }
    if let result = loaded[path] { return try result.get() }
    let stamp = files.stamp(path)
    let entry: KeyFileMemory.Entry
    if let known = memory[path], stamp != nil, known.stamp == stamp, known.written == written {
      entry = known
    } else {
      entry = read(path, as: written, stamp: stamp)
      memory[path] = entry
    }
    if !entry.bytes.isEmpty { contents[path] = entry.bytes }
    if case .success(let found) = entry.result { learn(found, path: written) }
    loaded[path] = entry.result
    return try entry.result.get()
  }

  private func read(_ path: String, as written: String, stamp: FileIdentity?) -> KeyFileMemory.Entry {
    var bytes: [UInt8] = []
    let result: Result<Loaded, KeyFileProblem>
    do throws(KeyFileProblem) {
      bytes = try self.bytes(at: path)
      result = .success(try facts(bytes, path: written))
    } catch {
      result = .failure(error)
    }
    return KeyFileMemory.Entry(stamp: stamp, written: written, bytes: bytes, result: result)
  }

  private func bytes(at path: String) throws(KeyFileProblem) -> [UInt8] {
    let bytes: [UInt8]
    do throws(FileReadError) { bytes = try files.read(path) } catch { throw .unreadable(error.reason) }
    guard bytes.count <= FileReader.sizeLimit else { throw .unreadable(FileReadError.tooLarge.reason) }
    guard !bytes.isEmpty else { throw .bad("it is empty") }
    return bytes
  }

  /// Remembers whose pins and fingerprints the file's are.
  private mutating func learn(_ loaded: Loaded, path: String) {
    for (fingerprint, material) in loaded.fingerprints {
      fingerprints[fingerprint] = Known(pin: loaded.materials[material].pin, path: path)
    }
    for material in loaded.materials { keys[material.pin.digest.bytes] = Known(pin: material.pin, path: path) }
  }

  private func facts(_ bytes: [UInt8], path: String) throws(KeyFileProblem) -> Loaded {
    let file: KeyFile
    do throws(CryptoError) { file = try KeyFile(bytes) } catch {
      guard error.code != .privateKey, error.code != .encryptedKey else { throw .privateKey }
      throw .bad(FileKind(bytes).flatMap { $0.unread(path) } ?? error.message)
    }
    switch file {
    case .request(let request):
      return Loaded(materials: [try KeyMaterial(path: path, request: request)], certificates: [])
    case .publicKey(let key, let algorithm):
      let material = try KeyMaterial(path: path, subjectPublicKeyInfo: key, algorithm: algorithm)
      return Loaded(materials: [material], certificates: [])
    case .certificates(let certificates, let trust):
      var result = Loaded(materials: [], certificates: [])
      for (certificate, trust) in zip(certificates, trust) {
        var material = try KeyMaterial(path: path, certificate: certificate)
        material.trustSettings = trust
        let fingerprint = SHA256Digest(certificate.fingerprint)
        result.fingerprints.append((fingerprint.bytes, result.materials.count))
        if let legacy = certificate.sha1Fingerprint { result.fingerprints.append((legacy, result.materials.count)) }
        result.materials.append(material)
        result.certificates.append(Manifest.Certificate(fingerprint: fingerprint, der: certificate.der))
      }
      return result
    }
  }
}

/// Key files that were read before, so that a policy that is resolved again and again reads only those that changed.
package struct KeyFileMemory: Sendable {
  struct Entry: Sendable {
    /// Nil where a change couldn't be told.
    var stamp: FileIdentity?
    /// The path as the policy wrote it, which is part of what is known of the file.
    var written: String
    /// Empty where the file could not be read.
    var bytes: [UInt8]
    var result: Result<KeyFileLoader.Loaded, KeyFileProblem>
  }

  private var entries: [String: Entry] = [:]

  package init() {}

  /// A file by its path in the policy directory.
  subscript(path: String) -> Entry? {
    get { entries[path] }
    set { entries[path] = newValue }
  }
}
