import PinFormat
import PinValidator
import TestSupport
import Testing

/// A dated exception excuses one named failure of one certificate, and nothing else.
@Suite struct ExceptionTests {
  /// A failure that a policy can excuse, and a leaf that has it.
  struct Excusable: CustomTestStringConvertible, Sendable {
    var failure: ExcusableFailure
    var host = "example.com"
    var change: @Sendable (inout CertificateProfile) -> Void = { _ in }

    var testDescription: String { failure.rawValue }
  }

  private static let excusable = [
    Excusable(failure: .expired) { $0.notAfter = "2026-01-01" },
    Excusable(failure: .notYetValid) { $0.notBefore = "2026-12-01" },
    Excusable(failure: .nameMismatch, host: "example.org"),
    Excusable(failure: .wrongUsage) { $0.extendedKeyUsage = "clientAuth" },
    Excusable(failure: .weakKey) { $0.key = .rsa(bits: 1_024) },
    Excusable(failure: .weakSignature) { $0.digest = "sha1" },
  ]

  @Test(arguments: excusable)
  func excusesOneFailureOfOneCertificate(_ row: Excusable) throws {
    let make = try Maker()
    let leaf = try make.leaf("excusable \(row.failure.rawValue)", row.change)
    let failure = row.failure.rawValue + "@0"
    let chain = [leaf, try make.intermediate, try make.root]
    #expect(try ask(leaf, row, []) == .refused([failure]))
    let exception = try exception(row.failure, for: leaf)
    #expect(try ask(leaf, row, [exception]) == .chain(chain, excused: [failure]))
    // Until its end, exclusive.
    #expect(try ask(leaf, row, [exception], at: "2026-06-30T23:59:59Z") == .chain(chain, excused: [failure]))
    #expect(try ask(leaf, row, [exception], at: "2026-07-01") == .refused([failure]))
    // An exception for another certificate.
    #expect(try ask(leaf, row, [self.exception(row.failure, for: try make.intermediate)]) == .refused([failure]))
    // Exceptions for all other failures.
    let others = try ExcusableFailure.allCases.filter { $0 != row.failure }.map { try self.exception($0, for: leaf) }
    #expect(try ask(leaf, row, others) == .refused([failure]))
  }

  @Test func anyOtherFailureStillBlocks() throws {
    let make = try Maker()
    let leaf = try make.leaf("expired and wrong") {
      $0.notAfter = "2026-01-01"
      $0.extendedKeyUsage = "clientAuth"
    }
    let exception = try exception(.expired, for: leaf)
    let row = Excusable(failure: .expired, host: "example.org")
    #expect(try ask(leaf, row, [exception]) == .refused(["wrong-usage@0", "name-mismatch@0"]))
  }

  @Test func noExceptionExcusesAnUnknownIssuer() throws {
    let make = try Maker()
    var question = Question([try make.leaf, try make.intermediate], anchors: [try make.otherRoot])
    question.trust = Manifest.Trust(
      exceptions: try ExcusableFailure.allCases.flatMap { failure in
        [try exception(failure, for: make.leaf), try exception(failure, for: make.intermediate)]
      })
    #expect(try question.ask() == .refused(["unknown-issuer@1"]))
  }

  @Test func excusesAnIntermediate() throws {
    let make = try Maker()
    let authority = try make.authority("Expired") { $0.notAfter = "2026-01-01" }
    let leaf = try make.leaf("below expired", by: authority)
    var question = Question([leaf, authority], anchors: [try make.root])
    question.trust = Manifest.Trust(exceptions: [try exception(.expired, for: authority)])
    #expect(try question.ask() == .chain([leaf, authority, try make.root], excused: ["expired@1"]))
  }

  @Test func excusesAnIdentityToken() throws {
    let make = try Maker()
    let device = try make.selfSigned("old device", .leaf("device").with { $0.notAfter = "2026-06-01" })
    var question = Question([device], anchors: [])
    question.trust = Manifest.Trust(
      certificate: try device.fingerprint, exceptions: [try exception(.expired, for: device)])
    question.carried = [device]
    #expect(try question.ask() == .chain([device], excused: ["expired@0"]))
  }

  private func exception(
    _ failure: ExcusableFailure, for certificate: TestCertificate
  ) throws -> Manifest.Exception {
    Manifest.Exception(
      failure: failure, certificate: try certificate.fingerprint, until: try instant("2026-07-01"), reason: "a test")
  }

  private func ask(
    _ leaf: TestCertificate, _ row: Excusable, _ exceptions: [Manifest.Exception], at: String = "2026-06-01"
  ) throws -> Outcome {
    let make = try Maker()
    var question = Question([leaf, try make.intermediate], anchors: [try make.root])
    question.peer = .server(row.host)
    question.at = at
    question.trust = Manifest.Trust(exceptions: exceptions)
    return try question.ask()
  }
}
