// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "service",
  dependencies: [
    .package(url: "https://…/pintle", .upToNextMinor(from: "0.1.0"), traits: ["NIOSSL"]),
    .package(url: "https://github.com/apple/swift-nio", from: "2.95.0"),
  ],
  targets: [
    .executableTarget(
      name: "service",
      dependencies: [
        .product(name: "PinNIOSSL", package: "pintle"), .product(name: "PinValidator", package: "pintle"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      ])
  ])
