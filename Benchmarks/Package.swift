// swift-tools-version: 6.2

import PackageDescription

// A package of its own: what measures the validator from within, so that neither users nor those who build the core fetch
// the library that it is measured with.

let package = Package(
  name: "pintle-benchmarks",
  dependencies: [
    .package(name: "pintle", path: ".."),
    // Without its traits, which replace malloc and the runtime's entry points: allocations are counted by
    // Scripts/check-work and Scripts/check-store, and here they are the C library's own.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "InProcess",
      dependencies: [
        .product(name: "PinValidator", package: "pintle"), .product(name: "Benchmark", package: "benchmark"),
      ],
      path: "InProcess",
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
      ],
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
    )
  ],
  swiftLanguageModes: [.v6]
)
