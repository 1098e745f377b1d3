import PinExchange
import PinFormat
import Testing

struct EnvoyExportTests {
  static let anchors: [ExportOption: String] = [.trustedCA: "/etc/ssl/certs/ca-certificates.crt"]

  @Test func aFileHasASecretForEachEntry() throws {
    var list = try PinListScene.small(.server)
    list.hosts[0].port = 8443
    list.hosts.append(try PinListScene.host("10.0.0.5"))
    try GoldenFile.expect(ExportFormat.envoy.files(of: list, Self.anchors)[0].bytes, "envoy/pins.yaml")
  }

  /// A matching key would be enough for Envoy then, even if an unknown CA signed the certificate.
  @Test func withoutAnchorsNothingIsWritten() throws {
    #expect(code { try ExportFormat.envoy.files(of: PinListScene.small(.server)) } == .missingField)
  }

  @Test(arguments: ["", "a\nb", "ä", "a\u{7F}"])
  func aPathThatCantBeWrittenIsRefused(path: String) throws {
    #expect(code { try ExportFormat.envoy.files(of: PinListScene.small(.server), [.trustedCA: path]) } == .invalidValue)
  }

  @Test func aPathIsQuoted() throws {
    let files = try ExportFormat.envoy.files(of: PinListScene.small(.server), [.trustedCA: #"/a "b": \c"#])
    #expect(String(decoding: files[0].bytes, as: UTF8.self).contains(#"filename: "/a \"b\": \\c""#))
  }
}
