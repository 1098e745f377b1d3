import Glibc
import PinFormat
import PinValidator

/// What the tests of the store run in a process of its own, to be killed, starved, or watched by a sanitizer.
///
///     store-tool update DIRECTORY RELEASE-KEY INSTANT MANIFEST...   opens a store and takes the manifests in turn
///     store-tool update DIRECTORY KEYSET INSTANT FILE...            the same for a store that begins with a keyset
///     store-tool allocations FIXTURES                               counts what a decision allocates
///     store-tool race FIXTURES SWAPS                                16 threads decide while manifests are swapped
///     store-tool fork FIXTURES CHILDREN                             children use the store of a parent with threads
///     store-tool exit FIXTURES                                      exits while threads decide and update
///
/// A file whose name ends in `.keyset.json` is a keyset. `update` obeys some variables: STORE_FILE_LIMIT, the most bytes
/// that any file may get (RLIMIT_FSIZE); STORE_USER, the number of the user to go on as; STORE_EMBEDDED, an embedded
/// manifest; STORE_NOT_PINNED, what holds without a manifest; STORE_ASK, a host to decide on with no certificates;
/// STORE_UNNAMED, to take manifests from files without a name in the folder, as a service does with what it fetches.
@main
enum StoreTool {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count > 2 else { fail("wrong usage") }
    let rest = Array(arguments.dropFirst(2))
    do {
      switch arguments[1] {
      case "update": try UpdateRun(rest).run()
      case "allocations": try AllocationRun(fixtures: rest[0]).run()
      case "race": try RaceRun(fixtures: rest[0], swaps: rest.count > 1 ? Int(rest[1]) ?? 0 : 0).run()
      case "fork": try ForkRun(fixtures: rest[0]).run(children: rest.count > 1 ? Int(rest[1]) ?? 0 : 0)
      case "exit": try ForkRun(fixtures: rest[0]).exitMeanwhile()
      default: fail("wrong usage")
      }
    } catch {
      fail("\(error)")
    }
  }
}

func fail(_ message: String) -> Never {
  say(message)
  exit(1)
}

func say(_ message: String) {
  let line = "store-tool: " + message + "\n"
  _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
}

/// Reads a file that must be there.
func contents(_ path: String) -> [UInt8] {
  do {
    return try WholeFile.read(path, limit: 16 << 20)
  } catch {
    fail(error.message)
  }
}
