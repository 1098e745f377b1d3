#if Service
import Configuration
import Logging
import PinFormat
import PinValidator
import Testing

@testable import PinService

@Suite struct KeysetConfigurationTests {
  let folder: TemporaryFolder
  let keysets = Keysets()
  let shipped: String

  init() throws {
    folder = try TemporaryFolder()
    shipped = try folder.write(keysets.file(7), to: "7.keyset.json")
  }

  func reader(_ more: [String: String?] = [:]) -> ConfigReader {
    var variables = [
      "PINTLE_AUDIENCE": "test", "PINTLE_KEYSET_FILE": shipped, "PINTLE_WITHOUT_MANIFEST": "block",
    ]
    for (name, value) in more { variables[name] = value }
    return ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: variables))
  }

  func service(_ more: [String: String?] = [:]) throws -> PintleService {
    try PintleService(configuration: reader(more), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  @Test func `a keyset takes the place of signers, and brings its audience`() throws {
    let service = try service()
    #expect(service.store.keyset?.version == 7)
    #expect(service.status.keysetVersion == 7)
    #expect(service.settings.keysetFolder == nil && service.settings.fetch == nil)
    #expect(service.settings.keysetWarning == .seconds(30 * 86_400))
  }

  @Test func `every key, from environment variables`() throws {
    let settings = try service([
      "PINTLE_FETCH_URLS": "https://a.test/m.json",
      "PINTLE_KEYSET_URLS": "https://a.test/{version}.keyset.json,https://b.test/{version}.keyset.json",
      "PINTLE_KEYSET_FOLDER": "/etc/pintle/keysets", "PINTLE_KEYSET_INTERVAL_SECONDS": "3",
      "PINTLE_KEYSET_WARNING_DAYS": "60",
    ]).settings
    #expect(
      settings.fetch?.keysetURLs == ["https://a.test/{version}.keyset.json", "https://b.test/{version}.keyset.json"])
    #expect(settings.keysetFolder == WatchedFolder(path: "/etc/pintle/keysets", interval: .seconds(3)))
    #expect(settings.keysetWarning == .seconds(60 * 86_400))
  }

  @Test(
    arguments: [
      ("PINTLE_SIGNERS_FILES", "/etc/release.pub", "pintle.signers.files", "together with pintle.keyset.file"),
      ("PINTLE_SIGNERS_THRESHOLD", "2", "pintle.signers.threshold", "together with pintle.keyset.file"),
      ("PINTLE_KEYSET_FILE", nil, "pintle.signers.files", "neither is pintle.keyset.file"),
      ("PINTLE_KEYSET_FILE", "/nowhere/1.keyset.json", "pintle.keyset.file", "No such file"),
      ("PINTLE_KEYSET_FILE", "/dev/null", "pintle.keyset.file", ""),
      ("PINTLE_KEYSET_FILE", "/dev/zero", "pintle.keyset.file", "more than 65536 bytes"),
      ("PINTLE_AUDIENCE", "production", "pintle.keyset.file", "for the audience \"test\""),
      ("PINTLE_AUDIENCE", nil, "pintle.audience", "not set"),
      ("PINTLE_KEYSET_URLS", "https://a.test/{version}", "pintle.keyset.urls", "no effect without pintle.fetch.urls"),
      ("PINTLE_KEYSET_INTERVAL_SECONDS", "5", "pintle.keyset.interval-seconds", "without pintle.keyset.folder"),
      ("PINTLE_KEYSET_WARNING_DAYS", "soon", "pintle.keyset.warning-days", "whole number"),
      ("PINTLE_KEYSET_WARNING_DAYS", "-1", "pintle.keyset.warning-days", "between 0 and 3650"),
    ] as [(String, String?, String, String)])
  func `a mistake stops the start and names its key`(
    variable: String, value: String?, key: String, text: String
  ) {
    let error = #expect(throws: ServiceSettingsError.self) { try service([variable: value]) }
    #expect(error?.key == key)
    #expect(error?.message.contains(text) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    ("https://a.test/keyset.json", "URL 1 has no {version}"),
    ("https://a.test/{version}.json,https://b.test/{version}/{version}", "URL 2 has more than one"),
    ("http://a.test/{version}", "URL 1 is not an https URL"),
    ("https://u:p@a.test/{version}", "URL 1 holds a user name"),
  ])
  func `templates are checked at the start, and not repeated in the error`(urls: String, text: String) {
    let error = #expect(throws: ServiceSettingsError.self) {
      try service(["PINTLE_FETCH_URLS": "https://a.test/", "PINTLE_KEYSET_URLS": urls])
    }
    #expect(error?.key == "pintle.keyset.urls")
    #expect(error?.message.hasPrefix(text) == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("u:p") == false)
  }

  @Test(arguments: ["urls", "folder", "interval-seconds", "warning-days"])
  func `keys of keysets have no effect without a keyset`(name: String) throws {
    let releases = Releases()
    let key = try folder.write(releases.publicKey, to: "release.pub")
    let variable = "PINTLE_KEYSET_" + name.uppercased().replacing("-", with: "_")
    let error = #expect(throws: ServiceSettingsError.self) {
      try service(["PINTLE_KEYSET_FILE": nil, "PINTLE_SIGNERS_FILES": key, variable: "1"])
    }
    #expect(error?.description == "pintle.keyset.\(name): has no effect without pintle.keyset.file, which is not set")
  }

  @Test func `in code, too, fixed signers and keysets to fetch don't go together`() throws {
    var settings = PintleServiceSettings()
    settings.keysetFolder = WatchedFolder(path: "/etc/pintle/keysets")
    let error = #expect(throws: ServiceSettingsError.self) {
      try PintleService(
        Releases().settings(), settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
    #expect(error?.key == "pintle.keyset.folder")
  }
}
#endif
