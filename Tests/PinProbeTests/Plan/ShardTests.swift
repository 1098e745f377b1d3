import PinFormat
import PinProbe
import Testing

struct ShardTests {
  @Test(arguments: ["1/1", "3/10", "10/10", "1/10000"])
  func partsAreRead(_ text: String) throws {
    let shard = try #require(Evidence.Shard(text))
    #expect("\(shard.number)/\(shard.count)" == text)
  }

  @Test(arguments: [
    "", "3", "3/", "/10", "0/10", "11/10", "-1/10", "+1/10", "3/10/2", "3 / 10", "1/0", "1/10001", "٣/10", "a/b",
  ])
  func othersAreNot(_ text: String) {
    #expect(Evidence.Shard(text) == nil)
  }

  @Test(arguments: [1, 2, 3, 7, 10, 64])
  func everyHostIsInOnePart(count: Int) throws {
    let shards = (1...count).map { Evidence.Shard(number: $0, count: count) }
    var sizes = [Int](repeating: 0, count: count)
    let hosts = 2_000
    for number in 0..<hosts {
      let host = try HostName(canonicalising: "h\(number).example.com")
      let holding = shards.filter { $0.holds(host) }
      #expect(holding.count == 1)
      if let shard = holding.first { sizes[shard.number - 1] += 1 }
    }
    // Shards of similar size take a similar time: within five standard deviations.
    let mean = Double(hosts) / Double(count)
    for size in sizes { #expect(abs(Double(size) - mean) <= 5 * mean.squareRoot()) }
  }

  /// Where a host is depends on nothing but its name: pinned here, so that a new version moves no host either.
  @Test func placesStay() throws {
    let hosts = ["a.test", "b.test", "c.test", "10.0.0.5", "xn--bcher-kva.example"]
    let numbers = try hosts.map { text in
      let host = try HostName(canonicalising: text)
      return (1...10).first { Evidence.Shard(number: $0, count: 10).holds(host) }
    }
    #expect(numbers == [5, 2, 3, 8, 5])
  }

  @Test func allPortsOfAHostAreTogether() throws {
    let ports: [UInt16] = [443, 993, 8443]
    let policy = try PolicyByHand.make(ports.map { PolicyByHand.Entry(host: "a.test", port: $0) })
    let counts = (1...5).map { number in
      var choice = ProbePlan.Choice()
      choice.shard = Evidence.Shard(number: number, count: 5)
      return ProbePlan(PlannedNames(policy), choice).targets.count
    }
    #expect(counts.sorted() == [0, 0, 0, 0, 3])
  }
}
