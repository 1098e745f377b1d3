import Foundation
import PinExchange
import PinFormat
import TestSupport
import Testing

struct OkHttpExportTests {
  @Test(arguments: [(ExportFormat.okHttpKotlin, "kt"), (.okHttpJava, "java")])
  func aFileIsWhatADeveloperWouldHaveWritten(format: ExportFormat, suffix: String) throws {
    let files = try format.files(of: PinListScene.small(), [.package: "com.example.net"])
    #expect(files.map(\.name) == ["CertificatePins.\(suffix)"])
    try GoldenFile.expect(files[0].bytes, "okhttp/CertificatePins.\(suffix)")
  }

  /// Beyond a hundred hosts, one function wouldn't do: a method of the JVM has a largest size.
  @Test(arguments: [(ExportFormat.okHttpKotlin, "kt"), (.okHttpJava, "java")])
  func manyHostsStandInSeveralFunctions(format: ExportFormat, suffix: String) throws {
    var list = try PinListScene.small()
    list.hosts = try (1000..<1250).map { try PinListScene.host("h\($0).example.com") }
    let files = try format.files(of: list, [.name: "Pins"])
    let text = String(decoding: files[0].bytes, as: UTF8.self)
    for function in ["addHosts1(", "addHosts2(", "addHosts3("] { #expect(text.contains(function)) }
    #expect(text.ranges(of: ".add(").count == 250)
  }

  @Test func whatWasLostStandsAtTheHead() throws {
    var list = try PinListScene.small()
    list.hosts[0].mode = .reportOnly
    list.hosts[2].reportURIs = ["https://reports.example.org"]
    let text = try String(decoding: ExportFormat.okHttpKotlin.files(of: list)[0].bytes, as: UTF8.self)
    #expect(
      text.contains(
        "// - report-only (api.example.com): OkHttp has no report-only mode: the host isn't pinned, and nothing is reported.\n"
      ))
    #expect(text.contains("// - report-uris (api.example.com, www.example.net): ") == false)
    #expect(text.contains("// - report-uris (www.example.net): OkHttp reports nothing.\n"))
  }

  /// Java reads Unicode escapes inside comments: a line break spelled so would end one.
  @Test func nothingEndsTheComment() throws {
    var list = try PinListScene.small()
    list.origin = "audience 'x\\u000a\nclass Evil {} */', serial 1"
    for format in [ExportFormat.okHttpKotlin, .okHttpJava] {
      let text = try String(decoding: format.files(of: list)[0].bytes, as: UTF8.self)
      #expect(text.split(separator: "\n").allSatisfy { !$0.contains("Evil") || $0.hasPrefix("// ") })
      #expect(!text.contains("\\u"))
    }
  }

  @Test(arguments: ["", "1Pins", "Certificate Pins", "class", "object", "Pins;", "Pïns", "a.b"])
  func aNameThatIsNoneIsRefused(name: String) throws {
    for format in [ExportFormat.okHttpKotlin, .okHttpJava] {
      #expect(code { try format.files(of: PinListScene.small(), [.name: name]) } == .invalidValue)
      if name != "a.b" {
        #expect(code { try format.files(of: PinListScene.small(), [.package: "com.\(name)"]) } == .invalidValue)
      }
    }
  }

  /// The keys of an entry above would do for the name below it.
  @Test func entriesBelowOthersAreRefused() throws {
    var list = try PinListScene.small()
    list.hosts.insert(try PinListScene.host("a.api.example.com", keySet: 1), at: 0)
    #expect(throws: UnfitPinList.self) { try ExportFormat.okHttpJava.files(of: list) }
  }

  @Test func entriesForSeveralPortsAreRefused() throws {
    var list = try PinListScene.small()
    list.hosts.insert(try PinListScene.host("www.example.net", port: 8443, keySet: 1), at: 3)
    let unfit = #expect(throws: UnfitPinList.self) { try ExportFormat.okHttpKotlin.files(of: list) }
    #expect(unfit?.doubled == ["www.example.net"])
  }

  @Test(arguments: 0..<Thoroughness.pick(70, full: 200))
  func whatIsWrittenIsTheList(seed: Int) throws {
    let list = try PinListScene.random(seed)
    for format in [ExportFormat.okHttpKotlin, .okHttpJava] {
      let back = try WrittenText.okHttp(format.files(of: list)[0])
      // Pins in source code don't expire.
      let written = try PinListMeaning(format.fitted(list).list) { ($0.expires, $0.onExpiry) = (nil, nil) }
      #expect(PinListMeaning(back) == written)
    }
  }
}
