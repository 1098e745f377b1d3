// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "service",
  dependencies: [
    .package(url: "https://…/pintle", .upToNextMinor(from: "0.1.0"), traits: ["GRPC"]),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.36.0"),
    .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.2.0"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.4.0"),
  ],
  targets: [
    .executableTarget(
      name: "service",
      dependencies: [
        .product(name: "PinGRPC", package: "pintle"), .product(name: "PinNIOSSL", package: "pintle"),
        .product(name: "PinValidator", package: "pintle"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "GRPCCore", package: "grpc-swift-2"),
        .product(name: "GRPCNIOTransportHTTP2", package: "grpc-swift-nio-transport"),
      ])
  ])
