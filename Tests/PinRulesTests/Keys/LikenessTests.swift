import Testing

@testable import PinRules

/// Key names against the names in certificates: real CAs under the names that people give them, and real slips.
@Suite struct LikenessTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var subject: String
    var alternativeNames: [String] = []
    var isCA = true
    var verdict: Likeness.Verdict = .alike

    var testDescription: String { "\(name) for \(subject)" }
  }

  static let isrg = "CN=ISRG Root X1,O=Internet Security Research Group,C=US"

  static let cases: [Case] = [
    Case(name: "isrg-root-x1", subject: isrg),
    Case(name: "isrg", subject: "CN=Root X1,O=Internet Security Research Group,C=US"),
    Case(name: "lets-encrypt-r10", subject: "CN=R10,O=Let's Encrypt,C=US"),
    Case(name: "letsencrypt", subject: "CN=E5,O=Let's Encrypt,C=US"),
    Case(name: "gts-root-r1", subject: "CN=GTS Root R1,O=Google Trust Services LLC,C=US"),
    Case(name: "google-root-r1", subject: "CN=GTS Root R1,O=Google Trust Services LLC,C=US"),
    Case(name: "globalsign_root_r3", subject: "CN=GlobalSign,O=GlobalSign,OU=GlobalSign Root CA - R3"),
    Case(name: "starfield.g2", subject: #"CN=Root - G2,O=Starfield Technologies\, Inc.,L=Scottsdale"#),
    Case(name: "usertrust-rsa", subject: "CN=USERTrust RSA Certification Authority,O=The USERTRUST Network"),
    // Words that every CA has, and plain numbers, don't identify one.
    Case(name: "backup-root-2026", subject: isrg),
    Case(name: "web", subject: isrg),
    // A name in another script can't be compared with an ASCII one.
    Case(name: "payments", subject: "CN=認証局,O=例え"),
    Case(name: "cafe", subject: #"CN=Caf\C3\A9 Root,O=Cafe"#),

    Case(name: "digicert-root", subject: isrg, verdict: .unlike),
    Case(name: "example-root", subject: "CN=Other Root CA,O=Other Trust Services", verdict: .unlike),
    Case(name: "isrg-root-x2", subject: isrg, verdict: .otherGeneration),
    Case(name: "digicert-g2", subject: "CN=DigiCert Global Root G3,O=DigiCert Inc", verdict: .otherGeneration),
    // The generation of a service has nothing to do with that of its CA.
    Case(name: "digicert-v2", subject: "CN=DigiCert Global Root G3,O=DigiCert Inc"),

    Case(name: "payments", subject: "CN=api.example.com", isCA: false, verdict: .unlike),
    Case(name: "payments", subject: "", alternativeNames: ["payments.example.com"], isCA: false),
    Case(name: "payments-k2", subject: "CN=payments.k1.example.com", isCA: false),
  ]

  @Test(arguments: cases)
  func judge(_ test: Case) {
    let likeness = Likeness(subject: test.subject, alternativeNames: test.alternativeNames)
    #expect(likeness.judge(test.name, isCA: test.isCA) == test.verdict)
  }
}
