import OpenSSLKit
import PinFormat
import PinPolicy

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

  init(_ files: FileReader) {
    self.files = files
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
    let result: Result<Loaded, KeyFileProblem>
    do throws(KeyFileProblem) { result = .success(try parse(try bytes(at: path), path: written)) } catch {
      result = .failure(error)
    }
    loaded[path] = result
    return try result.get()
  }

  private mutating func bytes(at path: String) throws(KeyFileProblem) -> [UInt8] {
    let bytes: [UInt8]
    do throws(FileReadError) { bytes = try files.read(path) } catch { throw .unreadable(error.reason) }
    guard bytes.count <= FileReader.sizeLimit else { throw .unreadable(FileReadError.tooLarge.reason) }
    guard !bytes.isEmpty else { throw .bad("it is empty") }
    contents[path] = bytes
    return bytes
  }

  private mutating func parse(_ bytes: [UInt8], path: String) throws(KeyFileProblem) -> Loaded {
    let loaded = try facts(bytes, path: path)
    for material in loaded.materials { keys[material.pin.digest.bytes] = Known(pin: material.pin, path: path) }
    return loaded
  }

  private mutating func facts(_ bytes: [UInt8], path: String) throws(KeyFileProblem) -> Loaded {
    let file: KeyFile
    do throws(CryptoError) { file = try KeyFile(bytes) } catch {
      throw error.code == .privateKey || error.code == .encryptedKey ? .privateKey : .bad(error.message)
    }
    switch file {
    case .request(let request):
      return Loaded(materials: [try KeyMaterial(path: path, request: request)], certificates: [])
    case .publicKey(let key, let algorithm):
      let material = try KeyMaterial(path: path, subjectPublicKeyInfo: key, algorithm: algorithm)
      return Loaded(materials: [material], certificates: [])
    case .certificates(let certificates):
      var result = Loaded(materials: [], certificates: [])
      for certificate in certificates {
        let material = try KeyMaterial(path: path, certificate: certificate)
        let fingerprint = SHA256Digest(certificate.fingerprint)
        let known = Known(pin: material.pin, path: path)
        fingerprints[fingerprint.bytes] = known
        if let legacy = certificate.sha1Fingerprint { fingerprints[legacy] = known }
        result.materials.append(material)
        result.certificates.append(Manifest.Certificate(fingerprint: fingerprint, der: certificate.der))
      }
      return result
    }
  }
}
