// swift-tools-version: 6.2

import Foundation
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

/// A part of the house: each target stands above all that it imports (docs/architecture.md).
func room(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["TestSupport"], exclude: exclude, swiftSettings: settings)
}

func systemLibrary(_ name: String, pkgConfig: String, debian: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([debian])])
}

let package = Package(
  name: "pintle",
  products: [
    .library(name: "PinValidator", targets: ["PinFormat", "PinValidator"]),
    .library(name: "PinReports", targets: ["PinReports"]),
    .library(name: "PinReportReader", targets: ["PinReportReader"]),
    // For the collector in Integrations, whose pages look like those of the command line.
    .library(name: "WebPage", targets: ["WebPage"]),
    .executable(name: "pintle", targets: ["pintle"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
  ],
  targets: [
    systemLibrary("CLibCrypto", pkgConfig: "libcrypto", debian: "libssl-dev"),
    systemLibrary("CLibSSL", pkgConfig: "libssl", debian: "libssl-dev"),
    .systemLibrary(name: "CLibC"),
    // The public header of libpintle, so that the compiler holds the implementation to it.
    .systemLibrary(name: "CLibPintle"),
    .systemLibrary(name: "CLibEpoll"),
    systemLibrary("CLibCARES", pkgConfig: "libcares", debian: "libc-ares-dev"),
    systemLibrary("CLibYAML", pkgConfig: "yaml-0.1", debian: "libyaml-dev"),
    systemLibrary("CLibIDN2", pkgConfig: "libidn2", debian: "libidn2-dev"),
    systemLibrary("CLibPSL", pkgConfig: "libpsl", debian: "libpsl-dev"),
    systemLibrary("CLibExpat", pkgConfig: "expat", debian: "libexpat1-dev"),

    room("Diagnostics", []),
    room("PinFormat", []),
    room("XMLText", ["Diagnostics", "CLibExpat"]),
    room("OpenSSLKit", ["CLibCrypto"]),
    room("DomainNames", ["PinFormat", "CLibIDN2", "CLibPSL"]),
    room("PinValidator", ["PinFormat", "OpenSSLKit", "CLibC"]),
    // The C library of Scripts/build-libpintle; built here too, so that it is compiled and linted with everything else.
    room("libpintle", ["PinFormat", "PinValidator", "CLibPintle"]),
    room("PinReports", ["PinFormat", "OpenSSLKit", "PinValidator"]),
    room("PinReportReader", ["PinReports", "PinFormat", "OpenSSLKit"]),
    room("PinEvidence", ["PinFormat", "OpenSSLKit", "PinValidator"]),
    room("PinRotation", ["PinFormat", "PinValidator"]),
    room("TLSClient", ["PinFormat", "CLibSSL", "CLibCARES", "CLibEpoll"]),
    room("PinPolicy", ["PinFormat", "Diagnostics", "CLibYAML"]),
    room(
      "PinRules",
      ["PinPolicy", "PinEvidence", "PinRotation", "PinValidator", "PinFormat", "Diagnostics", "DomainNames"]),
    room(
      "PinCompiler",
      [
        "PinRules", "PinPolicy", "PinEvidence", "PinRotation", "PinFormat", "Diagnostics", "DomainNames", "OpenSSLKit",
        "PinValidator",
      ]),
    room("PinExchange", ["PinPolicy", "PinFormat", "OpenSSLKit", "Diagnostics", "XMLText", "DomainNames"]),
    room(
      "PinLanguageServer",
      [
        "PinCompiler", "PinRules", "PinPolicy", "PinEvidence", "PinValidator", "PinFormat", "Diagnostics",
        "DomainNames", "OpenSSLKit",
      ]),
    room("PinProbe", ["TLSClient", "PinPolicy", "PinFormat", "Diagnostics", "OpenSSLKit"]),
    room("WebPage", ["PinFormat", "Diagnostics"]),
    room("ProbePage", ["WebPage", "PinEvidence", "PinValidator", "PinFormat", "Diagnostics"]),
    room("RotationPage", ["WebPage", "PinRotation", "PinValidator", "PinFormat", "Diagnostics"]),
    .executableTarget(
      name: "pintle",
      dependencies: [
        "PinCompiler", "PinRules", "PinRotation", "PinPolicy", "PinProbe", "ProbePage", "RotationPage", "PinEvidence",
        "PinExchange", "PinLanguageServer", "PinValidator", "PinFormat",
        "Diagnostics", "DomainNames", "OpenSSLKit", "TLSClient",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings
    ),

    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    // Worlds of the rotation model and the oracle that answers for them, without the engine.
    .target(
      name: "RotationWorlds", dependencies: ["PinRotation", "PinValidator", "PinFormat", "OpenSSLKit", "TestSupport"],
      path: "Tests/RotationWorlds", swiftSettings: settings),
    .executableTarget(
      name: "rotation-worlds", dependencies: ["RotationWorlds"], path: "Tests/rotation-worlds",
      swiftSettings: settings),
    // What Benchmarks times and Scripts/check-work counts the instructions of.
    .executableTarget(
      name: "measured-work",
      dependencies: [
        "PinCompiler", "PinRules", "PinPolicy", "PinValidator", "PinFormat", "Diagnostics", "OpenSSLKit",
      ],
      path: "Benchmarks/Work", swiftSettings: settings),
    // What the tests of the store kill, starve and watch; with `faults`, a library to load before the C library.
    .executableTarget(
      name: "store-tool", dependencies: ["PinValidator", "PinFormat", "OpenSSLKit"], path: "Tests/store-tool",
      exclude: ["faults"], swiftSettings: settings),
    // The client that the runbooks run beside their commands.
    .executableTarget(
      name: "pinned-client", dependencies: ["PinValidator", "PinFormat", "TLSClient"], path: "Tests/pinned-client",
      swiftSettings: settings),
    tests("DiagnosticsTests", ["Diagnostics"]),
    tests("XMLTextTests", ["XMLText", "Diagnostics"]),
    tests("PinFormatTests", ["PinFormat"]),
    tests("OpenSSLKitTests", ["OpenSSLKit"]),
    tests("DomainNamesTests", ["DomainNames", "PinFormat"]),
    tests("PinValidatorTests", ["PinValidator", "PinFormat", "OpenSSLKit", "store-tool"]),
    // The conformance vectors, by the public API alone.
    tests("ConformanceTests", ["PinValidator", "PinFormat"]),
    tests("PinReportsTests", ["PinReports", "PinReportReader", "PinValidator", "PinFormat", "OpenSSLKit"]),
    tests("PinEvidenceTests", ["PinEvidence", "PinValidator", "PinFormat", "OpenSSLKit", "PinCompiler"]),
    tests(
      "PinRotationTests",
      ["PinRotation", "RotationWorlds", "PinCompiler", "PinValidator", "PinFormat", "OpenSSLKit"]),
    tests(
      "PinExchangeTests",
      [
        "PinExchange", "PinCompiler", "PinRules", "PinPolicy", "PinValidator", "PinFormat", "Diagnostics", "OpenSSLKit",
      ]),
    tests(
      "PinLanguageServerTests",
      ["PinLanguageServer", "PinCompiler", "PinRules", "PinPolicy", "PinFormat", "Diagnostics", "OpenSSLKit"]),
    tests("TLSClientTests", ["TLSClient", "PinFormat"]),
    tests("PinProbeTests", ["PinProbe", "TLSClient", "PinPolicy", "PinFormat", "Diagnostics"]),
    tests("WebPageTests", ["WebPage"]),
    tests(
      "ProbePageTests", ["ProbePage", "WebPage", "PinEvidence", "PinValidator", "PinFormat", "Diagnostics"],
      exclude: ["Snapshots"]
    ),
    tests(
      "RotationPageTests",
      ["RotationPage", "WebPage", "PinRotation", "RotationWorlds", "PinValidator", "PinFormat", "Diagnostics"],
      exclude: ["Snapshots"]),
    tests("PinPolicyTests", ["PinPolicy", "PinFormat", "Diagnostics"]),
    tests(
      "PinRulesTests",
      [
        "PinRules", "PinRotation", "RotationWorlds", "PinEvidence", "PinValidator", "PinCompiler", "PinPolicy",
        "PinFormat",
        "Diagnostics",
        "OpenSSLKit",
      ],
      exclude: ["Snapshots"]),
    tests(
      "PinCompilerTests",
      [
        "PinCompiler", "PinRules", "PinPolicy", "PinEvidence", "PinRotation", "PinValidator", "PinFormat",
        "Diagnostics",
        "OpenSSLKit",
      ]),
    tests(
      "CommandTests", ["PinFormat", "PinValidator", "OpenSSLKit", "pintle"], exclude: ["Fixtures", "Transcripts"]),
    tests("IntegrationTests", ["PinRules", "Diagnostics", "pintle"]),
  ],
  swiftLanguageModes: [.v6]
)

// What Scripts/fuzz builds, by the name of the target to run; nobody else is to see it.
if ProcessInfo.processInfo.environment["PINTLE_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "PinValidator", "PinPolicy", "PinReports", "PinReportReader", "PinExchange", "PinFormat", "OpenSSLKit",
        "Diagnostics", "XMLText",
      ],
      path: "Tests/fuzz", exclude: ["crashes", "dictionaries", "seeds"],
      swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])
  )
}
