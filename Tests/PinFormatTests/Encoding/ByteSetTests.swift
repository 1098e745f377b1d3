import Testing

@testable import PinFormat

@Suite("Sets of characters and runs of bytes")
struct ByteSetTests {
  @Test("The sets hold what their documentation says")
  func members() {
    let letters = "abcdefghijklmnopqrstuvwxyz"
    let digits = "0123456789"
    let printable = String(decoding: (0x21...0x7E).map { UInt8($0) }, as: UTF8.self)
    for (set, characters) in [
      (ByteSet.lettersAndDigits, letters + digits), (.name, letters + digits + "._-"),
      (.keySetName, letters + digits + "._-:[]"), (.hexadecimal, digits + "abcdef"),
      (.uri, printable.filter { $0 != "\"" && $0 != "\\" }),
      (.base64, letters + letters.uppercased() + digits + "+/="),
    ] {
      for byte in UInt8.min...UInt8.max { #expect(set.contains(byte) == characters.utf8.contains(byte), "\(byte)") }
    }
  }

  @Test("Runs of bytes compare as their bytes do", arguments: 0...20)
  func runs(count: Int) {
    func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.span.equals(right.span) }
    func order(_ left: [UInt8], _ right: [UInt8]) -> Int { left.span.order(right.span).signum() }
    let run = (0..<count).map { UInt8($0) }
    #expect(equal(run, run))
    #expect(order(run, run) == 0)
    for index in run.indices {
      var greater = run
      greater[index] = 0x80
      #expect(!equal(run, greater))
      #expect(order(run, greater) == -1)
      #expect(order(greater, run) == 1)
      let shorter = Array(run[..<index])
      #expect(!equal(run, shorter))
      #expect(order(shorter, run) == -1)
      #expect(order(run, shorter) == 1)
    }
  }
}
