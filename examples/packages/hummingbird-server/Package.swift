// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "service",
  dependencies: [
    .package(url: "https://…/pintle", .upToNextMinor(from: "0.1.0"), traits: ["Hummingbird"]),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.36.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0"),
  ],
  targets: [
    .executableTarget(
      name: "service",
      dependencies: [
        .product(name: "PinHummingbird", package: "pintle"), .product(name: "PinNIOSSL", package: "pintle"),
        .product(name: "PinValidator", package: "pintle"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "Hummingbird", package: "hummingbird"),
      ])
  ])
