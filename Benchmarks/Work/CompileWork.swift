import Diagnostics
import Glibc
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinValidator

/// Compiles a policy directory, as `pintle build` does, and says what each phase took; or only checks it, as
/// `pintle check` does.
struct CompileWork {
  private let directory: String
  /// Who signs; nobody where the policy is only checked.
  private let signer: Signer?
  private let rest: Arguments

  /// The phases, in order; `rules` is all that a compiler without rules wouldn't do, `sign` begins with encoding.
  private enum Phase: String, CaseIterable {
    case read, resolve, rules, lower, sign
  }

  init(_ arguments: inout Arguments, signs: Bool) throws {
    directory = arguments.next()
    signer = signs ? try Signer(pem: arguments.file(atMost: 1 << 16)) : nil
    rest = arguments
  }

  func run() throws {
    var rest = rest
    let rounds = Rounds(&rest)
    var measured: [Phase: [Duration]] = [:]
    for _ in 0..<rounds.count {
      var sums: [Phase: Duration] = [:]
      for _ in 0..<rounds.times {
        for (phase, took) in try compile().phases { sums[phase, default: .zero] += took }
      }
      for (phase, sum) in sums { measured[phase, default: []].append(sum / rounds.times) }
    }
    for phase in Phase.allCases {
      if let took = measured[phase] { Rounds.report(phase.rawValue, took) }
    }
  }

  /// Compiles once, for those who go on with the manifest.
  func write() throws {
    var rest = rest
    try WholeFile.write(compile().manifest, to: rest.next())
  }

  private func compile() throws -> (phases: [(Phase, Duration)], manifest: [UInt8]) {
    var phases: [(Phase, Duration)] = []
    func time<Result>(_ phase: Phase, _ work: () throws -> Result) rethrows -> Result {
      let start = ProcessTime.now
      defer { phases.append((phase, ProcessTime.now - start)) }
      return try work()
    }
    let (files, parsed) = try time(.read) {
      let directory = try PolicyDirectory.load([directory])
      return (directory, PolicyReader.read(directory.sources, unread: directory.problems))
    }
    let policy = try time(.resolve) { try Resolver.resolve(parsed, files: files.files) }
    let instant = Instant(secondsSinceEpoch: 1_795_219_200)  // 2026-11-21, when these policies hold
    let outcome = time(.rules) {
      CheckedPolicy.check(CheckInput(policy: policy, at: instant), isRehearsed: signer == nil)
    }
    guard let checked = outcome.checked else { fail("the policy has errors") }
    guard let signer else { return (phases, []) }
    let manifest = try time(.lower) {
      try checked.lowered(
        as: Release(serial: 1, issued: instant, previous: nil, commit: nil, compiler: "measured-work"))
    }
    let signed = try time(.sign) { try SignedManifest.sign(manifest, with: [signer]) }
    return (phases, signed.bytes)
  }
}

/// What all threads of the process have computed so far: other programs don't slow it, and threads don't hide it.
private enum ProcessTime {
  static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
