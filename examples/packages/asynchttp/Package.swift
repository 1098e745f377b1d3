// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "service",
  dependencies: [
    .package(url: "https://…/pintle", .upToNextMinor(from: "0.1.0"), traits: ["AsyncHTTPClient"]),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.36.0"),
  ],
  targets: [
    .executableTarget(
      name: "service",
      dependencies: [
        .product(name: "PinAsyncHTTPClient", package: "pintle"), .product(name: "PinValidator", package: "pintle"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ])
  ])
