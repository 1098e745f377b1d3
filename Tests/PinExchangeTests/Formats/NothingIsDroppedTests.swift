import Diagnostics
import PinExchange
import PinPolicy
import Testing

/// Whatever a file of another tool has, the import says what becomes of it: a piece that it doesn't use is listed.
struct NothingIsDroppedTests {
  private static let pin = "C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M="

  /// A file of each format with a place for one more piece, and such pieces with the name or text that is listed.
  private struct Source {
    var format: ImportFormat
    var text: String
    /// Where there is a `%` and a number, the pieces for it, and what the report lists.
    var pieces: [(place: String, text: String, kind: ImportFinding.Kind, names: String)]
  }

  private static let android = Source(
    format: .android,
    text: """
      <network-security-config%0>%1<base-config%2>%3</base-config><domain-config%4><domain%5>a.example.com</domain>
      <pin-set%6><pin digest="SHA-256"%7>\(pin)</pin>%8</pin-set>%9</domain-config></network-security-config>
      """,
    pieces: [
      ("%1", "<other/>", .unknownField, "other"), ("%1", "<trust-anchors/>", .unknownField, "trust-anchors"),
      ("%2", " cleartextTrafficPermitted=\"false\"", .otherSetting, "cleartextTrafficPermitted"),
      ("%2", " other=\"a\"", .unknownField, "other"),
      ("%3", "<certificateTransparency enabled=\"true\"/>", .otherSetting, "certificateTransparency"),
      ("%3", "<other/>", .unknownField, "other"),
      ("%4", " hstsEnforced=\"true\"", .otherSetting, "hstsEnforced"),
      ("%4", " cleartextTrafficPermitted=\"true\"", .otherSetting, "cleartextTrafficPermitted"),
      ("%5", " other=\"a\"", .unknownField, "other"), ("%6", " other=\"a\"", .unknownField, "other"),
      ("%7", " other=\"a\"", .unknownField, "other"), ("%8", "<other/>", .unknownField, "other"),
      ("%9", "<domainEncryption mode=\"enabled\"/>", .otherSetting, "domainEncryption"),
      ("%9", "<pin-set/>", .unreadablePart, "'pin-set' twice"),
      ("%9", "<certificateTransparency/>", .otherSetting, "certificateTransparency"),
      ("%9", "<trust-anchors><certificates src=\"@raw/ca\"/></trust-anchors>", .anchorsElsewhere, "@raw/ca"),
    ])

  private static let apple = Source(
    format: .apple,
    text: """
      <plist><dict>%4<key>NSAppTransportSecurity</key><dict>%0<key>NSPinnedDomains</key><dict><key>a.example.com</key>
      <dict>%1<key>NSPinnedCAIdentities</key><array><dict>%2<key>SPKI-SHA256-BASE64</key><string>\(pin)</string></dict>%3
      </array></dict></dict></dict></dict></plist>
      """,
    pieces: [
      ("%0", "<key>NSAllowsArbitraryLoads</key><true/>", .otherSetting, "NSAllowsArbitraryLoads"),
      ("%0", "<key>NSExceptionDomains</key><dict/>", .otherSetting, "NSExceptionDomains"),
      (
        "%0",
        "<key>NSExceptionDomains</key><dict><key>a</key><dict><key>NSExceptionMinimumTLSVersion</key><string/></dict></dict>",
        .otherSetting, "NSExceptionMinimumTLSVersion"
      ),
      ("%4", "<key>TSKConfiguration</key><dict/>", .otherSetting, "TSKConfiguration"),
      ("%0", "<key>NSNew</key><true/>", .otherSetting, "NSNew"),
      ("%1", "<key>NSOther</key><true/>", .unknownField, "NSOther"),
      ("%2", "<key>SPKI-SHA512-BASE64</key><string>a</string>", .unknownField, "SPKI-SHA512-BASE64"),
      ("%3", "<integer>1</integer>", .unreadablePart, "an identity of 'a.example.com'"),
    ])

  private static let trustKit = Source(
    format: .trustKitIOS,
    text: """
      <plist><dict>%4<key>TSKConfiguration</key><dict>%0<key>TSKPinnedDomains</key><dict><key>a.example.com</key><dict>%1
      <key>TSKPublicKeyHashes</key><array><string>\(pin)</string>%2</array></dict>%3</dict></dict></dict></plist>
      """,
    pieces: [
      ("%0", "<key>TSKSwizzleNetworkDelegates</key><true/>", .otherSetting, "TSKSwizzleNetworkDelegates"),
      ("%0", "<key>TSKOther</key><true/>", .unknownField, "TSKOther"),
      ("%1", "<key>TSKDisableDefaultReportUri</key><true/>", .otherSetting, "TSKDisableDefaultReportUri"),
      ("%1", "<key>kTSKPublicKeyAlgorithms</key><array/>", .otherSetting, "TSKPublicKeyAlgorithms"),
      ("%1", "<key>TSKOther</key><true/>", .unknownField, "TSKOther"),
      ("%1", "<key>Other</key><true/>", .unknownField, "Other"),
      ("%1", "<key>TSKAdditionalTrustAnchors</key><array><string>a</string></array>", .otherMeaning, "a.example.com"),
      ("%1", "<key>TSKReportUris</key><array><integer>1</integer></array>", .unreadablePart, "a report URI"),
      ("%1", "<key>TSKReportUris</key><integer>1</integer>", .unreadablePart, "a report URI"),
      ("%2", "<integer>1</integer>", .unreadablePart, "a pin of 'a.example.com'"),
      (
        "%1", "<key>TSKExcludeSubdomainFromParentPolicy</key><true/>", .unreadablePart,
        "TSKExcludeSubdomainFromParentPolicy"
      ),
      (
        "%4", "<key>NSAppTransportSecurity</key><dict><key>NSPinnedDomains</key><dict/></dict>", .otherSetting,
        "NSPinnedDomains"
      ),
      ("%4", "<key>TSKPinnedDomains</key><dict/>", .unreadablePart, "TSKPinnedDomains"),
      ("%2", "<string>AAAA</string>", .unusablePin, "AAAA"),
      (
        "%3",
        "<key>b.example.com</key><dict><key>TSKEnforcePinning</key><false/><key>TSKPublicKeyHashes</key><string>a</string></dict>",
        .unreadablePart, "the pins of 'b.example.com'"
      ),
      (
        "%3", entry("s3.amazonaws.com"), .otherMeaning,
        "TrustKit stops an app that pins all names below 's3.amazonaws.com'"
      ),
      ("%3", entry("a.internal"), .otherMeaning, "TrustKit stops an app that pins 'a.internal'"),
    ])

