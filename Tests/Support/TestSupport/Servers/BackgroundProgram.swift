import Foundation
import Glibc
import Synchronization

/// A program that works in the background, such as a server, and is ended with its owner, or with this process.
package final class BackgroundProgram: Sendable {
  package let pid: Int32
  private let name: String
  private let log: TemporaryDirectory
  private let ending: Ending

  /// How a program is brought to its end.
  package enum Ending: Hashable, Sendable {
    /// Killed; it has no processes of its own.
    case alone
    /// Started in a process group, asked with a signal to clean up, then killed with all that it started.
    case group(asking: Int32)
  }

  /// Starts a program; the variables are added to those of this process.
  package init(_ command: [String], adding variables: [String: String] = [:], ending: Ending = .alone) throws {
    log = try TemporaryDirectory()
    name = command.first ?? ""
    let files = SpawnedFiles(stdout: log.path("log"))
    let pid = try spawn(command, adding: variables, files, ownGroup: ending != .alone)
    self.pid = pid
    self.ending = ending
    _ = registration
    running.withLock { $0[pid] = ending }
  }

  deinit {
    stop(pid, ending)
    running.withLock { _ = $0.removeValue(forKey: pid) }
  }

  /// Waits until it listens on a port; a program that ends or stays silent throws what it said.
  package func waitUntilListening(on port: UInt16, of address: String = "127.0.0.1") throws {
    try wait { accepts(address, port) }
  }

  /// Waits until something holds; a program that ends before, or takes too long, throws what it said.
  package func wait(until isReady: () -> Bool) throws {
    for _ in 0..<1_000 {
      if isReady() { return }
      guard isRunning else { break }
      usleep(10_000)
    }
    throw RunError.failed(command: name, status: -1, stderr: output)
  }

  /// Whether it is still at work.
  package var isRunning: Bool { waitpid(pid, nil, WNOHANG) == 0 }

  /// What it has written so far.
  package var output: String { String(decoding: (try? log.read("log")) ?? [], as: UTF8.self) }
}

/// True where something listens on the port of an IPv4 or IPv6 address.
package func accepts(_ address: String, _ port: UInt16) -> Bool {
  var hints = addrinfo()
  hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
  var list: UnsafeMutablePointer<addrinfo>?
  guard getaddrinfo(address, String(port), &hints, &list) == 0, let list else { return false }
  defer { freeaddrinfo(list) }
  let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  let descriptor = socket(list.pointee.ai_family, type, 0)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  return connect(descriptor, list.pointee.ai_addr, list.pointee.ai_addrlen) == 0
}

private let running = Mutex<[Int32: BackgroundProgram.Ending]>([:])

/// For what a `static let` keeps, whose `deinit` never runs.
private let registration: Void = {
  atexit {
    for (pid, ending) in running.withLock({ $0 }) { stop(pid, ending) }
  }
}()
