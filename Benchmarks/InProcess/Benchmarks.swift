import Benchmark
import PinFormat
import PinValidator

/// The validator's work by its public API, on what Scripts/bench makes: see Benchmarks/README.md.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock, .peakMemoryResident], warmupIterations: 1, maxDuration: .seconds(5),
    maxIterations: 200)

  for hosts in ["own-1000", "own-100000"] {
    Benchmark("load \(hosts)") { (benchmark: Benchmark, work: ManifestWork) throws in
      benchmark.startMeasurement()
      blackHole(try work.load())
      benchmark.stopMeasurement()
    } setup: {
      try ManifestWork(hosts)
    }

    Benchmark("swap \(hosts)") { (benchmark: Benchmark, work: SwapWork) throws in
      let store = work.store()
      benchmark.startMeasurement()
      let activation = try store.update(work.next)
      benchmark.stopMeasurement()
      blackHole(activation)
    } setup: {
      try SwapWork(hosts)
    }
  }

  for hosts in ["shared-1000", "shared-\(Workload.largest)"] {
    Benchmark("decide \(hosts)", configuration: .init(scalingFactor: .kilo)) {
      (benchmark: Benchmark, work: HandshakeWork) in
      for _ in benchmark.scaledIterations { blackHole(work.decide()) }
    } setup: {
      try HandshakeWork(hosts)
    }
  }

  Benchmark("evaluate own-1000", configuration: .init(scalingFactor: .one)) {
    (benchmark: Benchmark, work: HandshakeWork) in
    for _ in benchmark.scaledIterations { blackHole(work.evaluate()) }
  } setup: {
    try HandshakeWork("own-1000")
  }
}
