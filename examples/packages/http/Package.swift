// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "service",
  dependencies: [
    .package(url: "https://…/pintle", .upToNextMinor(from: "0.1.0"), traits: ["HTTPClient"])
  ],
  targets: [
    .executableTarget(
      name: "service",
      dependencies: [
        .product(name: "PinHTTPClient", package: "pintle"), .product(name: "PinNIOSSL", package: "pintle"),
        .product(name: "PinValidator", package: "pintle"),
      ])
  ])
