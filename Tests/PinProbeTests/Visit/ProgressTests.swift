import PinProbe
import Testing

struct ProgressTests {
  @Test(arguments: [
    (0, 1, 0, 0, "probing 0 of 1 host, 0 failures"),
    (0, 1_000, 0, 5_000, "probing 0 of 1000 hosts, 0 failures"),
    (312, 1_000, 3, 1_733, "probing 312 of 1000 hosts, 3 failures, 180/s, 4 s left"),
    (1, 10, 1, 10_000, "probing 1 of 10 hosts, 1 failure, 0.1/s, 90 s left"),
    (100, 1_000, 0, 10_050, "probing 100 of 1000 hosts, 0 failures, 10/s, 91 s left"),
    (99, 1_000, 0, 10_000, "probing 99 of 1000 hosts, 0 failures, 9.9/s, 92 s left"),
    (10, 10_000, 0, 10_000, "probing 10 of 10000 hosts, 0 failures, 1.0/s, 2 h left"),
    (10, 1_000, 0, 10_000, "probing 10 of 1000 hosts, 0 failures, 1.0/s, 16 min left"),
    (10, 10, 2, 100, "probing 10 of 10 hosts, 2 failures"),
  ])
  func saysHowFarItIs(_ done: Int, _ total: Int, _ failures: Int, _ milliseconds: Int, _ expected: String) {
    let progress = ProbeProgress(done: done, total: total, failures: failures, elapsed: .milliseconds(milliseconds))
    #expect(progress.text(width: 80) == expected)
    #expect(progress.text(width: 200) == expected)
  }

  @Test(arguments: [
    (-1, ""), (0, ""), (7, "probing"), (25, "probing 312 of 1000 hosts"), (36, "probing 312 of 1000 hosts"),
    (37, "probing 312 of 1000 hosts, 3 failures"), (43, "probing 312 of 1000 hosts, 3 failures"),
    (44, "probing 312 of 1000 hosts, 3 failures, 180/s"),
  ])
  func leavesOutWhatHasNoRoom(_ width: Int, _ expected: String) {
    let progress = ProbeProgress(done: 312, total: 1_000, failures: 3, elapsed: .milliseconds(1_733))
    #expect(progress.text(width: width) == expected)
  }

  @Test func rateAndTimeLeft() {
    let none = ProbeProgress(done: 0, total: 10, failures: 0, elapsed: .seconds(1))
    #expect(none.rate == nil && none.secondsLeft == nil)
    let some = ProbeProgress(done: 312, total: 1_000, failures: 3, elapsed: .milliseconds(1_733))
    #expect(some.rate.map { Int($0) } == 180)
    #expect(some.secondsLeft == 4)
  }
}
