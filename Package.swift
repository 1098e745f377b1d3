// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
  // What the trait does on Linux, for tests; on these platforms there is no libcrypto.
  .define("CryptoKit", .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
]

/// A target by its room and name in Sources/, listed below all that it imports (docs/architecture.md).
func module(_ path: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
  .target(
    name: name(path), dependencies: dependencies, path: "Sources/" + path, resources: resources,
    swiftSettings: settings)
}

func name(_ path: String) -> String { String(path.drop { $0 != "/" }.dropFirst()) }

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["TestSupport"], exclude: exclude, swiftSettings: settings)
}

/// What several test targets use.
func support(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, path: "Tests/Support/" + name, swiftSettings: settings)
}

/// A program that tests or people start, in Tests/Programs.
func program(
  _ name: String, _ folder: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Tests/Programs/" + folder, exclude: exclude,
    swiftSettings: settings)
}

/// A library of another package, which is fetched and linked only if one of the traits is enabled.
func product(_ name: String, _ package: String, _ traits: String...) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: Set(traits)))
}

func nio(_ names: String...) -> [Target.Dependency] { names.map { product($0, "swift-nio", "NIOSSL") } }
let nioSSL = product("NIOSSL", "swift-nio-ssl", "NIOSSL")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// A program of examples/, to copy from.
func example(_ name: String, _ folder: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name,
    dependencies: ["ExampleSupport", "PinValidator", argumentParser, nioSSL] + nio("NIOCore") + dependencies,
    path: "examples/" + folder, swiftSettings: settings)
}

func systemLibrary(_ name: String, pkgConfig: String, debian: String) -> Target {
  .systemLibrary(name: name, path: "Sources/System/" + name, pkgConfig: pkgConfig, providers: [.apt([debian])])
}

