import Glibc
import PinFormat
import PinValidator

extension LoadedManifest {
  /// Loads the manifest that the next two arguments name, with the key that signed it.
  static func load(measured arguments: inout Arguments) throws -> LoadedManifest {
    let bytes = arguments.file()
    return try load(bytes, signers: TrustedSigners(measured: &arguments))
  }

  static func load(_ bytes: consuming [UInt8], signers: TrustedSigners) throws -> LoadedManifest {
    try load(bytes, signers: signers, requiredAudience: nil, maximumBytes: FormatLimits.fileBytes)
  }
}

extension TrustedSigners {
  init(measured arguments: inout Arguments) throws {
    try self.init(publicKeys: [arguments.file(atMost: 1 << 16)], threshold: 1)
  }
}

/// Loads of a manifest whose bytes are in memory, and nobody else's: verify, parse, index.
struct LoadWork {
  private var bytes: [UInt8]
  private let signers: TrustedSigners
  private let rounds: Rounds

  init(_ arguments: inout Arguments) throws {
    bytes = arguments.file()
    signers = try TrustedSigners(measured: &arguments)
    rounds = Rounds(&arguments)
  }

  mutating func run() throws {
    let signers = signers
    try rounds.measure("load") {
      let manifest = try LoadedManifest.load(
        in: &bytes, signers: signers, requiredAudience: nil, maximumBytes: FormatLimits.fileBytes)
      if manifest.entryCount == 0 { fail("nothing was loaded") }
    }
  }
}

/// What one loaded manifest keeps in this process alone, and what loading took at most.
struct MemoryWork {
  private var arguments: Arguments

  init(_ arguments: inout Arguments) throws {
    self.arguments = arguments
  }

  func run() throws {
    var arguments = arguments
    let before = ProcessMemory.now()
    let manifest = try LoadedManifest.load(measured: &arguments)
    let after = ProcessMemory.now()
    let kept = after.private - before.private
    print("hosts", manifest.entryCount, "entries")
    print("private", kept, "bytes")
    print("private-per-host", kept / manifest.entryCount, "bytes")
    print("peak", after.peak - before.private, "bytes")
  }
}

/// What the system says of this process's memory, in bytes.
struct ProcessMemory {
  /// Memory that no other process shares and no file backs.
  let `private`: Int
  /// The most that this has been at any time, as long as no page of the program's own file went away since; on a file
  /// system in memory, the program's pages are shared memory.
  let peak: Int

  static func now() -> ProcessMemory {
    guard let text = try? WholeFile.read("/proc/self/status", limit: 1 << 16) else { fail("no /proc/self/status") }
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    func bytes(_ name: String) -> Int {
      let line = lines.first { $0.hasPrefix(name + ":") }?.split { " \t".contains($0) }
      return (line?.dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
    return ProcessMemory(private: bytes("RssAnon"), peak: bytes("VmHWM") - bytes("RssFile") - bytes("RssShmem"))
  }
}
