import FuzzTargets
import Glibc

/// The target that the environment variable PINTLE_FUZZ names; libFuzzer's own arguments stay as they are.
private let target = Target.named(getenv("PINTLE_FUZZ").map { String(cString: $0) })

/// libFuzzer calls this for each input.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  target.run(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