  private static func entry(_ host: String) -> String {
    """
    <key>\(host)</key><dict><key>TSKIncludeSubdomains</key><true/><key>TSKPublicKeyHashes</key><array>
    <string>\(pin)</string></array></dict>
    """
  }

  private static let trustKitAndroid = Source(
    format: .trustKitAndroid,
    text: """
      <network-security-config><domain-config><domain>a.example.com</domain>%0<pin-set>
      <pin digest="SHA-256">\(pin)</pin></pin-set><trustkit-config enforcePinning="true"/></domain-config>
      %1</network-security-config>
      """,
    pieces: [
      ("%0", "<domain>b.example.com</domain>", .otherMeaning, "only the last of 2 domains here, 'b.example.com'"),
      (
        "%1",
        "<domain-config><domain>c.example.com</domain><domain>d.example.com</domain>"
          + "<trustkit-config enforcePinning=\"false\"/></domain-config>", .nothingPinned, "'c.example.com' and 1 more"
      ),
    ])

  private static let chromium = Source(
    format: .chromium,
    text: """
      {"pinsets": [{"name": "s", "static_spki_hashes": ["Root"%0]}%1], "entries": [
      {"name": "a.example.com", "pins": "s"%2}%3]%4}
      """,
    pieces: [
      ("%0", ", \"Nobody\"", .unusablePin, "Nobody"),
      ("%1", ", {\"static_spki_hashes\": []}", .unreadablePart, "a pin set has no name"),
      (
        "%1", ", {\"name\": \"t\", \"static_spki_hashes\": [\"Root\"], \"bad_static_spki_hashes\": \"Root\"}",
        .unreadablePart, "bad_static_spki_hashes"
      ),
      ("%2", ", \"mode\": \"force-https\"", .otherSetting, "mode"),
      ("%2", ", \"policy\": \"custom\"", .otherSetting, "policy"),
      ("%2", ", \"expect_ct\": true", .otherSetting, "expect_ct"), ("%2", ", \"other\": true", .unknownField, "other"),
      ("%3", ", {\"pins\": \"s\"}", .unreadablePart, "an entry has no name"),
      ("%3", ", {\"mode\": \"force-https\"}", .unreadablePart, "an entry has no name"),
      ("%3", ", {\"name\": \"b.example.com\"}", .nothingPinned, "1 entry"),
      (
        "%1", ", {\"name\": \"t\", \"static_spki_hashes\": [\"Root\"], \"report_uri\": 1}", .unreadablePart,
        "'report_uri'"
      ),
      ("%2", ", \"include_subdomains\": \"true\"", .unreadablePart, "'include_subdomains' is a text"),
      ("%2", ", \"include_subdomains_for_pinning\": 1", .unreadablePart, "'include_subdomains_for_pinning'"),
      ("%3", ", {\"name\": \"a.a.example.com\", \"include_subdomains\": 1}", .nothingPinned, "1 entry"),
      ("%4", ", \"other\": []", .unknownField, "other"),
    ])

  private static func read(_ source: Source, _ piece: (place: String, text: String)?) throws -> [ImportFinding] {
    var text = source.text
    if let piece { text = text.replacing(piece.place, with: piece.text) }
    for number in 0...9 { text = text.replacing("%\(number)", with: "") }
    var files = [ExchangedFile(name: "file", bytes: Array(text.utf8))]
    if source.format.files.lowerBound == 2 {
      files.insert(
        ExchangedFile(name: "transport_security_state_static.pins", bytes: Array("Root\nsha256/\(pin)\n".utf8)), at: 0)
    }
    return try source.format.read(files, ImportSettings(at: PinListScene.instant)).findings
  }

  @Test(arguments: ["android", "apple", "trustkit-ios", "trustkit-android", "chromium"])
  func isListed(format: String) throws {
    let sources = [Self.android, Self.apple, Self.trustKit, Self.trustKitAndroid, Self.chromium]
    let source = try #require(sources.first { $0.format.name == format })
    #expect(try Self.read(source, nil).isEmpty)
    for piece in source.pieces {
      let found = try Self.read(source, (piece.place, piece.text))
      #expect(found.contains { $0.kind == piece.kind && $0.message.contains(piece.names) }, "\(piece): \(found)")
      // What isn't pinned isn't said to be reported only.
      #expect(!found.contains { $0.kind == .notEnforced }, "\(piece): \(found)")
    }
  }
}
