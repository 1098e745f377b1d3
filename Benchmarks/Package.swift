// swift-tools-version: 6.2

import PackageDescription

// A separate package, because neither users nor developers of the core should have to fetch the library that measures.

let package = Package(
  name: "pintle-benchmarks",
  dependencies: [
    .package(name: "pintle", path: ".."),
    // Without its traits, which replace malloc and the runtime's entry points: Scripts/check/work and
    // Scripts/check/store count allocations.
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
