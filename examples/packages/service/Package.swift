// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "service",
  dependencies: [
    .package(url: "https://…/pintle", .upToNextMinor(from: "0.1.0"), traits: ["Service"]),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.9.0"),
  ],
  targets: [
    .executableTarget(
      name: "service",
      dependencies: [
        .product(name: "PinService", package: "pintle"), .product(name: "PinValidator", package: "pintle"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ])
  ])
