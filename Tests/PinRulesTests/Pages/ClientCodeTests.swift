import Foundation
import PinRules
import Testing

/// The documentation explains each code that a client prints in brackets.
struct ClientCodeTests {
  @Test(
    "Every code of loading and updating is explained",
    arguments: ["Load/ManifestError.swift", "Load/KeysetError.swift", "Store/UpdateError.swift"])
  func everyCodeIsExplained(file: String) throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/Core/PinValidator")
    let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
    let codes = text.matches(of: #/Code\("([a-z-]+)"\)/#).map { String($0.output.1) }
    #expect(codes.count > 10)
    for code in codes {
      let page = try #require(ClientCode.named(code), "\(code)").page(documentation: nil)
      #expect(page.hasPrefix(code + ": "))
    }
  }

  @Test(
    "Every code in a client's log is explained",
    arguments: [
      ("Core/PinValidator/Evaluate/TrustFailure.swift", #"Code\("([a-z-]+)", rank"#, 21),
      ("Core/PinValidator/Decide/DecisionContext.swift", #"\s"([a-z-]+)","#, 15),
      ("Service/PinService/Service/ServiceStatus.swift", "`([a-z]+-[a-z-]+)`", 16),
    ])
  func everyLoggedCodeIsExplained(file: String, code: String, count: Int) throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
    let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
    let codes = Set(text.matches(of: try Regex(code, as: (Substring, Substring).self)).map { String($0.output.1) })
    #expect(codes.count == count)
    for code in codes { #expect(ClientCode.explained(code) != nil, "\(code)") }
  }

  @Test func namesAreUnique() {
    #expect(Set(ClientCode.all.map(\.name)).count == ClientCode.all.count)
  }
}
