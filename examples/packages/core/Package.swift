// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "service",
  dependencies: [
    // The address of the repository of Pintle, or of your copy of it.
    .package(url: "https://…/pintle", .upToNextMinor(from: "0.1.0"))
  ],
  targets: [
    .executableTarget(name: "service", dependencies: [.product(name: "PinValidator", package: "pintle")])
  ])
