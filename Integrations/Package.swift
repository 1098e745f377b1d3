// swift-tools-version: 6.2

import PackageDescription

// The second package: what brings SwiftNIO and other libraries of its own, so that the core never fetches them. Each
// transport is a product, and nobody builds what they don't use.

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

let validator = Target.Dependency.product(name: "PinValidator", package: "pintle")
let reportReader = Target.Dependency.product(name: "PinReportReader", package: "pintle")
let webPage = Target.Dependency.product(name: "WebPage", package: "pintle")
let reports = Target.Dependency.product(name: "PinReports", package: "pintle")

func product(_ name: String, _ package: String) -> Target.Dependency { .product(name: name, package: package) }

func room(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

/// A program of Examples/, which people copy.
func example(_ name: String, _ folder: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name,
    dependencies: [
      "ExampleSupport", validator, product("ArgumentParser", "swift-argument-parser"),
      product("NIOCore", "swift-nio"), product("NIOSSL", "swift-nio-ssl"),
    ] + dependencies, path: "Examples/" + folder, swiftSettings: settings)
}

let package = Package(
  name: "pintle-integrations",
  products: [
    .library(name: "PinNIOSSL", targets: ["PinNIOSSL"]),
    .library(name: "PinGRPC", targets: ["PinGRPC"]),
    .library(name: "PinHTTPClient", targets: ["PinHTTPClient"]),
    .library(name: "PinAsyncHTTPClient", targets: ["PinAsyncHTTPClient"]),
    .library(name: "PinHummingbird", targets: ["PinHummingbird"]),
    .library(name: "PinService", targets: ["PinService"]),
    .executable(name: "pintle-collect", targets: ["pintle-collect"]),
  ],
  dependencies: [
    .package(name: "pintle", path: ".."),
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
    .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    room(
      "PinNIOSSL",
      [
        validator, product("NIOCore", "swift-nio"), product("NIOPosix", "swift-nio"),
        product("NIOConcurrencyHelpers", "swift-nio"), product("NIOTLS", "swift-nio"),
        product("NIOSSL", "swift-nio-ssl"),
      ]),
    room(
      "PinGRPC",
      [
        "PinNIOSSL", validator, product("GRPCCore", "grpc-swift-2"),
        product("GRPCNIOTransportHTTP2", "grpc-swift-nio-transport"), product("NIOCore", "swift-nio"),
        product("NIOPosix", "swift-nio"), product("NIOSSL", "swift-nio-ssl"),
      ]),
    room(
      "PinHTTPClient",
      [
        "PinNIOSSL", validator, product("NIOCore", "swift-nio"), product("NIOPosix", "swift-nio"),
        product("NIOConcurrencyHelpers", "swift-nio"), product("NIOHTTP1", "swift-nio"),
        product("NIOSSL", "swift-nio-ssl"),
      ]),
    room(
      "PinAsyncHTTPClient",
      [
        "PinNIOSSL", validator, product("AsyncHTTPClient", "async-http-client"), product("NIOCore", "swift-nio"),
        product("NIOPosix", "swift-nio"), product("NIOSSL", "swift-nio-ssl"), product("Logging", "swift-log"),
      ]),
    room(
      "PinHummingbird",
      [
        "PinNIOSSL", validator, product("Hummingbird", "hummingbird"), product("HummingbirdCore", "hummingbird"),
        product("NIOCore", "swift-nio"), product("NIOSSL", "swift-nio-ssl"), product("Logging", "swift-log"),
      ]),
    room(
      "PinService",
      [
        "PinNIOSSL", validator, reports, product("AsyncHTTPClient", "async-http-client"),
        product("NIOCore", "swift-nio"),
        product("NIOPosix", "swift-nio"), product("NIOHTTP1", "swift-nio"), product("NIOSSL", "swift-nio-ssl"),
        product("ServiceLifecycle", "swift-service-lifecycle"), product("Logging", "swift-log"),
        product("Metrics", "swift-metrics"), product("Configuration", "swift-configuration"),
      ]),
    room(
      "PinCollector",
      [
        validator, reports, reportReader, webPage, "CLibPQ", product("Hummingbird", "hummingbird"),
        product("HummingbirdCore", "hummingbird"), product("HummingbirdTLS", "hummingbird"),
        product("GRDB", "GRDB.swift"), product("NIOCore", "swift-nio"), product("NIOSSL", "swift-nio-ssl"),
        product("Logging", "swift-log"),
        product("ServiceLifecycle", "swift-service-lifecycle"),
      ]),
    .executableTarget(
      name: "pintle-collect",
      dependencies: [
        "PinCollector", product("ArgumentParser", "swift-argument-parser"), product("Logging", "swift-log"),
        product("ServiceLifecycle", "swift-service-lifecycle"),
      ],
      swiftSettings: settings),

    // What the tests of all transports share: the fixtures of Tests/Fixtures/transports, and servers that present them.
    .target(
      name: "TransportSupport",
      dependencies: [
        validator, product("NIOCore", "swift-nio"), product("NIOPosix", "swift-nio"),
        product("NIOConcurrencyHelpers", "swift-nio"), product("NIOHTTP1", "swift-nio"),
        product("NIOTLS", "swift-nio"), product("NIOSSL", "swift-nio-ssl"),
      ],
      path: "Tests/TransportSupport", swiftSettings: settings),
    tests(
      "PinNIOSSLTests",
      [
        "PinNIOSSL", "TransportSupport", validator, product("NIOCore", "swift-nio"), product("NIOPosix", "swift-nio"),
        product("NIOConcurrencyHelpers", "swift-nio"), product("NIOEmbedded", "swift-nio"),
        product("NIOSSL", "swift-nio-ssl"),
      ]),
    tests(
      "PinGRPCTests",
      [
        "PinGRPC", "PinNIOSSL", "TransportSupport", validator, product("GRPCCore", "grpc-swift-2"),
        product("GRPCNIOTransportHTTP2", "grpc-swift-nio-transport"), product("NIOCore", "swift-nio"),
        product("NIOConcurrencyHelpers", "swift-nio"), product("NIOSSL", "swift-nio-ssl"),
      ]),
    tests(
      "PinHTTPClientTests",
      [
        "PinHTTPClient", "PinNIOSSL", "TransportSupport", validator, product("NIOCore", "swift-nio"),
        product("NIOConcurrencyHelpers", "swift-nio"), product("NIOHTTP1", "swift-nio"),
        product("NIOSSL", "swift-nio-ssl"),
      ]),
    tests(
      "PinServiceTests",
      [
        "PinService", "PinNIOSSL", validator, reports, product("AsyncHTTPClient", "async-http-client"),
        product("Configuration", "swift-configuration"), product("Crypto", "swift-crypto"),
        product("Logging", "swift-log"), product("InMemoryLogging", "swift-log"),
        product("Metrics", "swift-metrics"), product("MetricsTestKit", "swift-metrics"),
        product("NIOConcurrencyHelpers", "swift-nio"), product("NIOCore", "swift-nio"),
        product("NIOHTTP1", "swift-nio"), product("NIOPosix", "swift-nio"),
        product("NIOSSL", "swift-nio-ssl"), product("ServiceLifecycle", "swift-service-lifecycle"),
        product("SwiftASN1", "swift-asn1"), product("X509", "swift-certificates"),
      ]),
    tests(
      "PinCollectorTests",
      [
        "PinCollector", "pintle-collect", validator, reports, reportReader,
        product("AsyncHTTPClient", "async-http-client"), product("Logging", "swift-log"),
        product("NIOCore", "swift-nio"), product("NIOHTTP1", "swift-nio"), product("NIOSSL", "swift-nio-ssl"),
        product("ServiceLifecycle", "swift-service-lifecycle"),
      ],
      exclude: ["Snapshots"]),
    tests(
      "PinAsyncHTTPClientTests",
      [
        "PinAsyncHTTPClient", "PinNIOSSL", "TransportSupport", validator,
        product("AsyncHTTPClient", "async-http-client"), product("NIOCore", "swift-nio"),
        product("NIOPosix", "swift-nio"), product("NIOHTTP1", "swift-nio"), product("NIOHTTP2", "swift-nio-http2"),
        product("NIOConcurrencyHelpers", "swift-nio"), product("NIOSSL", "swift-nio-ssl"),
      ]),
    tests(
      "PinHummingbirdTests",
      [
        "PinHummingbird", "PinNIOSSL", "TransportSupport", validator, product("Hummingbird", "hummingbird"),
        product("HummingbirdCore", "hummingbird"), product("AsyncHTTPClient", "async-http-client"),
        product("NIOCore", "swift-nio"), product("NIOHTTP1", "swift-nio"), product("NIOSSL", "swift-nio-ssl"),
        product("Logging", "swift-log"),
      ]),
    tests(
      "ExamplesTests",
      [
        "pinned-nio-client", "pinned-async-http-client", "pinned-hummingbird-server", "pinned-http-client",
        "pinned-grpc-client", "pinned-service", "TransportSupport", validator,
        product("AsyncHTTPClient", "async-http-client"), product("GRPCCore", "grpc-swift-2"),
        product("GRPCNIOTransportHTTP2", "grpc-swift-nio-transport"), product("NIOCore", "swift-nio"),
        product("NIOConcurrencyHelpers", "swift-nio"), product("NIOHTTP1", "swift-nio"),
        product("NIOSSL", "swift-nio-ssl"),
      ]),

    .target(
      name: "ExampleSupport",
      dependencies: [validator, product("ArgumentParser", "swift-argument-parser")],
      path: "Examples/Support", swiftSettings: settings),
    // What the pages of the documentation show, so that it is compiled; Scripts/check-docs compares them.
    .target(
      name: "DocumentedCode",
      dependencies: [
        "PinNIOSSL", "PinGRPC", "PinHTTPClient", "PinAsyncHTTPClient", "PinHummingbird", "PinService", validator,
        reports,
        product("AsyncHTTPClient", "async-http-client"), product("Configuration", "swift-configuration"),
        product("GRPCCore", "grpc-swift-2"), product("GRPCNIOTransportHTTP2", "grpc-swift-nio-transport"),
        product("Hummingbird", "hummingbird"), product("Logging", "swift-log"), product("NIOCore", "swift-nio"),
        product("NIOPosix", "swift-nio"), product("NIOSSL", "swift-nio-ssl"),
        product("ServiceLifecycle", "swift-service-lifecycle"), product("UnixSignals", "swift-service-lifecycle"),
      ],
      path: "Examples/documentation", exclude: ["README.md"], swiftSettings: settings),
    example("pinned-nio-client", "nio-client", ["PinNIOSSL", product("NIOPosix", "swift-nio")]),
    example(
      "pinned-async-http-client", "async-http-client",
      ["PinAsyncHTTPClient", product("AsyncHTTPClient", "async-http-client")]),
    example(
      "pinned-hummingbird-server", "hummingbird-server",
      ["PinHummingbird", "PinNIOSSL", product("Hummingbird", "hummingbird")]),
    example("pinned-http-client", "http-client", ["PinHTTPClient", "PinNIOSSL"]),
    example(
      "pinned-grpc-client", "grpc-client",
      [
        "PinGRPC", "PinNIOSSL", product("GRPCCore", "grpc-swift-2"),
        product("GRPCNIOTransportHTTP2", "grpc-swift-nio-transport"),
      ]),
    example(
      "pinned-service", "service",
      [
        "PinService", "PinHTTPClient", "PinNIOSSL", product("Configuration", "swift-configuration"),
        product("Hummingbird", "hummingbird"), product("Logging", "swift-log"),
        product("ServiceLifecycle", "swift-service-lifecycle"), product("UnixSignals", "swift-service-lifecycle"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
