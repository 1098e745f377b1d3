import Foundation
import Glibc
import Synchronization

/// A program that works in the background, such as a server, and is ended with its owner, or with this process.
package final class BackgroundProgram: Sendable {
  package let pid: Int32
  private let name: String
  private let log: TemporaryDirectory

  /// Starts a program; the variables are added to those of this process.
  package init(_ command: [String], adding variables: [String: String] = [:]) throws {
    log = try TemporaryDirectory()
    name = command.first ?? ""
    let pid = try spawn(command, adding: variables, log: log.path("log"))
    self.pid = pid
    _ = registration
    running.withLock { _ = $0.insert(pid) }
  }

  deinit {
    stop(pid)
    running.withLock { _ = $0.remove(pid) }
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

/// True where something listens on the port of an IPv4 address.
package func accepts(_ host: String, _ port: UInt16) -> Bool {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return false }
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}

private let running = Mutex<Set<Int32>>([])

/// For what a `static let` keeps, whose `deinit` never runs.
private let registration: Void = {
  atexit {
    for pid in running.withLock({ $0 }) { stop(pid) }
  }
}()
