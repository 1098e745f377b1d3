#if NIOSSL
import Glibc
import PinFormat
import PinValidator
import Synchronization

/// Counts up, from any thread.
final class Ticks: Sendable {
  private let count = Atomic<Int64>(0)

  func next() -> Int64 { count.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// The processor time of this process so far, in seconds.
func processorTime() -> Double {
  var usage = rusage()
  getrusage(RUSAGE_SELF.rawValue, &usage)
  func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
  return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// The words of the command line, in turn.
struct Arguments {
  private var rest = CommandLine.arguments.dropFirst()

  mutating func next() -> String {
    guard let word = rest.popFirst() else { fail("an argument is missing; see Benchmarks/handshakes") }
    return word
  }

  mutating func number() -> Int {
    let word = next()
    guard let number = Int(word), number > 0 else { fail("'\(word)' is not a number above 0") }
    return number
  }

  mutating func file() -> [UInt8] {
    do {
      return try WholeFile.read(next(), limit: 1 << 20)
    } catch {
      fail(error.message)
    }
  }
}
#endif

#if !NIOSSL
import Glibc
#endif

func fail(_ message: String) -> Never {
  let line = "measured-handshakes: " + message + "\n"
  _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  exit(1)
}
