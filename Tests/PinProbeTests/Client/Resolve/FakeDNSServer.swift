import Foundation
import Glibc
import Synchronization
import TestSupport

@testable import PinProbe

/// A DNS server on loopback, UDP only, that gives the configured answers, or none.
final class FakeDNSServer: Sendable {
  let port: UInt16
  private let descriptor: Int32
  private let state: State

  private final class State: Sendable {
    let isEnded = Atomic(false)
    let asked = Mutex<[[UInt8]]>([])
  }

  /// Starts a server that answers each question with what the closure makes of it.
  init(answer: @escaping @Sendable ([UInt8]) -> [UInt8]?) throws {
    let (descriptor, port) = try Loopback.bind(SOCK_DGRAM)
    var wait = timeval(tv_sec: 0, tv_usec: 50_000)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    let state = State()
    self.descriptor = descriptor
    self.state = state
    self.port = port
    Thread.detachNewThread {
      defer { close(descriptor) }
      while !state.isEnded.load(ordering: .relaxed) { Self.serve(descriptor, state, answer) }
    }
  }

  deinit {
    state.isEnded.store(true, ordering: .relaxed)
  }

  /// How many questions came, repeated ones among them.
  var questions: Int { state.asked.withLock { $0.count } }

  /// The names that were asked for, as written in the questions.
  var names: Set<[UInt8]> {
    Set(state.asked.withLock { $0 }.map { Array($0.dropFirst(12).prefix { $0 != 0 }) })
  }

  /// An answer that repeats the question and holds nothing but a response code.
  static func answer(to question: [UInt8], code: UInt8) -> [UInt8] {
    var answer = question
    answer[2] |= 0x80
    answer[3] = 0x80 | code
    return answer
  }

  /// An answer of 127.0.0.4 to a question for A; nil for any other.
  static func answerForA(to question: [UInt8]) -> [UInt8]? {
    // The question ends with the type and the class.
    guard question.count > 4, question[question.count - 3] == 1 else { return nil }
    var answer = answer(to: question, code: 0)
    answer[7] = 1
    return answer + [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 4]
  }

  private static func serve(_ descriptor: Int32, _ state: State, _ answer: ([UInt8]) -> [UInt8]?) {
    var buffer = [UInt8](repeating: 0, count: 512)
    var peer = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    withUnsafeMutablePointer(to: &peer) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        let count = recvfrom(descriptor, &buffer, buffer.count, 0, generic, &length)
        guard count > 12 else { return }
        let question = Array(buffer.prefix(count))
        state.asked.withLock { $0.append(question) }
        guard let bytes = answer(question) else { return }
        sendto(descriptor, bytes, bytes.count, SocketNumber.noSignal, generic, length)
      }
    }
  }
}