let package = Package(
  name: "pintle",
  // What Span, InlineArray and Atomic of the standard library need.
  platforms: [.macOS(.v26), .iOS(.v26), .tvOS(.v26), .watchOS(.v26), .visionOS(.v26)],
  products: [
    .library(name: "PinValidator", targets: ["PinFormat", "PinValidator"]),
    .library(name: "PinReports", targets: ["PinReports"]),
    .executable(name: "pintle", targets: ["pintle"]),
    // Each needs the trait of its name without `Pin`.
    .library(name: "PinNIOSSL", targets: ["PinNIOSSL"]),
    .library(name: "PinGRPC", targets: ["PinGRPC"]),
    .library(name: "PinHTTPClient", targets: ["PinHTTPClient"]),
    .library(name: "PinAsyncHTTPClient", targets: ["PinAsyncHTTPClient"]),
    .library(name: "PinHummingbird", targets: ["PinHummingbird"]),
    .library(name: "PinService", targets: ["PinService"]),
    // Experimental, for Apple's platforms (docs/apple.md).
    .library(name: "PinURLSession", targets: ["PinURLSession"]),
    // Needs the trait Service.
    .executable(name: "pintle-agent", targets: ["pintle-agent"]),
    // Needs the trait Collector.
    .executable(name: "pintle-collect", targets: ["pintle-collect"]),
  ],
  // No trait is enabled by default: SwiftNIO and other packages are fetched only by those who use them
  // (docs/transports.md).
  traits: [
    .trait(name: "NIOSSL", description: "PinNIOSSL: clients and servers on SwiftNIO"),
    .trait(name: "GRPC", description: "PinGRPC: gRPC clients and servers", enabledTraits: ["NIOSSL"]),
    .trait(name: "HTTPClient", description: "PinHTTPClient: a small HTTP/1.1 client", enabledTraits: ["NIOSSL"]),
    .trait(
      name: "AsyncHTTPClient", description: "PinAsyncHTTPClient: pins for AsyncHTTPClient", enabledTraits: ["NIOSSL"]),
    .trait(
      name: "Hummingbird", description: "PinHummingbird: servers that judge client certificates",
      enabledTraits: ["NIOSSL"]),
    .trait(
      name: "Service", description: "PinService: updates, reports, logs and metrics in a service",
      enabledTraits: ["NIOSSL"]),
    .trait(name: "Collector", description: "pintle-collect: the collector of reports", enabledTraits: ["NIOSSL"]),
    // Excludes all others: what needs libcrypto can't be built with it.
    .trait(name: "CryptoKit", description: "Experimental: the validator without libcrypto, as on Apple's platforms"),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.95.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.36.0"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.36.0"),
    .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.2.0"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.4.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0", traits: []),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.9.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0", traits: []),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.5.0"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.5.0"),
  ],
  targets: [
    systemLibrary("CLibCrypto", pkgConfig: "libcrypto", debian: "libssl-dev"),
    systemLibrary("CLibSSL", pkgConfig: "libssl", debian: "libssl-dev"),
    .systemLibrary(name: "CLibC", path: "Sources/System/CLibC"),
    // The public header of libpintle, so that the compiler compares the implementation with it.
    .systemLibrary(name: "CLibPintle", path: "Sources/System/CLibPintle"),
    .systemLibrary(name: "CLibEpoll", path: "Sources/System/CLibEpoll"),
    .systemLibrary(name: "CLibMalloc", path: "Sources/System/CLibMalloc"),
    systemLibrary("CLibCARES", pkgConfig: "libcares", debian: "libc-ares-dev"),
    systemLibrary("CLibYAML", pkgConfig: "yaml-0.1", debian: "libyaml-dev"),
    systemLibrary("CLibIDN2", pkgConfig: "libidn2", debian: "libidn2-dev"),
    systemLibrary("CLibPSL", pkgConfig: "libpsl", debian: "libpsl-dev"),
    systemLibrary("CLibExpat", pkgConfig: "expat", debian: "libexpat1-dev"),
    // The files of authorities/, embedded.
    .target(name: "CLibAuthorities", path: "Sources/System/CLibAuthorities"),

    module("Core/PinFormat", []),
    module("Output/Diagnostics", ["PinFormat"]),
    module(
      "Core/OpenSSLKit",
      [
        "PinFormat", .target(name: "CLibCrypto", condition: .when(platforms: [.linux])),
        .product(name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux], traits: ["CryptoKit"])),
      ]),
    module("Core/PinValidator", ["PinFormat", "OpenSSLKit", "CLibC"]),
    // The C library of Scripts/build/libpintle; also built here, so that it is compiled and linted with everything
    // else.
    module("Core/libpintle", ["PinFormat", "PinValidator", "CLibPintle"]),
    module("Service/PinReports", ["PinFormat", "OpenSSLKit", "PinValidator"]),
    module("Rotation/PinRotation", ["PinFormat", "PinValidator"]),
    module(
      "Policy/PinPolicy",
      [
        "PinFormat", "Diagnostics", "OpenSSLKit", "PinValidator", "CLibYAML", "CLibIDN2", "CLibPSL",
        "CLibAuthorities",
      ],
      // Symbolic links to the files of schemas/.
      resources: [
        .embedInCode("Schema/policy.schema.json"), .embedInCode("Schema/authorities.schema.json"),
        .embedInCode("Schema/policy-test.schema.json"),
      ]),
    module(
      "Live/PinProbe",
      [
        "PinPolicy", "PinValidator", "PinFormat", "Diagnostics", "OpenSSLKit", "CLibSSL", "CLibCARES", "CLibEpoll",
      ]),
    module("Release/PinRelease", ["PinPolicy", "PinValidator", "PinFormat", "Diagnostics", "OpenSSLKit"]),
    module(
      "Policy/PinRules",
      ["PinProbe", "PinRelease", "PinPolicy", "PinRotation", "PinValidator", "PinFormat", "Diagnostics", "OpenSSLKit"]),
    module(
      "Rotation/PinStudies",
      [
        "PinRules", "PinProbe", "PinRelease", "PinPolicy", "PinRotation", "PinValidator", "PinFormat", "Diagnostics",
        "OpenSSLKit",
      ]),
    module(
      "Release/PinGate",
      [
        "PinStudies", "PinRules", "PinRelease", "PinPolicy", "PinRotation", "PinValidator", "PinFormat", "Diagnostics",
        "OpenSSLKit",
      ]),
    module("Exchange/PinExchange", ["PinRelease", "PinPolicy", "PinFormat", "OpenSSLKit", "Diagnostics", "CLibExpat"]),
    module(
      "Tool/PinLanguageServer",
      ["PinRules", "PinProbe", "PinPolicy", "PinValidator", "PinFormat", "Diagnostics", "OpenSSLKit"]),
    module("Output/Pages", ["PinProbe", "PinRotation", "PinValidator", "PinFormat", "Diagnostics"]),
    .executableTarget(
      name: "pintle",
      dependencies: [
        "PinGate", "PinStudies", "PinRules", "PinRelease", "PinRotation", "PinPolicy", "PinProbe", "Pages",
        "PinExchange", "PinLanguageServer", "PinValidator", "PinFormat", "Diagnostics", "OpenSSLKit", "CLibMalloc",
        argumentParser,
      ],
      path: "Sources/Tool/pintle",
      // What 'pintle init' writes: symbolic links to the example's files.
      resources: [
        "editorconfig", "github.yml", "gitignore", "gitlab.yml", "install.sh", "manifest.yaml", "pins", "pre-commit",
        "pre-commit.yaml", "vscode.json",
      ].map { .embedInCode("Support/Init/Templates/" + $0) },
      swiftSettings: settings
    ),

    // With traits: the transports, the running service and the collector.
    module(
      "Service/PinURLSession",
      ["PinValidator", "PinFormat", .target(name: "AppleStandIn", condition: .when(platforms: [.linux]))]),
    systemLibrary("CLibPQ", pkgConfig: "libpq", debian: "libpq-dev"),
    module(
      "Service/PinNIOSSL",
      ["PinValidator", "PinFormat", nioSSL] + nio("NIOCore", "NIOPosix", "NIOConcurrencyHelpers", "NIOTLS")),
    module(
      "Service/PinGRPC",
      [
        "PinNIOSSL", "PinValidator", "PinFormat", nioSSL, product("GRPCCore", "grpc-swift-2", "GRPC"),
        product("GRPCNIOTransportHTTP2", "grpc-swift-nio-transport", "GRPC"),
      ] + nio("NIOCore", "NIOPosix")),
    module(
      "Service/PinHTTPClient",
      ["PinNIOSSL", "PinValidator", nioSSL] + nio("NIOCore", "NIOPosix", "NIOConcurrencyHelpers", "NIOHTTP1")),
    module(
      "Service/PinAsyncHTTPClient",
      [
        "PinNIOSSL", "PinValidator", "PinFormat", nioSSL,
        product("AsyncHTTPClient", "async-http-client", "AsyncHTTPClient"),
        product("Logging", "swift-log", "AsyncHTTPClient"),
      ] + nio("NIOCore", "NIOPosix")),
    module(
      "Service/PinHummingbird",
      [
        "PinNIOSSL", "PinValidator", "PinFormat", nioSSL, product("Hummingbird", "hummingbird", "Hummingbird"),
        product("HummingbirdCore", "hummingbird", "Hummingbird"), product("Logging", "swift-log", "Hummingbird"),
      ] + nio("NIOCore")),
    module(
      "Service/PinService",
      [
        "PinNIOSSL", "PinValidator", "PinReports", "PinFormat", nioSSL,
        product("AsyncHTTPClient", "async-http-client", "Service"),
        product("ServiceLifecycle", "swift-service-lifecycle", "Service"),
        product("UnixSignals", "swift-service-lifecycle", "Service"),
        product("Logging", "swift-log", "Service"), product("Metrics", "swift-metrics", "Service"),
        product("Configuration", "swift-configuration", "Service"),
      ] + nio("NIOCore", "NIOPosix", "NIOHTTP1")),
    .executableTarget(
      name: "pintle-agent",
      dependencies: [
        "PinService", "PinValidator", "PinFormat", "OpenSSLKit", argumentParser,
        product("Configuration", "swift-configuration", "Service"), product("Logging", "swift-log", "Service"),
        product("Metrics", "swift-metrics", "Service"),
        product("ServiceLifecycle", "swift-service-lifecycle", "Service"),
        product("UnixSignals", "swift-service-lifecycle", "Service"),
      ],
      path: "Sources/Service/pintle-agent", swiftSettings: settings),
    module(
      "Service/PinCollector",
      [
        "PinReports", "PinFormat", "OpenSSLKit", "Diagnostics", nioSSL,
        .target(name: "CLibPQ", condition: .when(traits: ["Collector"])),
        product("Hummingbird", "hummingbird", "Collector"), product("HummingbirdCore", "hummingbird", "Collector"),
        product("HummingbirdTLS", "hummingbird", "Collector"), product("GRDB", "GRDB.swift", "Collector"),
        product("Logging", "swift-log", "Collector"),
        product("ServiceLifecycle", "swift-service-lifecycle", "Collector"),
      ] + nio("NIOCore", "NIOHTTP1")),
    .executableTarget(
      name: "pintle-collect",
      dependencies: [
        "PinCollector", argumentParser, product("Logging", "swift-log", "Collector"),
        product("ServiceLifecycle", "swift-service-lifecycle", "Collector"),
      ],
      path: "Sources/Service/pintle-collect", swiftSettings: settings),

    .target(
      name: "ExampleSupport", dependencies: ["PinValidator", argumentParser], path: "examples/support",
      swiftSettings: settings),
    // The code that the documentation shows, so that it is compiled; Scripts/check/docs compares them.
    .target(
      name: "DocumentedCode",
      dependencies: [
        "PinNIOSSL", "PinGRPC", "PinHTTPClient", "PinAsyncHTTPClient", "PinHummingbird", "PinService", "PinValidator",
        "PinReports", "PinFormat", nioSSL,
        product("AsyncHTTPClient", "async-http-client", "AsyncHTTPClient"),
        product("Configuration", "swift-configuration", "Service"), product("GRPCCore", "grpc-swift-2", "GRPC"),
        product("GRPCNIOTransportHTTP2", "grpc-swift-nio-transport", "GRPC"),
        product("Hummingbird", "hummingbird", "Hummingbird"), product("Logging", "swift-log", "Service", "GRPC"),
        product("ServiceLifecycle", "swift-service-lifecycle", "Service"),
        product("UnixSignals", "swift-service-lifecycle", "Service"),
      ] + nio("NIOCore", "NIOPosix"),
      path: "examples/documentation", exclude: ["README.md"],
      // An example shows what others can write, so it uses only the public API.
      packageAccess: false, swiftSettings: settings),
    example("pinned-nio-client", "nio-client", ["PinNIOSSL"] + nio("NIOPosix")),
    example(
      "pinned-async-http-client", "async-http-client",
      ["PinAsyncHTTPClient", product("AsyncHTTPClient", "async-http-client", "AsyncHTTPClient")]),
    example(
      "pinned-hummingbird-server", "hummingbird-server",
      ["PinHummingbird", "PinNIOSSL", product("Hummingbird", "hummingbird", "Hummingbird")]),
    example("pinned-http-client", "http-client", ["PinHTTPClient", "PinNIOSSL"]),
    example(
      "pinned-grpc-client", "grpc-client",
      [
        "PinGRPC", "PinNIOSSL", product("GRPCCore", "grpc-swift-2", "GRPC"),
        product("GRPCNIOTransportHTTP2", "grpc-swift-nio-transport", "GRPC"),
      ]),
    example(
      "pinned-service", "service",
      [
        "PinService", "PinHTTPClient", "PinNIOSSL", product("Configuration", "swift-configuration", "Service"),
        product("Hummingbird", "hummingbird", "Hummingbird"), product("Logging", "swift-log", "Service"),
        product("ServiceLifecycle", "swift-service-lifecycle", "Service"),
        product("UnixSignals", "swift-service-lifecycle", "Service"),
      ]),

    // The declarations of Apple's SDK that PinURLSession uses, with a simulated trust object behind them.
    support("AppleStandIn", []),
    .executableTarget(
      name: "pinned-url-session",
      dependencies: [
        "PinURLSession", "PinValidator", .target(name: "AppleStandIn", condition: .when(platforms: [.linux])),
      ],
      path: "examples/url-session", exclude: ["development", "manifest.json", "policies", "release.pub", "trust"],
      packageAccess: false, swiftSettings: settings),
    support("TestSupport", ["PinFormat"]),
    // Worlds of the rotation model, and the oracle, which doesn't use the engine.
    support(
      "RotationWorlds",
      [
        "PinRotation", "PinStudies", "PinRules", "PinRelease", "PinProbe", "PinPolicy", "PinValidator", "PinFormat",
        "Diagnostics", "OpenSSLKit", "TestSupport",
      ]),
    program("rotation-worlds", "RotationWorlds", ["RotationWorlds"]),
    // Small policies with real certificates: what the commands call safe, and what the clients' validator says.
    support(
      "ClientWorlds",
      [
        "PinRotation", "PinStudies", "PinRules", "PinRelease", "PinProbe", "PinPolicy", "PinValidator", "PinFormat",
        "Diagnostics", "OpenSSLKit", "CLibCrypto", "TestSupport",
      ]),
    program("client-worlds", "ClientWorlds", ["ClientWorlds"]),
    // The work that Benchmarks measures and whose instructions Scripts/check/work counts.
    .executableTarget(
      name: "measured-work",
      dependencies: ["PinRules", "PinRelease", "PinPolicy", "PinValidator", "PinFormat", "Diagnostics", "OpenSSLKit"],
      path: "Benchmarks/Work", swiftSettings: settings),
    // Handshakes with and without Pintle, for Benchmarks/handshakes; needs the trait NIOSSL.
    .executableTarget(
      name: "measured-handshakes",
      dependencies: ["PinNIOSSL", "PinValidator", "PinFormat", "OpenSSLKit", nioSSL]
        + nio("NIOCore", "NIOPosix", "NIOTLS", "NIOConcurrencyHelpers"),
      path: "Benchmarks/Handshakes", swiftSettings: settings),
    // The process that tests of the store kill, limit and watch; with `faults`, a library to load before the C library.
    program("store-tool", "StoreTool", ["PinValidator", "PinFormat", "OpenSSLKit"], exclude: ["faults"]),
    // The fuzz targets, and a program that runs them on given files.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "PinStudies", "PinValidator", "PinPolicy", "PinReports", "PinCollector", "PinExchange", "PinFormat",
        "OpenSSLKit",
        "Diagnostics",
      ],
      path: "Tests/Fuzz/Targets", swiftSettings: settings),
    .executableTarget(
      name: "fuzz-replay", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Replay", swiftSettings: settings),
    // The client that the runbooks run beside their commands.
    program("pinned-client", "PinnedClient", ["PinProbe", "PinValidator", "PinFormat"]),
    tests("DiagnosticsTests", ["Diagnostics"]),
    tests("PinFormatTests", ["PinFormat"]),
    tests("OpenSSLKitTests", ["OpenSSLKit"]),
    tests("PinValidatorTests", ["PinValidator", "PinFormat", "OpenSSLKit", "store-tool"]),
    // The conformance vectors, with the public API only.
    tests("ConformanceTests", ["PinValidator", "PinFormat", "OpenSSLKit"]),
    // The second implementation of the seam, and challenges against a simulated trust object; with the trait CryptoKit.
    tests("CryptoKitTests", ["OpenSSLKit", "CLibCrypto"]),
    tests(
      "PinURLSessionTests",
      [
        "PinURLSession", "AppleStandIn", "PinValidator", "PinFormat", "OpenSSLKit",
        product("Crypto", "swift-crypto", "CryptoKit"),
      ]),
    tests("PinReportsTests", ["PinReports", "PinCollector", "PinValidator", "PinFormat", "OpenSSLKit"]),
    tests(
      "PinRotationTests",
      ["PinRotation", "RotationWorlds", "PinPolicy", "PinRelease", "PinValidator", "PinFormat"]),
    tests("ClientWorldsTests", ["ClientWorlds"]),
    tests(
      "PinExchangeTests",
      [
        "PinExchange", "PinRules", "PinPolicy", "PinValidator", "PinFormat", "Diagnostics", "OpenSSLKit",
        "PolicySupport",
      ]),
    tests(
      "PinLanguageServerTests",
      ["PinLanguageServer", "PinRules", "PinPolicy", "PinFormat", "Diagnostics"]),
    tests(
      "PinProbeTests",
      ["PinProbe", "PinRelease", "PinPolicy", "PinValidator", "PinFormat", "Diagnostics", "OpenSSLKit"]),
    tests(
      "PagesTests",
      ["Pages", "PinProbe", "PinRotation", "RotationWorlds", "PinValidator", "PinFormat", "Diagnostics", "OpenSSLKit"],
      exclude: ["Snapshots"]),
    // The key files of the fixtures, and policies written by tests.
    support("PolicySupport", ["PinPolicy", "PinFormat", "Diagnostics"]),
    tests(
      "PinPolicyTests",
      ["PinPolicy", "PolicySupport", "PinValidator", "PinFormat", "Diagnostics", "OpenSSLKit"]),
    // A small policy that is checked, for tests of what follows.
    support("ReleaseSupport", ["PinRules", "PinRelease", "PinPolicy", "PolicySupport", "PinFormat", "Diagnostics"]),
    tests(
      "PinReleaseTests",
      [
        "PinRelease", "PinRules", "PinPolicy", "PolicySupport", "ReleaseSupport", "PinValidator", "PinFormat",
        "Diagnostics", "OpenSSLKit",
      ]),
    tests(
      "PinRulesTests",
      [
        "PinGate", "PinStudies", "PinRules", "PinRelease", "PolicySupport", "ReleaseSupport", "PinRotation",
        "RotationWorlds", "PinProbe", "PinValidator", "PinPolicy", "PinFormat", "Diagnostics", "OpenSSLKit",
      ],
      exclude: ["Snapshots"]),
    tests(
      "PinStudiesTests",
      [
        "PinStudies", "PinRules", "PinRelease", "PolicySupport", "ReleaseSupport", "PinRotation", "RotationWorlds",
        "PinProbe", "PinValidator", "PinPolicy", "PinFormat", "Diagnostics", "OpenSSLKit",
      ]),
    tests(
      "PinGateTests",
      [
        "PinGate", "PinRules", "PinRelease", "ReleaseSupport", "PinPolicy", "PolicySupport", "PinValidator",
        "PinFormat", "Diagnostics", "OpenSSLKit",
      ]),
    tests(
      "CommandTests", ["PinFormat", "PinValidator", "OpenSSLKit", "pintle"], exclude: ["Fixtures", "Transcripts"]),
    tests(
      "IntegrationTests", ["PinRules", "PinValidator", "PinFormat", "Diagnostics", "pintle", "PinProbe"],
      exclude: ["PullRequests/Snapshots"]),

    // Shared by the tests of all transports: the fixtures of Tests/Fixtures/transports, and servers that present them.
    support(
      "TransportSupport",
      ["PinValidator", nioSSL] + nio("NIOCore", "NIOPosix", "NIOConcurrencyHelpers", "NIOHTTP1", "NIOTLS")),
    tests(
      "PinNIOSSLTests",
      ["PinNIOSSL", "TransportSupport", "PinValidator", "PinFormat", nioSSL]
        + nio("NIOCore", "NIOPosix", "NIOConcurrencyHelpers", "NIOEmbedded")),
    tests(
      "PinGRPCTests",
      [
        "PinGRPC", "PinNIOSSL", "TransportSupport", "PinValidator", "PinFormat", nioSSL,
        product("GRPCCore", "grpc-swift-2", "GRPC"),
        product("GRPCNIOTransportHTTP2", "grpc-swift-nio-transport", "GRPC"),
      ] + nio("NIOCore", "NIOPosix", "NIOConcurrencyHelpers")),
    tests(
      "PinHTTPClientTests",
      ["PinHTTPClient", "PinNIOSSL", "TransportSupport", "PinValidator", "PinFormat", nioSSL]
        + nio("NIOCore", "NIOPosix", "NIOConcurrencyHelpers", "NIOHTTP1")),
    tests(
      "PinServiceTests",
      [
        "PinService", "pintle-agent", "PinNIOSSL", "PinValidator", "PinReports", "PinFormat", nioSSL,
        product("AsyncHTTPClient", "async-http-client", "Service"),
        product("Configuration", "swift-configuration", "Service"), product("Crypto", "swift-crypto", "Service"),
        product("Logging", "swift-log", "Service"), product("InMemoryLogging", "swift-log", "Service"),
        product("Metrics", "swift-metrics", "Service"), product("MetricsTestKit", "swift-metrics", "Service"),
        product("ServiceLifecycle", "swift-service-lifecycle", "Service"),
        product("SwiftASN1", "swift-asn1", "Service"), product("X509", "swift-certificates", "Service"),
      ] + nio("NIOConcurrencyHelpers", "NIOCore", "NIOHTTP1", "NIOPosix")),
    tests(
      "PinCollectorTests",
      [
        "PinCollector", "pintle-collect", "PinValidator", "PinReports", "PinFormat", nioSSL,
        product("AsyncHTTPClient", "async-http-client", "Collector"),
        product("Logging", "swift-log", "Collector"),
        product("ServiceLifecycle", "swift-service-lifecycle", "Collector"),
      ] + nio("NIOCore", "NIOHTTP1"),
      exclude: ["Snapshots"]),
    tests(
      "PinAsyncHTTPClientTests",
      [
        "PinAsyncHTTPClient", "PinNIOSSL", "TransportSupport", "PinValidator", "PinFormat", nioSSL,
        product("AsyncHTTPClient", "async-http-client", "AsyncHTTPClient"),
        product("NIOHTTP2", "swift-nio-http2", "AsyncHTTPClient"),
      ] + nio("NIOCore", "NIOPosix", "NIOHTTP1", "NIOConcurrencyHelpers")),
    tests(
      "PinHummingbirdTests",
      [
        "PinHummingbird", "PinNIOSSL", "TransportSupport", "PinValidator", "PinFormat", nioSSL,
        product("Hummingbird", "hummingbird", "Hummingbird"),
        product("HummingbirdCore", "hummingbird", "Hummingbird"),
        product("AsyncHTTPClient", "async-http-client", "Hummingbird"),
        product("Logging", "swift-log", "Hummingbird"),
      ] + nio("NIOCore", "NIOPosix", "NIOHTTP1", "NIOConcurrencyHelpers")),
    tests(
      "ExamplesTests",
      [
        "pinned-nio-client", "pinned-async-http-client", "pinned-hummingbird-server", "pinned-http-client",
        "pinned-grpc-client", "pinned-service", "TransportSupport", "PinValidator", nioSSL,
        product("AsyncHTTPClient", "async-http-client", "AsyncHTTPClient"),
        product("GRPCCore", "grpc-swift-2", "GRPC"),
        product("GRPCNIOTransportHTTP2", "grpc-swift-nio-transport", "GRPC"),
      ] + nio("NIOCore", "NIOConcurrencyHelpers", "NIOHTTP1")),
  ],
  swiftLanguageModes: [.v6]
)

// Built by Scripts/fuzz with the name of the target to run. Only libFuzzer provides its main function.
if Context.environment["PINTLE_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/LibFuzzer",
      swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])
  )
}

// What apps on Apple's platforms contain, and its tests: all else needs libcrypto (Scripts/test apple, docs/apple.md).
if Context.environment["PINTLE_CRYPTOKIT"] != nil {
  var kept = [
    "CLibC", "PinFormat", "OpenSSLKit", "PinValidator", "PinURLSession", "pinned-url-session", "ConformanceTests",
  ]
  #if os(macOS)
  for target in package.targets where target.name == "ConformanceTests" {
    target.dependencies.removeAll { if case .byNameItem("TestSupport", _) = $0 { true } else { false } }
  }
  #else
  kept += ["CLibCrypto", "AppleStandIn", "TestSupport", "CryptoKitTests", "PinURLSessionTests"]
  #endif
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { !kept.contains($0.name) }
}
