import Diagnostics
package import OpenSSLKit
import PinFormat

/// Looks up the names of a parsed policy, reads the key files that it names, and fills in the defaults.
package struct Resolver {
  /// Resolves a parsed policy.
  ///
  /// What can't be resolved is left out, with a problem that says so; everything else is there for the rules to see.
  ///
  /// - Parameters:
  ///   - parsed: The policy as it was written.
  ///   - files: How to get at key files.
  ///   - audience: Of several audiences, the one whose manifest is meant; the first unless given.
  /// - Returns: The policy, with the problems of reading and of resolving.
  /// - Throws: ``CryptoError`` where libcrypto can't make a digest.
  package static func resolve(
    _ parsed: ParsedPolicy, files: FileReader, for audience: String? = nil
  ) throws(CryptoError) -> Policy {
    var memory = KeyFileMemory()
    return try resolve(parsed, files: files, for: audience, remembering: &memory)
  }

  /// Resolves a parsed policy, reading only those key files that have changed since the last time.
  package static func resolve(
    _ parsed: ParsedPolicy, files: FileReader, for audience: String? = nil, remembering memory: inout KeyFileMemory
  ) throws(CryptoError) -> Policy {
    try resolve(parsed, files: files, forEach: [audience], remembering: &memory)[0]
  }

  /// Resolves what is for one audience.
  static func resolve(
    selected parsed: ParsedPolicy, _ files: FileReader, _ memory: inout KeyFileMemory
  ) throws(CryptoError) -> Policy {
    var resolver = Resolver(parsed, loader: KeyFileLoader(files, remembering: memory))
    defer { memory = resolver.loader.memory }
    let keys = resolver.keys()
    let sets = resolver.keySets()
    resolver.resolveHosts(among: sets)
    resolver.explainFingerprints()
    let anchors = resolver.reservedAnchors()
    let settings = resolver.settings()
    var contents = resolver.loader.contents
    for file in parsed.sources.files { contents[files.relative(file.path)] = file.bytes }
    var policy = Policy(
      sources: parsed.sources, settings: settings, keys: resolver.withoutFingerprints(keys),
      keySets: resolver.sets, hosts: resolver.hosts,
      certificates: resolver.certificates.values.sorted { $0.fingerprint < $1.fingerprint },
      sourcesDigest: try SourcesDigest.compute(Array(contents.values)),
      suppressions: parsed.files.flatMap(\.suppressions),
      problems: resolver.problems.sorted { $0.place < $1.place })
    policy.keyCertificates = resolver.keyCertificates
    policy.isComplete = resolver.isComplete
    policy.files = parsed.files
    policy.reservedAnchors = anchors
    return policy
  }

  let parsed: ParsedPolicy
  /// False where a part of some file could not be read.
  let isWhollyRead: Bool
  var loader: KeyFileLoader
  var problems: [PolicyProblem]
  /// False once something is left out that others may be needed for.
  var isComplete: Bool
  /// The names of all keys, sorted.
  var keyNames: [String] = []
  /// The numbers of keys in the order in which they are met, and the indices in ``keyNames`` of these.
  var keyNumbers: [String: Int] = [:]
  var keyIndexes: [Int] = []
  var sets: [Policy.KeySet] = []
  var hosts: [Policy.HostEntry] = []
  /// Certificates that `trust` names, by fingerprint.
  var certificates: [SHA256Digest: Manifest.Certificate] = [:]
  /// Certificates that keys name.
  var keyCertificates: [SHA256Digest: [UInt8]] = [:]

  private init(_ parsed: ParsedPolicy, loader: KeyFileLoader) {
    self.parsed = parsed
    self.loader = loader
    problems = parsed.problems
    isWhollyRead = parsed.files.allSatisfy(\.isComplete)
    isComplete = isWhollyRead
  }

  /// The most problems that resolving adds: nobody reads more, and a hostile policy must not fill the memory with them.
  static let problemLimit = 10_000

  /// Adds a problem; behind the limit only that there are more.
  mutating func add(_ kind: PolicyProblem.Kind, at place: Place, related: Place? = nil) {
    let added = problems.count - parsed.problems.count
    guard added <= Self.problemLimit else { return }
    guard added < Self.problemLimit else {
      isComplete = false
      problems.append(PolicyProblem(.tooManyProblems(limit: Self.problemLimit), at: place))
      return
    }
    problems.append(PolicyProblem(kind, at: place, related: related))
  }

  /// Loads the file that a value names.
  mutating func load(_ path: Located<String>) -> KeyFileLoader.Loaded? {
    do {
      return try loader.load(path.value, from: parsed.sources[path.place.file].path)
    } catch {
      add(error.kind(path: path.value), at: path.place)
      return nil
    }
  }

  private mutating func reservedAnchors() -> [Policy.ReservedAnchor] {
    parsed.audiences.flatMap { audience in
      audience.anchors.flatMap { path in
        (load(path)?.materials ?? []).map { anchor in
          Policy.ReservedAnchor(audience: audience.name.value, pin: anchor.pin, place: path.place)
        }
      }
    }
  }

  private mutating func settings() -> Policy.Settings? {
    let stated = parsed.files.compactMap(\.settings)
    guard let first = stated.first else {
      // The settings may be in a file that could not be read.
      if isComplete, let file = parsed.files.first?.id { add(.missingSettings, at: .beginning(of: file)) }
      return nil
    }
    for other in stated.dropFirst() { add(.duplicateSettings, at: other.place, related: first.place) }
    return Policy.Settings(first)
  }
}

