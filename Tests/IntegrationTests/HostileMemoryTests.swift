import Foundation
import TestSupport
import Testing

/// Memory stays bounded, whatever servers send.
struct HostileMemoryTests {
  /// 64 hosts at once, of which each sends as much as it is listened to, or keeps what was taken waiting.
  @Test(arguments: [
    [HostileServer.Behaviour.heldCertificates],
    [.oversizeCertificates, .endlessHandshake, .endlessEmptyRecords, .slowDrip],
  ])
  func hostileServersCostLittleMemory(_ behaviours: [HostileServer.Behaviour]) throws {
    let servers = try behaviours.map { try HostileServer($0) }
    let hostile = try Self.peakKilobytes(ports: servers.map(\.port), timeout: 3)
    let idle = try Self.peakKilobytes(ports: [try freePort()], timeout: 3)
    // Each may have sent 256 KiB, which libssl keeps in a buffer a third larger, besides the session's other buffers.
    let allowance = 64 * 512
    #expect(hostile < idle + allowance, "\(hostile) KiB; \(idle) KiB where nobody answers")
  }

  /// The most memory that probing 64 hosts took; host number n is at port n of those given, counted round.
  private static func peakKilobytes(ports: [UInt16], timeout: Int) throws -> Int {
    let directory = try TemporaryDirectory()
    var arguments = ["probe", "--jobs", "64", "--timeout", "\(timeout)", "--retries", "0", "-o", "/dev/null"]
    for number in 0..<64 {
      arguments += ["--host", "h\(number).test"]
      arguments += ["--connect-to", "h\(number).test:443:127.0.0.1:\(ports[number % ports.count])"]
    }
    let program = try BackgroundProgram(["env", "-C", directory.path, toolPath] + arguments)
    var peak = 0
    while program.isRunning {
      peak = max(peak, highWaterMark(of: program.pid) ?? 0)
      usleep(5_000)
    }
    try #require(peak > 0, "\(program.output)")
    return peak
  }

  /// `VmHWM` of a process, in KiB: the most that it ever had; nil once it is gone.
  private static func highWaterMark(of pid: Int32) -> Int? {
    guard let bytes = try? readFile("/proc/\(pid)/status") else { return nil }
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) }
  }
}
