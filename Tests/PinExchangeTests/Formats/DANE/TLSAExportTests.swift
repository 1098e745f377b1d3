import PinExchange
import PinFormat
import PinPolicy
import Testing

struct TLSAExportTests {
  @Test func aKeyHasTheUsageOfItsPlace() throws {
    var list = try PinListScene.small(subdomains: .none)
    list.keys[0].owner = .certificateAuthority
    list.keys[1].owner = .server
    list.keys[2].position = .leaf
    list.hosts[1].port = 8443
    try GoldenFile.expect(ExportFormat.tlsa.files(of: list)[0].bytes, "tlsa/tlsa.zone")
  }

  /// Usages 2 and 3 would have clients do without the validation by public CAs (RFC 6698 section 2.1.1).
  @Test(arguments: 0..<60)
  func noRecordReplacesTheValidation(seed: Int) throws {
    var list = try PinListScene.random(seed)
    // One host has a name, so that the export isn't empty.
    list.hosts.append(try PinListScene.host("z.example.com"))
    let text = try String(decoding: ExportFormat.tlsa.files(of: list)[0].bytes, as: UTF8.self)
    let records = text.split(separator: "\n").filter { !$0.hasPrefix(";") }
    #expect(!records.isEmpty)
    for record in records {
      let fields = record.split(separator: " ")
      #expect(fields[1] == "IN" && fields[2] == "TLSA")
      #expect(["0", "1"].contains(fields[3]) && fields[4] == "1" && fields[5] == "1" && fields[6].count == 64)
    }
  }

  /// Of two entries for a port, the one that names it counts.
  @Test func theEntryForThePortCountsAlone() throws {
    var list = try PinListScene.small(.server, subdomains: .none)
    list.hosts.insert(try PinListScene.host("api.example.com", port: 443, keySet: 1), at: 1)
    let text = try String(decoding: ExportFormat.tlsa.files(of: list)[0].bytes, as: UTF8.self)
    #expect(text.ranges(of: "_443._tcp.api.example.com. ").count == 2)
    let other = try String(decoding: ExportFormat.tlsa.files(of: list, [.port: "25"])[0].bytes, as: UTF8.self)
    #expect(other.ranges(of: "_25._tcp.api.example.com. ").count == 3)
    #expect(other.ranges(of: "_443._tcp.api.example.com. ").count == 2)
  }

  @Test(arguments: ["0", "65536", "-1", "https", "", "4 3"])
  func aPortThatIsNoneIsRefused(port: String) throws {
    #expect(code { try ExportFormat.tlsa.files(of: PinListScene.small(.server), [.port: port]) } == .invalidValue)
  }
}