extension Policy.Settings {
  /// What is stated, and the defaults of what isn't.
  init(_ stated: ParsedSettings) {
    self.init(place: stated.place, audience: stated.audience)
    func take<Value>(_ stated: Located<Value>?, _ value: inout Value) {
      if let stated { value = stated.value }
    }
    take(stated.refreshAfter, &refreshAfter)
    take(stated.expiresAfter, &expiresAfter)
    take(stated.onStale, &onStale)
    take(stated.clientMaxAge, &clientMaxAge)
    clients = stated.clients
    signerKinds = stated.signerKinds
    if !stated.stores.isEmpty { stores = stated.stores.map(\.value) }
    take(stated.unpinnedHosts, &unpinnedHosts)
    take(stated.maximumLifetime, &maximumLifetime)
    take(stated.expiryWarning, &expiryWarning)
    take(stated.maximumHosts, &maximumHosts)
    take(stated.maximumBlastRadius, &maximumBlastRadius)
  }
}

extension [String: Int] {
  /// The number of a name, which gets one where it has none; the name is looked up once.
  mutating func number(of name: String, else next: Int) -> Int {
    func same(_ number: inout Int) -> Int { number }
    return same(&self[name, default: next])
  }
}

extension Array {
  /// Puts the elements in an order, which says for each place where its element is now; moves them, copies none.
  mutating func arrange(_ order: [Int]) {
    precondition(order.count == count, "an order says where each element is")
    var isDone = [Bool](repeating: false, count: count)
    for start in order.indices where !isDone[start] {
      var hole = start
      while order[hole] != start {
        isDone[hole] = true
        swapAt(hole, order[hole])
        hole = order[hole]
      }
      isDone[hole] = true
    }
  }
}

/// The digest that a manifest's provenance names its sources by (`docs/manifest-format.md`).
enum SourcesDigest {
  /// SHA-256 over the SHA-256 values of all files, in order of their bytes.
  ///
  /// Paths are left out: what a file is called, and so in which order files are found, never changes a manifest.
  ///
  /// - Parameter files: The content of each file.
  /// - Returns: The digest.
  /// - Throws: ``CryptoError`` where libcrypto has no memory for it.
  static func compute(_ files: [[UInt8]]) throws(CryptoError) -> SHA256Digest {
    var digests: [[UInt8]] = []
    for content in files { digests.append(SHA256Digest(try SHA256.digest(of: content)).bytes) }
    digests.sort { $0.lexicographicallyPrecedes($1) }
    return SHA256Digest(try SHA256.digest(of: Array(digests.joined())))
  }
}
