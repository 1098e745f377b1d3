import PinExchange
import Testing

/// No importer looks at more bytes than such a file may have.
struct SizeLimitTests {
  /// The most of a file that each format reads, in MiB.
  static let limits: [String: Int] = [
    "trustkit-ios": 4, "trustkit-android": 4, "android": 4, "apple": 4, "chromium": 32,
  ]

  @Test func everyFormatHasALimit() {
    #expect(Set(ImportFormat.all.map(\.name)) == Set(Self.limits.keys))
  }

  @Test(arguments: limits) func oneByteMoreIsRefused(_ name: String, _ mebibytes: Int) throws {
    let format = try #require(ImportFormat.all.first { $0.name == name })
    let space = UInt8(ascii: " ")
    var files = [ExchangedFile(name: "large", bytes: [UInt8](repeating: space, count: mebibytes * 1_048_576 + 1))]
    while files.count < format.files.lowerBound { files.append(ExchangedFile(name: "other", bytes: [space])) }
    let error = #expect(throws: ExchangeError.self) {
      try format.read(files, ImportSettings(at: PinListScene.instant))
    }
    #expect(error?.code == .tooLarge)
  }
}
